package simulate_test

import (
	"math"
	"testing"
	"time"

	"ftsh/cmd/ftshsim/herd/measure"
	"ftsh/cmd/ftshsim/simulate"
)

// TestLayersMultiply has three layers make four attempts each, and the innermost server fail:
// 4 · 4 · 4 requests reach it for one piece of work.
func TestLayersMultiply(t *testing.T) {
	w := parseWorld(t, "server front\ncalls middle\nattempts 4\nbackoff fixed from 1 s\nend\nend\n"+
		"server middle\ncalls back\nattempts 4\nbackoff fixed from 100 ms\nend\nend\nserver back\nfailure 100%\nend")
	tally := run(t, simulate.Crowd{Who: simulate.All(load(t, "try 4 times backoff fixed from 10 s\nget front\nend")),
		World: w, Clients: 10}, 1)
	for n, want := range []int{40, 160, 640} {
		if got := tally.PerServer[n].Requests; got != want {
			t.Errorf("server %d: %d requests, want %d", n, got, want)
		}
	}
	// each innermost try lasts 300 ms, each of the middle one 4·300 ms + 3·1 s, and the script's 4 of these + 3·10 s
	same(t, "finished", tally.Done, 0)
	same(t, "errors that clients saw", tally.Errors, 40)
	same(t, "until", tally.Until, 4*(4*300*time.Millisecond+3*time.Second)+30*time.Second)
}

// TestOutageBehind tells of those who were in trouble because of a server that they do not
// call themselves.
func TestOutageBehind(t *testing.T) {
	w := parseWorld(t, "server front\ntakes 100 ms\ncalls back\nend\nend\nserver back\ntakes 100 ms\n"+
		"outage from 0 s to 10 s\nend")
	tally := run(t, simulate.Crowd{Who: simulate.All(load(t,
		"try for 1 minute backoff fixed from 1 s\nget front\nend")), World: w, Clients: 30}, 1)
	// each attempt fails after 101 ms: the tenth begins at 9.909 s, and meets the end at 10.009
	same(t, "served after the outage", tally.Outages[0].Served, 0.109)
	same(t, "requests of the server behind", tally.PerServer[1].Requests, 300)
	same(t, "finished", tally.Done, 30)
}

// TestBrownout has a server that takes 1 s for one request at a time work at half of its
// speed from 10 s to 30 s: ten are done in that time, and 60 by 70 s.
func TestBrownout(t *testing.T) {
	w := parseWorld(t, "server\nslots 1\ntakes 1 s\nbrownout from 10 s to 30 s at 50 percent\nend")
	tally := run(t, simulate.Crowd{Who: simulate.All(load(t, "get")), World: w, Clients: 60}, 1)
	same(t, "the last", tally.Until, 70*time.Second)
	done := &tally.Answered
	same(t, "before", done.Between(0, 10*time.Second+1), 10)
	same(t, "meanwhile", done.Between(10*time.Second+1, 30*time.Second+1), 10)
	same(t, "after", done.Between(30*time.Second+1, 70*time.Second+1), 40)
}

// TestLimit has 45 clients share 10 requests a minute. Who asks again each second is turned
// away all the time, and those who go by the server's Retry-After come back when they may.
func TestLimit(t *testing.T) {
	w := parseWorld(t, "server\nlimit 10 per minute\nlimited status 22\nend")
	stubborn := run(t, simulate.Crowd{Who: simulate.All(load(t, "try for 1 hour backoff fixed from 1 s\nget\nend")),
		World: w, Clients: 45}, 1)
	// each attempt that is turned away takes 1 ms: in a minute there are 60 of each client that is left
	same(t, "turned away by the limit", stubborn.Limited, 60*(35+25+15+5))
	polite := "try for 1 hour backoff fixed from 1 s\ntry\nget -D headers\ncatch\nretryafter -f headers\nfailure\nend\nend"
	tally := run(t, simulate.Crowd{Who: simulate.All(load(t, polite)), World: w, Clients: 45}, 1)
	same(t, "turned away by the limit, with Retry-After", tally.Limited, 35+25+15+5)
	same(t, "until", tally.Until.Round(time.Second), 4*time.Minute)
	same(t, "finished", tally.Done, 45)
	same(t, "turned away otherwise", tally.Refused, 0)
}

// TestArrivals is a queue of theory (M/M/1): 5 clients a second come to a server that does
// 10. The time from arrival to answer is exponentially distributed with mean 1/(10 − 5).
func TestArrivals(t *testing.T) {
	w := parseWorld(t, "arrivals 5 per second\nserver\nslots 1\ntakes exponential 100 ms\nend")
	var median, p95, last measure.Sample
	for seed := range uint64(5) {
		tally := run(t, simulate.Crowd{Who: simulate.All(load(t, "get")), World: w, Clients: 5000}, seed)
		median, p95 = append(median, tally.Percentile(50)), append(p95, tally.Percentile(95))
		last = append(last, tally.Until.Seconds())
	}
	for what, c := range map[string]struct {
		got  measure.Sample
		want float64
	}{"median": {median, 0.2 * math.Ln2}, "95 %": {p95, 0.2 * math.Log(20)}, "the last arrival": {last, 1000}} {
		if math.Abs(c.got.Mean()/c.want-1) > 0.1 {
			t.Errorf("%s: %v, want %v", what, c.got, c.want)
		}
	}
}

// TestArrivalsChange counts those who come at changing rates, and leaves out who would come
// after the end.
func TestArrivalsChange(t *testing.T) {
	w := parseWorld(t, "arrivals 0 per second\narrivals 10 per second from 10 s\narrivals 0 per second from 110 s\n"+
		"arrivals 1 per second from 10 minutes\nserver\nend")
	crowd := simulate.Crowd{Who: simulate.All(load(t, "get")), World: w, Clients: 100_000, Until: 20 * time.Minute}
	tally := run(t, crowd, 1)
	for what, c := range map[string]struct {
		from, to time.Duration
		want     float64
	}{"before": {0, 10 * time.Second, 0}, "burst": {10 * time.Second, 110 * time.Second, 1000}, "pause": {
		110 * time.Second, 10 * time.Minute, 0}, "end": {10 * time.Minute, 20 * time.Minute, 600}} {
		if got := tally.Sent.Between(c.from, c.to); math.Abs(got-c.want) > 3*math.Sqrt(c.want) {
			t.Errorf("%s: %v came, want about %v", what, got, c.want)
		}
	}
	same(t, "clients", tally.Wanted, tally.Begun)
	same(t, "running", tally.Running, 0)
}

// TestMixed has a quarter of the clients run another script: each part is counted by itself.
func TestMixed(t *testing.T) {
	w := parseWorld(t, "server old\ntakes 2 s\nend\nserver new\ntakes 1 s\nend")
	crowd := simulate.Crowd{World: w, Clients: 40, Who: []simulate.Part{
		{Name: "old", Script: load(t, "get old\nget old"), Share: 75},
		{Name: "new", Script: load(t, "get new", "x"), Share: 25}}}
	tally := run(t, crowd, 1)
	for n, want := range []simulate.PartTally{{Wanted: 30, Done: 30, Requests: 60, Good: 60},
		{Wanted: 10, Done: 10, Requests: 10, Good: 10}} {
		got := tally.Parts[n]
		took := got.Took
		if got.Took = nil; got.Wanted != want.Wanted || got.Done != want.Done || got.Requests != want.Requests ||
			got.Good != want.Good {
			t.Errorf("part %d: %+v, want %+v", n, got, want)
		}
		if median := took.Percentile(50, 0); median != []float64{4, 1}[n] {
			t.Errorf("part %d: median %v", n, median)
		}
		same(t, "requests of the server", tally.PerServer[n].Requests, want.Requests)
	}
}
