package experiment

import (
	"context"
	"time"

	"ftsh/backoff"
	"ftsh/cmd/ftshsim/herd"
	"ftsh/cmd/ftshsim/herd/crowd"
	"ftsh/cmd/ftshsim/herd/spread"
)

// contention is the optimistic writers of AWS 2015: each reads a version and
// writes; the write succeeds if nobody has written in between.
type contention struct {
	Clients  []int            `default:"1,10,20,50,100,150,190,200" range:"1 100000" help:"writers"`
	Policies []backoff.Policy `help:"besides none"`
	Network  spread.Time      `default:"normal 10ms 2ms" help:"delay of a message"`
	Base     time.Duration    `default:"5ms" range:"0s 8760h" help:"the first wait is base·F, as the article counts"`
	_        struct{}         `help:"(decorrelated, fixed: base)"`
	Cap      time.Duration    `default:"2s" range:"0s 8760h" help:"cap M of the waits"`
	Factor   float64          `long:"by" default:"2" range:"0 1000" help:"factor F"`
	Jitter   float64          `default:"0.1" range:"0 1000" help:"J of the policy normal"`
}

// simulate simulates writers by the policy of that number; 0: without any backoff. The article counts attempts from 1,
// so that the first wait is base·F where the shell's would be T.
func (e *contention) simulate(ctx context.Context, policy, writers int, seed uint64) run {
	sim, between := herd.New(seed), atOnce
	if policy > 0 {
		w := waits{Initial: e.Base, Max: e.Cap, Factor: e.Factor}
		p := e.Policies[policy-1]
		if p != backoff.Decorrelated && p != backoff.Fixed {
			w.Initial = time.Duration(float64(e.Base) * e.Factor)
		}
		between = w.with(p)
		between.Jitter = trueZero(e.Jitter)
	}
	version, writes := 0, 0
	write := func(c *crowd.Client) bool {
		cross := func() { c.Sleep(e.Network.Draw(sim.Dice())) } // the network
		cross()
		read := version
		cross()
		cross()
		written := read == version
		if writes++; written {
			version++
		}
		cross()
		return written
	}
	t := crowd.New(sim, crowd.Config{Clients: writers, Once: true, Layers: []crowd.Layer{{Backoff: between}},
		Attempt: write}).Run(ctx, herd.Horizon-1)
	return run{events: t.Events, values: map[string]float64{
		"writes": float64(writes), "time": t.Percentile(100) * 1000}}
}

func (e *contention) studies() []study {
	return []study{{part: "writers", names: append([]string{"none"}, namesOf(e.Policies)...),
		along: numbersOf("%d", e.Clients),
		run:   func(ctx context.Context, p, n int, seed uint64) run { return e.simulate(ctx, p, e.Clients[n], seed) }}}
}
