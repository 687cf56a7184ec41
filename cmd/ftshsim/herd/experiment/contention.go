package experiment

import (
	"time"

	"ftsh/backoff"
	"ftsh/cmd/ftshsim/herd"
	"ftsh/cmd/ftshsim/herd/crowd"
	"ftsh/cmd/ftshsim/herd/measure"
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

func (e *contention) studies() []study {
	return []study{{part: "writers", names: append([]string{"none"}, namesOf(e.Policies)...),
		along: numbersOf("%d", e.Clients), of: e.episode}}
}

// episode is writers by the policy of that number; 0: without any backoff.
func (e *contention) episode(policy, n int, sim *herd.Sim) episode {
	version, writes := 0, 0.0
	cross := func(c *crowd.Client) { c.Sleep(e.Network.Draw(sim.Dice())) } // the network
	write := func(c *crowd.Client) bool {
		cross(c)
		read := version
		cross(c)
		cross(c)
		written := read == version
		if writes++; written {
			version++
		}
		cross(c)
		return written
	}
	return episode{until: herd.Horizon - 1, clients: crowd.Config{Clients: e.Clients[n], Once: true, Attempt: write,
		Layers: []crowd.Layer{{Backoff: e.backoff(policy)}}}, measure: func(t *measure.Tally, one *run) {
		one.values["writes"], one.values["time"] = writes, t.Percentile(100)*1000
	}}
}

// backoff is the policy of that number. The article counts attempts from 1, so that the first wait is base·F where the
// shell's would be T.
func (e *contention) backoff(policy int) backoff.Backoff {
	if policy == 0 {
		return atOnce
	}
	w, p := waits{Initial: e.Base, Max: e.Cap, Factor: e.Factor}, e.Policies[policy-1]
	if p != backoff.Decorrelated && p != backoff.Fixed {
		w.Initial = time.Duration(float64(e.Base) * e.Factor)
	}
	b := w.with(p)
	b.Jitter = trueZero(e.Jitter)
	return b
}
