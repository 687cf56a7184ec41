package simulate_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"ftsh/cmd/ftshsim/herd"
	"ftsh/cmd/ftshsim/simulate"
	"ftsh/testdata/skip"
)

// fates lists what may become of a fleet, as far as its scripts and its server decide it. Triggers
// begin where @ stands: 20 s after the start, or 2 minutes for those who work without an end.
var fates = []struct {
	name, script, server string
	clients              int
	start, until         time.Duration
	endless              bool // the trigger comes after 2 minutes, when they have found their pace
}{
	{"all finish", "try for 1 hour each 5 s backoff fixed from 5 s\nget\nend", "slots 2\ntakes 100 ms", 60,
		60 * time.Second, time.Hour, false},
	{"some give up during", "try for 30 s each 5 s backoff fixed from 5 s\nget\nend", "slots 2\ntakes 100 ms", 60,
		60 * time.Second, time.Hour, false},
	{"all give up during", "sleep 25\ntry for 20 s each 5 s backoff fixed from 5 s\nget\nend", "slots 2\ntakes 100 ms",
		60, 10 * time.Second, time.Hour, false},
	{"livelock after", strings.ReplaceAll(worker, "POLICY", "fixed from 1 s"), "slots 2\ntakes exponential 250 ms", 100,
		20 * time.Second, 7 * time.Minute, true},
	{"still running", strings.ReplaceAll(worker, "POLICY", "full to 20 s"), "slots 2\ntakes exponential 250 ms", 60,
		20 * time.Second, 10 * time.Minute, true},
}

var fleetCases = []struct {
	trigger, lines string // @ are times
	from, to       int
	want           []string // by fate
}{
	{"no trigger", "", 0, 0, []string{
		"60 of 60 done by 60 s; the server was 5 % used.",
		"60 of 60 done by 60 s; the server was 5 % used.",
		"60 of 60 done by 35 s; the server was 9 % used.",
		"0 of 100 done; 100 still ran at the end, after 7 min; the server was 64 % used, 0.6 % of that for nobody.",
		"0 of 60 done; 60 still ran at the end, after 10 min; the server was 39 % used.",
	}},
	{"outage", "outage from @ to @ fail", 20, 80, []string{
		"60 of 60 done by 85 s; the server was 23 % used; it came back 0 s after the outage.",
		"27 of 60 done by 85 s; 33 gave up, all of them during the outage; the server was 17 % used; those that were " +
			"left were served again 0 s after the outage.",
		"0 of 60 done; 60 gave up, all of them during the outage; the server was 28 % used; nobody was left to be " +
			"served after the outage.",
		"0 of 100 done; 100 still ran at the end, after 7 min; the server was 90 % used, 78 % of that for nobody; it " +
			"did not come back after the outage.",
		"0 of 60 done; 60 still ran at the end, after 10 min; the server was 45 % used, 23 % of that for nobody; it " +
			"came back 6 s after the outage.",
	}},
	{"brown-out", "brownout from @ to @ at 1%", 20, 80, []string{
		"60 of 60 done by 94 s; the server was 76 % used, 96 % of that for nobody; it came back 4 s after the brown-out.",
		"26 of 60 done by 87 s; 34 gave up, 29 of them during the brown-out; the server was 77 % used, 98 % of that for " +
			"nobody; it did not come back after the brown-out.",
		"0 of 60 done; 60 gave up, all of them during the brown-out; the server was 54 % used, 100 % of that for " +
			"nobody; nobody was left to be served after the brown-out.",
		"0 of 100 done; 100 still ran at the end, after 7 min; the server was 90 % used, 79 % of that for nobody; it " +
			"did not come back after the brown-out.",
		"0 of 60 done; 60 still ran at the end, after 10 min; the server was 61 % used, 62 % of that for nobody; it " +
			"came back 2.8 min after the brown-out.",
	}},
	{"refuse", "outage from @ to @ refuse", 20, 80, []string{
		"60 of 60 done by 85 s; the server was 4 % used; it came back 0 s after the outage.",
		"27 of 60 done by 85 s; 33 gave up, all of them during the outage; the server was 2 % used; those that were " +
			"left were served again 0 s after the outage.",
		"0 of 60 done; 60 gave up, all of them during the outage; the server served nobody; nobody was left to be " +
			"served after the outage.",
		"0 of 100 done; 100 still ran at the end, after 7 min; the server was 76 % used, 75 % of that for nobody; it " +
			"did not come back after the outage.",
		"0 of 60 done; 60 still ran at the end, after 10 min; the server was 36 % used, 0.9 % of that for nobody; it " +
			"came back 0 s after the outage.",
	}},
	{"hang", "outage from @ to @ hang", 20, 80, []string{
		"60 of 60 done by 90 s; the server was 3 % used; it came back 0 s after the outage.",
		"26 of 60 done by 85 s; 34 gave up, 29 of them during the outage; the server was 2 % used; it did not come back " +
			"after the outage.",
		"0 of 60 done; 60 gave up, all of them during the outage; the server served nobody; nobody was left to be " +
			"served after the outage.",
		"0 of 100 done; 100 still ran at the end, after 7 min; the server was 76 % used, 75 % of that for nobody; it " +
			"did not come back after the outage.",
		"0 of 60 done; 60 still ran at the end, after 10 min; the server was 36 % used, 0.5 % of that for nobody; it " +
			"came back 0 s after the outage.",
	}},
	{"freeze", "outage from @ to @ freeze", 20, 80, []string{
		"60 of 60 done by 93 s; the server was 12 % used, 72 % of that for nobody; it came back 3 s after the outage.",
		"26 of 60 done by 87 s; 34 gave up, 29 of them during the outage; the server was 9 % used, 84 % of that for " +
			"nobody; it did not come back after the outage.",
		"0 of 60 done; 60 gave up, all of them during the outage; the server served nobody; nobody was left to be " +
			"served after the outage.",
		"0 of 100 done; 100 still ran at the end, after 7 min; the server was 90 % used, 79 % of that for nobody; it " +
			"did not come back after the outage.",
		"0 of 60 done; 60 still ran at the end, after 10 min; the server was 45 % used, 30 % of that for nobody; it " +
			"came back 47 s after the outage.",
	}},
	{"outlasts the run", "outage from @ to @", 20, 100000, []string{
		"21 of 60 done by 18 s; 39 still ran at the end, after 60 min; the server was 0.03 % used; the run ended before " +
			"the outage did.",
		"21 of 60 done by 18 s; 39 gave up, all of them during the outage; the server was 1 % used; nobody was left to " +
			"be served after the outage.",
		"0 of 60 done; 60 gave up, all of them during the outage; the server served nobody; nobody was left to be " +
			"served after the outage.",
		"0 of 100 done; 100 still ran at the end, after 7 min; the server was 18 % used; the run ended before the " +
			"outage did.",
		"0 of 60 done; 60 still ran at the end, after 10 min; the server was 8 % used; the run ended before the outage did.",
	}},
	{"at 0", "outage from @ to @", 0, 60, []string{
		"60 of 60 done by 65 s; the server was 5 % used; it came back 3 s after the outage.",
		"25 of 60 done by 65 s; 35 gave up, all of them during the outage; the server was 2 % used; those that were " +
			"left were served again 4 s after the outage.",
		"0 of 60 done; 60 gave up, all of them during the outage; the server served nobody; nobody was left to be " +
			"served after the outage.",
		"0 of 100 done; 100 still ran at the end, after 7 min; the server was 86 % used, 99 % of that for nobody; it " +
			"did not come back after the outage.",
		"0 of 60 done; 60 still ran at the end, after 10 min; the server was 36 % used, 0.7 % of that for nobody; it " +
			"came back 14 s after the outage.",
	}},
}

// TestFleet holds what is said of each fate after each trigger.
func TestFleet(t *testing.T) {
	skip.Simulation(t)
	t.Parallel()
	for _, c := range fleetCases {
		for n, f := range fates {
			t.Run(c.trigger+", "+f.name, func(t *testing.T) {
				lines := c.lines
				for _, at := range []int{c.from, c.to} {
					if f.endless && c.from > 0 {
						at += 100
					}
					lines = strings.Replace(lines, "@", (time.Duration(at) * time.Second).String(), 1)
				}
				w := parseWorld(t, "server\n"+f.server+"\n"+lines+"\nend")
				comparison := simulate.Comparison{Crowd: simulate.Crowd{World: w, Start: f.start, Until: f.until},
					Variants: []simulate.Variant{{Name: "x", Who: simulate.All(load(t, f.script)), Clients: f.clients}}}
				report, err := comparison.Compare(context.Background(), herd.Runs{Seeds: 1, First: 1})
				if err != nil {
					t.Fatal(err)
				}
				if got := strings.Join(report.Verdict, "\n"); got != "Verdict: "+c.want[n] {
					t.Errorf("it says: %s\nwant:    Verdict: %s", got, c.want[n])
				}
			})
		}
	}
}
