package experiment

import (
	"context"
	"time"

	"ftsh/cmd/ftshsim/herd"
	"ftsh/cmd/ftshsim/herd/crowd"
	"ftsh/cmd/ftshsim/herd/measure"
	"ftsh/cmd/ftshsim/herd/server"
)

// episode is what a crowd does before, during and after the first outage of its server, until that time.
type episode struct {
	clients crowd.Config
	server  server.Spec
	until   time.Duration
}

// episodes simulates an episode for each name with each number.
func episodes(of func(name, number int) episode) func(ctx context.Context, name, number int, seed uint64) run {
	return func(ctx context.Context, name, number int, seed uint64) run {
		return of(name, number).simulate(ctx, seed)
	}
}

func (e episode) simulate(ctx context.Context, seed uint64) run {
	sim := herd.New(seed)
	t := crowd.New(sim, e.clients, e.server).Run(ctx, e.until)
	t.Sent.Cut(t.Until)
	t.Finished.Cut(t.Until)
	t.InFlight.Cut(t.Until)
	var outage server.Outage
	if len(e.server.Outages) > 0 {
		outage = e.server.Outages[0]
	}
	from, to, one := outage.From, outage.To, &t.PerServer[0]
	recovery, recovered := t.Recovery(0, from, to), 0.0
	if recovery >= 0 {
		recovered = 100
	}
	return run{events: sim.Events(), values: map[string]float64{
		"begun": float64(t.Begun), "done": float64(t.Done), "done share": 100 * float64(t.Done) / float64(t.Begun),
		"throughput": float64(t.Done) / t.Until.Seconds(), "recovery": recovery, "recovered": recovered,
		"extension": 1 + recovery/(to-from).Seconds(), "settled": t.Settled(from, to),
		"done before": t.Finished.Between(from/2, from) / (from - from/2).Seconds(),
		"done last":   t.Finished.Between(t.Until-time.Minute, t.Until) / time.Minute.Seconds(),
		"load":        t.Load(), "load meanwhile": t.LoadBetween(from+(to-from)/3, to), "per success": t.PerSuccess(),
		"wasted": 100 * one.Waste(), "idle": 100 * one.Idle.Seconds() / t.Until.Seconds(),
		"most": t.InFlight.Highest(0, t.Until), "median": t.Percentile(50), "p99": t.Percentile(99),
		"fairness": measure.Fairness(t.PerClient),
	}, series: map[string]*measure.Series{"sent": &t.Sent, "done": &t.Finished, "in flight": &t.InFlight}}
}
