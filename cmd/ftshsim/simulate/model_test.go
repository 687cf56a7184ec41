package simulate_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"ftsh/ast"
	"ftsh/backoff"
	"ftsh/cmd/ftshsim/herd"
	"ftsh/cmd/ftshsim/herd/crowd"
	"ftsh/cmd/ftshsim/herd/measure"
	"ftsh/cmd/ftshsim/herd/server"
	"ftsh/cmd/ftshsim/herd/spread"
	"ftsh/cmd/ftshsim/simulate"
	"ftsh/cmd/ftshsim/world"
	"ftsh/testdata/skip"
)

func parseWorld(t testing.TB, text string) *world.World {
	t.Helper()
	w, err := world.Parse(&ast.Source{Name: "world", Text: text})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func load(t testing.TB, text string, args ...string) *simulate.Script {
	t.Helper()
	s, err := simulate.Load("script.ftsh", text, args)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// run simulates clients of a script, all of whose errors are the test's.
func run(t testing.TB, crowd simulate.Crowd, seed uint64) *simulate.Tally {
	t.Helper()
	if crowd.Until == 0 {
		crowd.Until = time.Hour
	}
	tally, err := simulate.Run(context.Background(), crowd, seed)
	if err != nil {
		t.Fatal(err)
	}
	return tally
}

// models are scripts, and the clients of cmd/ftshsim/herd/crowd that do the same.
var models = map[string]struct {
	script, world string
	config        crowd.Config
}{
	"refused": {
		"try for 1 hour backoff fixed from 5 s\nget\nend",
		"server\nslots 3\nqueue 5\ntakes exponential 200 ms\noutage from 2 s to 2 minutes\nend",
		crowd.Config{Layers: []crowd.Layer{
			{Limit: time.Hour, Backoff: backoff.Backoff{Policy: backoff.Fixed, Initial: 5 * time.Second}}}},
	},
	"errors": {
		"try 4 times backoff fixed from 250 ms\nget\nend",
		"server\nslots 10\ntakes uniform 10 ms 100 ms\nfailure 60 percent\nend",
		crowd.Config{Layers: []crowd.Layer{
			{Attempts: 4, Backoff: backoff.Backoff{Policy: backoff.Fixed, Initial: 250 * time.Millisecond}}}},
	},
	"hung up": {
		"try for 50 minutes each 700 ms backoff exact from 1 s to 1 minute\nget\nend",
		"server\nslots 4\ntakes lognormal 100 ms 2 s\noutage from 2 s to 3 minutes freeze\nbacklog 20\nend",
		crowd.Config{Timeout: 700 * time.Millisecond,
			Layers: []crowd.Layer{{Limit: 50 * time.Minute, Backoff: backoff.Backoff{Policy: backoff.Exact, Max: time.Minute}}}},
	},
	"two layers": {
		"try 3 times backoff fixed from 2 s\ntry 4 times backoff exact from 100 ms\nget\nend\nend",
		"server\nslots 2\nqueue 2\ntakes 300 ms\nend",
		crowd.Config{Layers: []crowd.Layer{
			{Attempts: 3, Backoff: backoff.Backoff{Policy: backoff.Fixed, Initial: 2 * time.Second}},
			{Attempts: 4, Backoff: backoff.Backoff{Policy: backoff.Exact, Initial: 100 * time.Millisecond}},
		}},
	},
	"slow under load": {
		"try 12 times each 2 s backoff fixed from 500 ms\nget\nend",
		"server\ntakes 100 ms\nslowdown above 3 by 50 percent per 5\noutage from 2 s to 12 s freeze\nbacklog 1000\nend",
		crowd.Config{Timeout: 2 * time.Second,
			Layers: []crowd.Layer{{Attempts: 12,
				Backoff: backoff.Backoff{Policy: backoff.Fixed, Initial: 500 * time.Millisecond}}}},
	},
}

// TestSameAsTheCrowd runs scripts and the clients of the presets in the same
// world. Where the policy draws nothing, both must send the same requests at the same
// times: the script's try and the crowd's clients are one piece of code.
func TestSameAsTheCrowd(t *testing.T) {
	skip.Simulation(t)
	t.Parallel()
	for name, m := range models {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := parseWorld(t, m.world)
			const clients, start, until = 60, 6 * time.Second, 30 * time.Minute
			for seed := range uint64(2) {
				script := run(t, simulate.Crowd{Who: simulate.All(load(t, m.script)), World: w, Clients: clients, Start: start,
					Until: until, Every: 100 * time.Millisecond}, seed)
				config := m.config
				config.Clients, config.Start, config.Once, config.Every = clients, start, true, 100*time.Millisecond
				crowd := crowd.New(herd.New(seed), config, w.Servers[0].Spec).Run(context.Background(), until)
				same(t, "requests", script.Requests, crowd.Requests)
				same(t, "done", script.Done, crowd.Done)
				same(t, "given up", failed(script), crowd.GivenUp)
				sameSeries(t, "requests sent", script.Sent, crowd.Sent)
				sameSeries(t, "requests done", script.Answered, crowd.Finished)
				same(t, "useful work", script.PerServer[0].Useful, crowd.PerServer[0].Useful)
				if crowd.Done == 0 || crowd.Requests < 2*clients {
					t.Errorf("nothing to compare: %d requests, %d done", crowd.Requests, crowd.Done)
				}
			}
		})
	}
}

func failed(tally *simulate.Tally) int {
	n := 0
	for _, clients := range tally.Failed {
		n += clients
	}
	return n
}

func same[T comparable](t *testing.T, what string, script, crowd T) {
	t.Helper()
	if script != crowd {
		t.Errorf("%s: %v by the script, %v by the crowd", what, script, crowd)
	}
}

func sameSeries(t *testing.T, what string, script, crowd measure.Series) {
	t.Helper()
	if !slices.Equal(script.Values, crowd.Values) {
		t.Errorf("%s differ:\n%v\n%v", what, script.Values, crowd.Values)
	}
}

// TestRandomPoliciesLikeTheCrowd compares what can be compared where clients roll
// their own dice: the mean of many runs.
func TestRandomPoliciesLikeTheCrowd(t *testing.T) {
	t.Parallel()
	spec := server.Spec{Slots: 5, Queue: 20, Response: spread.Exponential(50 * time.Millisecond),
		Outages: []server.Outage{{To: 20 * time.Second}}}
	w := &world.World{Servers: []world.Server{{Spec: spec, Refused: world.Ending{Status: 1}}}}
	for policy := backoff.Ethernet; policy <= backoff.Fixed; policy++ {
		t.Run(policy.String(), func(t *testing.T) {
			t.Parallel()
			var scripts, crowds measure.Sample
			for seed := range uint64(5) {
				script := load(t, "try for 25 minutes backoff "+policy.String()+" to 1 minute\nget\nend")
				scripts = append(scripts, float64(run(t,
					simulate.Crowd{Who: simulate.All(script), World: w, Clients: 60, Start: time.Second}, seed).Requests))
				config := crowd.Config{Clients: 60, Start: time.Second, Once: true,
					Layers: []crowd.Layer{{Limit: 25 * time.Minute, Backoff: backoff.Backoff{Policy: policy, Max: time.Minute}}}}
				crowds = append(crowds, float64(crowd.New(herd.New(seed+100), config, spec).Run(context.Background(),
					time.Hour).Requests))
			}
			if apart := scripts.Mean() - crowds.Mean(); apart > 3*(scripts.Half()+crowds.Half()) ||
				-apart > 3*(scripts.Half()+crowds.Half()) {
				t.Errorf("requests: %.0f ±%.0f by scripts, %.0f ±%.0f by the crowd", scripts.Mean(), scripts.Half(),
					crowds.Mean(), crowds.Half())
			}
		})
	}
}
