package simulate_test

import (
	"context"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"ftsh/cmd/ftshsim/herd"
	"ftsh/cmd/ftshsim/herd/server"
	"ftsh/cmd/ftshsim/simulate"
	"ftsh/testdata/skip"
)

// overloaded is the server of the experiment overload, for a fifth of its clients, which
// ask again at once.
const (
	overloaded = "server\ntakes 100 ms\nslowdown above 6 by 5 percent per 2\nbacklog 26\nend\ncommand think\n" +
		"takes exponential 10 s\nend"
	impatient = "while true\nthink\ntry for 1 day each 2 s backoff fixed from 100 ms\nget\nend\nend"
)

// TestTip holds that the edge is found where a scan finds it. The edge is not sharp: the
// scan's is where half of the runs come back, that is the sum of their shares.
func TestTip(t *testing.T) {
	skip.UnlessLong(t, "it simulates a hundred crowds")
	tip := &simulate.Tip{Crowd: simulate.Crowd{Script: load(t, impatient), World: parseWorld(t, overloaded),
		Clients: 200, Start: 10 * time.Second},
		At: time.Minute, Mode: server.Freeze, Longest: 30 * time.Second, Watch: 90 * time.Second}
	report, err := tip.Find(context.Background(), herd.Runs{Seeds: 5, First: 1})
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`^200 clients come back from outages up to about (\S+), with half`).FindStringSubmatch(
		report.Notes[0])
	if found == nil || len(report.Figures) != 1 || len(report.Figures[0].Lines) != 2 {
		t.Fatalf("%q, %d figures", report.Notes, len(report.Figures))
	}
	edge, err := time.ParseDuration(found[1])
	if err != nil {
		t.Fatal(err)
	}
	const step, seeds = 500 * time.Millisecond, 5
	scanned := step / 2
	for length := step; length < 12*time.Second; length += step {
		crowd, world := tip.Crowd, *tip.World
		world.Servers = slices.Clone(world.Servers)
		world.Servers[0].Spec.Outages = []server.Outage{{From: tip.At, To: tip.At + length, Mode: tip.Mode}}
		crowd.World, crowd.Until = &world, tip.At+length+tip.Watch
		for seed := range uint64(seeds) {
			if run(t, crowd, seed+100).CameBack(0, tip.At, tip.At+length) {
				scanned += step / seeds
			}
		}
	}
	if math.Abs(scanned.Seconds()/edge.Seconds()-1) > 0.1 {
		t.Errorf("the edge is at %v, a scan finds %v", edge, scanned)
	}
	t.Logf("the edge is at %v, a scan finds %v", edge, scanned)
}

// TestNoTip tells of crowds that always come back, and of those that never work.
func TestNoTip(t *testing.T) {
	for script, want := range map[string]string{
		"while true\nsleep 10\ntry for 1 day each 2 s\nget\nend\nend": "It comes back from all outages up to 20s.",
		"get": "Even without an outage",
	} {
		tip := &simulate.Tip{Crowd: simulate.Crowd{Script: load(t, script), World: parseWorld(t, overloaded), Clients: 50,
			Start: 10 * time.Second},
			At: time.Minute, Mode: server.Refuse, Longest: 20 * time.Second, Watch: 2 * time.Minute}
		report, err := tip.Find(context.Background(), herd.Runs{Seeds: 1, First: 1})
		if err != nil || !strings.HasPrefix(report.Notes[0], want) {
			t.Errorf("%q: %v, %+v", script, err, report.Notes)
		}
	}
}
