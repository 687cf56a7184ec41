package simulate_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"ftsh/cmd/ftshsim/herd/measure"
	"ftsh/cmd/ftshsim/simulate"
	"ftsh/testdata/skip"
)

// erlangB is the share of calls that find all of n servers busy, where they are turned away then, at a load of a.
func erlangB(n int, a float64) float64 {
	b := 1.0
	for k := 1; k <= n; k++ {
		b = a * b / (float64(k) + a*b)
	}
	return b
}

// erlangC is the share of calls that wait, where they do so.
func erlangC(n int, a float64) float64 {
	b := erlangB(n, a)
	return b / (1 - a/float64(n)*(1-b))
}

// lossOf is the share that is turned away where n are served and no more than all are there.
func lossOf(n, all int, a float64) float64 {
	sum, p := 0.0, 1.0
	for k := 0; k <= all; k++ {
		if k > 0 {
			p *= a / float64(min(k, n))
		}
		sum += p
	}
	return p / sum
}

// behindPK is the mean wait of Pollaczek and Khinchine: of one server, for the rate of arrivals and the first two
// moments of the times of service.
func behindPK(rate, mean, square float64) float64 { return rate * square / (2 * (1 - rate*mean)) }

// theory holds what is known of a queue; what is NaN is not checked. Times are in seconds.
type theory struct {
	mean, median, p95, p99 float64
	lost                   float64 // share that is turned away
	used                   float64 // percent
	line                   float64 // mean
}

// holds compares it with what many runs have given, by name.
func (th theory) holds(t *testing.T, got map[string]measure.Sample) {
	t.Helper()
	for name, want := range map[string]float64{"mean": th.mean, "median": th.median, "95 %": th.p95, "99 %": th.p99,
		"lost": th.lost, "used": th.used, "in line": th.line} {
		s := got[name]
		// Twice the interval of 95 %, and half a percent for the empty queue at the start.
		if off := math.Abs(s.Mean() - want); !math.IsNaN(want) && off > 2*s.Half()+0.005*want {
			t.Errorf("%s: %.4g ±%.2g, theory says %.4g", name, s.Mean(), s.Half(), want)
		}
	}
}

// TestTheory holds runs against closed formulas, within what chance explains.
func TestTheory(t *testing.T) {
	skip.Simulation(t)
	t.Parallel()
	nan := math.NaN()
	const sigma = 0.8 // of a lognormal time whose median is 100 ms
	p99 := 0.1 * math.Exp(2.326348*sigma)
	mean, square := 0.1*math.Exp(sigma*sigma/2), 0.01*math.Exp(2*sigma*sigma)
	exponential := func(rate float64) theory { // the time in an M/M/1
		q := func(p float64) float64 { return -math.Log(1-p) / rate }
		return theory{1 / rate, q(0.5), q(0.95), q(0.99), 0, nan, nan}
	}
	mm1 := exponential(10 - 8)
	mm1.used, mm1.line = 80, 0.8*0.8/0.2
	c := erlangC(5, 4)
	for _, q := range []struct {
		name, server string
		rate         int // arrivals per 10 s
		want         theory
	}{
		{"M/M/1", "slots 1\ntakes exponential 100 ms", 80, mm1},
		{"M/M/5", "slots 5\ntakes exponential 100 ms", 400,
			theory{0.1 + c/(50-40), nan, nan, nan, 0, 80, 40 * c / (50 - 40)}},
		{"Erlang B, 5 slots", "slots 5\nqueue 0\ntakes exponential 100 ms", 400,
			theory{0.1, 0.1 * math.Ln2, 0.1 * math.Log(20), 0.1 * math.Log(100), erlangB(5, 4), 80 * (1 - erlangB(5, 4)), 0}},
		{"Erlang B, 50 slots", "slots 50\nqueue 0\ntakes exponential 1 s", 450,
			theory{1, math.Ln2, math.Log(20), math.Log(100), erlangB(50, 45), 90 * (1 - erlangB(50, 45)), 0}},
		{"M/M/5/15", "slots 5\nqueue 10\ntakes exponential 100 ms", 600,
			theory{nan, nan, nan, nan, lossOf(5, 15, 6), 120 * (1 - lossOf(5, 15, 6)), nan}},
		{"M/D/1", "slots 1\ntakes 100 ms", 70,
			theory{0.1 + behindPK(7, 0.1, 0.01), nan, nan, nan, 0, 70, 7 * behindPK(7, 0.1, 0.01)}},
		{"M/LN/1", fmt.Sprintf("slots 1\ntakes lognormal 100 ms %v", time.Duration(p99*1e9)), 40,
			theory{mean + behindPK(4, mean, square), nan, nan, nan, 0, 400 * mean, 4 * behindPK(4, mean, square)}},
	} {
		t.Run(q.name, func(t *testing.T) {
			t.Parallel()
			w := parseWorld(t, fmt.Sprintf("arrivals %d per 10 s\nserver\n%s\nend", q.rate, q.server))
			crowd := simulate.Crowd{Who: simulate.All(load(t, "get")), World: w, Clients: 6000, Until: 10 * time.Hour}
			got := map[string]measure.Sample{}
			for seed := range uint64(8) {
				tally := run(t, crowd, seed+1)
				seconds := tally.Until.Seconds()
				add := func(name string, v float64) { got[name] = append(got[name], v) }
				add("mean", tally.Answers.Mean())
				add("median", tally.Answers.Percentile(50))
				add("95 %", tally.Answers.Percentile(95))
				add("99 %", tally.Answers.Percentile(99))
				add("lost", float64(tally.Refused)/float64(tally.Requests))
				add("used", 100*tally.PerServer[0].Used/(float64(w.Servers[0].Spec.Slots)*seconds))
				add("in line", tally.PerServer[0].Line/seconds)
			}
			q.want.holds(t, got)
		})
	}
}
