package experiment

import (
	"context"
	"time"

	"ftsh/backoff"
	"ftsh/cmd/ftshsim/herd"
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
	sim := herd.New(seed)
	defer sim.Close()
	plan := backoff.Plan{Deadline: backoff.Never, Attempts: backoff.Unlimited}
	if policy > 0 {
		w := waits{Initial: e.Base, Max: e.Cap, Factor: e.Factor}
		p := e.Policies[policy-1]
		if p != backoff.Decorrelated && p != backoff.Fixed {
			w.Initial = time.Duration(float64(e.Base) * e.Factor)
		}
		plan.Backoff = w.with(p)
		plan.Backoff.Jitter = trueZero(e.Jitter)
	}
	version, left, writes, took := 0, writers, 0, time.Duration(0)
	for range writers {
		sim.Go(func(p *herd.Process) {
			loop := backoff.NewLoop(plan, sim.Dice())
			loop.Begin(0)
			cross := func(wait time.Duration) { p.Sleep(wait + e.Network.Draw(sim.Dice())) } // the network
			for wait := time.Duration(0); ; {
				cross(wait)
				read := version
				cross(0)
				cross(0)
				if writes++; read == version {
					break
				}
				cross(0)
				if policy > 0 {
					at, _ := loop.Failed(sim.Now(), 0)
					loop.Begin(at)
					wait = at - sim.Now()
				}
			}
			version++
			if left--; left == 0 {
				took = sim.Now() + e.Network.Draw(sim.Dice()) // when its client hears of it
			}
		})
	}
	_ = sim.Run(ctx, nil, herd.Horizon-1)
	return run{events: sim.Events(), values: map[string]float64{
		"writes": float64(writes), "time": float64(took) / float64(time.Millisecond)}}
}

func (e *contention) studies() []study {
	return []study{{part: "writers", names: append([]string{"none"}, namesOf(e.Policies)...),
		along: numbersOf("%d", e.Clients),
		run:   func(ctx context.Context, p, n int, seed uint64) run { return e.simulate(ctx, p, e.Clients[n], seed) }}}
}
