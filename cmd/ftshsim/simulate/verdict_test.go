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

const (
	// eight requests a second, of which 100 clients of worker want five
	busy   = "server\nslots 2\ntakes exponential 250 ms\n"
	worker = "while true\ntry for 1 day each 2 s backoff POLICY\nget\nend\nsleep 20\nend"
	once   = "try for 1 hour each 10 s backoff POLICY\nget\nend"
)

// overloaded is the server of the experiment overload, for a fifth of its clients, which
// ask again at once.
const (
	overloaded = "server\ntakes 100 ms\nslowdown above 6 by 5 percent per 2\nbacklog 26\nend\ncommand think\n" +
		"takes exponential 10 s\nend"
	impatient = "while true\nthink\ntry for 1 day each 2 s backoff fixed from 100 ms\nget\nend\nend"
)

// frozen is the server of the experiment overload, which stands still for half a minute.
var frozen = strings.Replace(overloaded, "\nend", "\noutage from 1 minute to 90 s freeze\nend", 1)

var verdictCases = map[string]struct {
	script, policy, world string
	clients               int
	until                 time.Duration
	want                  simulate.Verdict
	least, most           float64 // seconds until it is back
}{
	"healthy": {worker, "ethernet", busy + "end", 100, 5 * time.Minute, simulate.NoTrigger,
		0, 0},
	"healthy, with a small outage": {worker, "ethernet", busy + "outage from 2 minutes to 122 s\nend", 100,
		5 * time.Minute, simulate.CameBack, 0, 10},
	"few clients, often none at all": {worker, "ethernet", busy + "outage from 2 minutes to 125 s\nend", 5,
		5 * time.Minute, simulate.CameBack, 0, 15},
	"an outage that nobody meets": {worker, "ethernet", busy + "outage from 20 minutes to 22 minutes\nend", 100,
		5 * time.Minute, simulate.NoTrigger, 0, 0},
	"busy": {worker, "ethernet", busy + "outage from 2 minutes to 3 minutes\nend", 100,
		7 * time.Minute, simulate.CameBack, 0, 90},
	"metastable": {worker, "fixed from 1 s", busy + "outage from 2 minutes to 3 minutes\nend",
		100, 7 * time.Minute, simulate.NeverBack, 0, 0},
	"not so if who leaves is removed": {worker, "fixed from 1 s", busy +
		"hangup removes\noutage from 2 minutes to 3 minutes\nend", 100, 7 * time.Minute, simulate.CameBack, 0, 60},
	"nor if nobody waits for long": {worker, "fixed from 1 s", busy +
		"waits at most 1 s\noutage from 2 minutes to 3 minutes\nend", 100, 7 * time.Minute, simulate.CameBack, 0, 60},
	"metastable after a brown-out": {worker, "fixed from 1 s", busy +
		"brownout from 2 minutes to 3 minutes at 20%\nend", 100, 7 * time.Minute, simulate.NeverBack, 0, 0},
	"frozen, and nobody has a limit": {"while true\nget\nsleep 20\nend", "", busy +
		"outage from 2 minutes to 3 minutes freeze\nend", 100, 6 * time.Minute, simulate.CameBack, 0, 30},
	"a black hole, and no limit": {"while true\nget\nsleep 20\nend", "", busy +
		"outage from 2 minutes to 3 minutes hang\nend", 100, 6 * time.Minute, simulate.NeverBack, 0, 0},
	"late: each waits 4 minutes": {once, "fixed from 4 minutes", "server\noutage from 0 s to 261 s\nend", 50,
		20 * time.Minute, simulate.CameBack, 225, 241},
	"all finish": {once, "ethernet", busy + "outage from 0 s to 1 minute\nend", 100, time.Hour,
		simulate.CameBack, 10, 120},
	"all finish before the end of it": {"get", "", busy + "outage from 1 hour to 2 hours\nend", 100,
		90 * time.Minute, simulate.NoTrigger, 0, 0},
	"all give up during it": {"try for 10 s\nget\nend", "", busy + "outage from 0 s to 1 minute\nend", 100,
		time.Hour, simulate.NobodyLeft, 0, 0},
	"half an hour against fifty minutes": {"try for 30 minutes\nget\nend", "",
		"server\nslots 20\ntakes 100 ms\noutage from 0 s to 50 minutes\nend", 500, time.Hour, simulate.NobodyLeft, 0, 0},
	"collapsed without any trigger": {worker, "fixed from 1 s", busy + "end", 200, 5 * time.Minute,
		simulate.Collapsed, 0, 0},
	"all finish during it": {"try for 1 hour each 1 minute\nget\nend", "", busy +
		"brownout from 10 s to 20 minutes at 20%\nend", 30, time.Hour, simulate.DoneBefore, 0, 0},
	"half of them give up during": {"try for 25 s backoff fixed from 5 s\nget\nend", "",
		"server\nslots 20\ntakes 100 ms\noutage from 0 s to 30 s\nend", 100, time.Hour, simulate.ServedRest, 0, 20},
	"workers die in it": {
		"while true\ntry for 30 s each 2 s backoff fixed from 1 s\nget\nend\nsleep 20\nend", "",
		busy + "outage from 2 minutes to 155 s\nend", 100, 7 * time.Minute, simulate.NeverBack, 0, 0},
	"the trigger outlasts it": {worker, "full to 20 s", busy + "outage from 2 minutes to 3 hours\nend", 50,
		time.Hour, simulate.Outlasts, 0, 0},
	"all give up after it, overloaded": {"try for 5 minutes each 2 s backoff fixed from 500 ms\nget\nend", "",
		"server\nslots 1\ntakes 1 s\noutage from 0 s to 1 minute\nend", 60, time.Hour, simulate.NeverBack, 0, 0},
	"overload, fixed": {impatient, "", frozen, 200, 5 * time.Minute, simulate.NeverBack, 0, 0},
	"overload, normal": {
		strings.Replace(impatient, "fixed from 100 ms", "normal from 100 ms to 5 minutes by 2.718", 1), "", frozen, 200,
		5 * time.Minute, simulate.CameBack, 0, 60},
	"stuck from its start": {worker, "fixed from 1 s", busy + "outage from 2 minutes to 3 minutes\nend", 200,
		5 * time.Minute, simulate.NeverWell, 0, 0},
	"cut off too early": {worker, "fixed from 1 s", busy + "outage from 2 minutes to 3 minutes\nend", 100,
		190 * time.Second, simulate.NotYetKnown, 0, 0},
	"an open crowd that drowns": {"try for 1 hour each 5 s backoff full\nget\nend", "",
		"arrivals 5 per second\nserver\nslots 1\ntakes exponential 100 ms\n" +
			"brownout from 5 minutes to 8 minutes at 20%\nend", 9000, 15 * time.Minute, simulate.NeverBack, 0, 0},
	"an open crowd that does not": {"try for 1 hour each 5 s backoff full\nget\nend", "",
		"arrivals 5 per second\nserver\nslots 1\nqueue 5\ntakes exponential 100 ms\n" +
			"brownout from 5 minutes to 6 minutes at 40%\nend", 9000, 15 * time.Minute, simulate.CameBack, 0, 200},
}

// TestVerdict judges crowds of which it is known what becomes of them.
func TestVerdict(t *testing.T) {
	skip.Simulation(t)
	t.Parallel()
	for name, c := range verdictCases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			crowd := simulate.Crowd{Who: simulate.All(load(t, strings.ReplaceAll(c.script, "POLICY", c.policy))),
				World: parseWorld(t, c.world), Clients: c.clients, Start: 20 * time.Second, Until: c.until}
			seeds := uint64(1)
			if skip.Long() {
				seeds = 2
			}
			for seed := range seeds {
				v, after := run(t, crowd, seed).Judge()
				if v != c.want || after < c.least || after > c.most {
					t.Errorf("seed %d: %v, after %v s; want %v, %v to %v s", seed, v, after, c.want, c.least, c.most)
				}
			}
		})
	}
}

// TestFellBack has a server that is well for a minute after its outage, and then has a
// brown-out that SPEC does not know of: more clients.
func TestFellBack(t *testing.T) {
	skip.Simulation(t)
	w := parseWorld(t, "arrivals 5 per second\narrivals 50 per second from 5 minutes\nserver\nslots 1\n"+
		"takes exponential 100 ms\noutage from 1 minute to 70 s\nend")
	who := simulate.All(load(t, "try for 1 hour each 5 s\nget\nend"))
	tally := run(t, simulate.Crowd{Who: who, World: w, Clients: 5000, Until: 7 * time.Minute}, 1)
	if v, _ := tally.Judge(); v != simulate.FellBack {
		t.Errorf("it %v", v)
	}
}

// TestVerdictInWords holds what the report says.
func TestVerdictInWords(t *testing.T) {
	w := parseWorld(t, busy+"outage from 2 minutes to 3 minutes\nend")
	c := simulate.Comparison{Crowd: simulate.Crowd{World: w, Start: 20 * time.Second, Until: 6 * time.Minute}}
	for _, policy := range []string{"ethernet", "fixed from 1 s"} {
		who := simulate.All(load(t, strings.ReplaceAll(worker, "POLICY", policy)))
		c.Variants = append(c.Variants, simulate.Variant{Name: policy, Clients: 100, Who: who})
	}
	report, err := c.Compare(context.Background(), herd.Runs{Seeds: 2, First: 1})
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Verdict) != 2 || !strings.HasPrefix(report.Verdict[0], "Verdict: ethernet: 0 of 100 done; ") ||
		!strings.Contains(report.Verdict[0], "; it came back ") ||
		!strings.HasSuffix(report.Verdict[0], " after the outage.") ||
		!strings.HasSuffix(report.Verdict[1], "; it did not come back after the outage.") {
		t.Errorf("it says: %q", report.Verdict)
	}
}
