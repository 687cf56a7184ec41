package experiment

import (
	"context"
	"math"
	"time"

	"ftsh/backoff"
	"ftsh/cmd/ftshsim/herd"
	"ftsh/cmd/ftshsim/herd/crowd"
	"ftsh/cmd/ftshsim/herd/measure"
	"ftsh/cmd/ftshsim/herd/server"
)

// episode simulates what a crowd does before, during and after the first outage of its server, until that time.
func episode(ctx context.Context, seed uint64, config crowd.Config, spec server.Spec, until time.Duration) run {
	sim := herd.New(seed)
	t := crowd.New(sim, config, spec).Run(ctx, until)
	t.Sent.Cut(t.Until)
	t.Finished.Cut(t.Until)
	t.InFlight.Cut(t.Until)
	var outage server.Outage
	if len(spec.Outages) > 0 {
		outage = spec.Outages[0]
	}
	from, to, one := outage.From, outage.To, &t.PerServer[0]
	recovery, recovered := t.Recovery(0, from, to), 0.0
	if recovery >= 0 {
		recovered = 100
	}
	return run{sim.Events(), map[string]float64{
		"begun": float64(t.Begun), "done": float64(t.Done), "done share": 100 * float64(t.Done) / float64(t.Begun),
		"throughput": float64(t.Done) / t.Until.Seconds(), "recovery": recovery, "recovered": recovered,
		"extension": 1 + recovery/(to-from).Seconds(), "settled": t.Settled(from, to),
		"done before": t.Finished.Between(from/2, from) / (from - from/2).Seconds(),
		"done last":   t.Finished.Between(t.Until-time.Minute, t.Until) / time.Minute.Seconds(),
		"load":        t.Load(), "load meanwhile": t.LoadBetween(from+(to-from)/3, to), "per success": t.PerSuccess(),
		"wasted": 100 * one.Waste(), "idle": 100 * one.Idle.Seconds() / t.Until.Seconds(),
		"most": t.InFlight.Highest(0, t.Until), "median": t.Percentile(50), "p99": t.Percentile(99),
		"fairness": measure.Fairness(t.PerClient),
	}, map[string]*measure.Series{"sent": &t.Sent, "done": &t.Finished, "in flight": &t.InFlight}, nil}
}

// aftermath holds what is worth knowing of an episode.
var aftermath = []quantity{
	{key: "recovery", unit: "s after the outage"},
	{key: "done before", name: "work done before the outage", unit: "/s"},
	{key: "done last", name: "work done in the last minute", unit: "/s"},
	{key: "done share", name: "done of what was begun", unit: "%"},
	{key: "per success", name: "requests per piece of work done"},
	{key: "load", unit: "requests per piece of work"},
	{key: "wasted", unit: "% of the server's work"},
	{key: "idle", unit: "% of the time"},
	{key: "most", name: "most requests in the server, its backlog included"},
	{key: "median", name: "a piece of work takes, median", unit: "s"},
	{key: "p99", name: "99th percentile", unit: "s"},
	{key: "fairness"},
}

// ofPolicy is something that was said of some policies. names are those of the grid.
func ofPolicy(names []string, said map[backoff.Policy]float64) func(name, number int) float64 {
	return func(name, _ int) float64 {
		for p, v := range said {
			if p.String() == names[name] {
				return v
			}
		}
		return math.NaN()
	}
}

func policyNames(list []backoff.Policy) (names []string) {
	for _, p := range list {
		names = append(names, p.String())
	}
	return names
}
