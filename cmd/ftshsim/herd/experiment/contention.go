package experiment

import (
	"context"
	"time"

	"ftsh/backoff"
	"ftsh/cmd/ftshsim/herd"
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

// writers is a simulation of them.
type writers struct {
	contention
	none    bool // no backoff at all
	sim     *herd.Sim
	writers []writer
	version uint32
	left    int
	writes  int
	took    time.Duration  // until all had written
	calls   measure.Series // writes that reach the server, by time
}

type writer struct {
	loop backoff.Loop
	read uint32 // the version
}

// What of the events.
const (
	versionAsked uint32 = iota // at the server
	versionRead                // back at the client
	writeAsked                 // at the server
	writeLost                  // back at the client
)

// articleBackoff returns what the article's simulator does: it counts attempts from 1, so
// that the first wait is base·F where the shell's would be T.
func (c contention) articleBackoff(p backoff.Policy) backoff.Backoff {
	initial := c.Base
	if p != backoff.Decorrelated && p != backoff.Fixed {
		initial = time.Duration(float64(initial) * c.Factor)
	}
	return backoff.Backoff{
		Policy: p, Initial: trueZero(initial), Max: trueZero(c.Cap), Factor: trueZero(c.Factor), Jitter: trueZero(c.Jitter)}
}

// simulateWriters simulates that many writers. Without a policy there is no backoff.
func (c contention) simulateWriters(ctx context.Context, policy *backoff.Policy, clients int, seed uint64) *writers {
	w := &writers{contention: c, none: policy == nil, sim: herd.New(seed), writers: make([]writer, clients), left: clients}
	w.calls.Every = 100 * time.Millisecond
	plan := backoff.Plan{Deadline: backoff.Never, Attempts: backoff.Unlimited}
	if policy != nil {
		plan.Backoff = c.articleBackoff(*policy)
	}
	for who := range w.writers {
		w.writers[who].loop = backoff.NewLoop(plan, w.sim.Dice())
		w.writers[who].loop.Begin(0)
		w.sendOver(uint32(who), 0, versionAsked)
	}
	_ = w.sim.Run(ctx, w, herd.Horizon-1)
	return w
}

// sendOver sends something over the network, after a wait.
func (w *writers) sendOver(who uint32, wait time.Duration, what uint32) {
	w.sim.After(wait+w.Network.Draw(w.sim.Dice()), herd.Event{Who: who, What: what})
}

// Happen implements [herd.World].
func (w *writers) Happen(e herd.Event) {
	me := &w.writers[e.Who]
	switch e.What {
	case versionAsked:
		me.read = w.version
		w.sendOver(e.Who, 0, versionRead)
	case versionRead:
		w.sendOver(e.Who, 0, writeAsked)
	case writeAsked:
		w.writeToServer(e.Who, me)
	case writeLost:
		w.beginAgain(e.Who, me)
	}
}

// writeToServer is a write that reaches the server.
func (w *writers) writeToServer(who uint32, me *writer) {
	w.writes++
	w.calls.Add(w.sim.Now(), 1)
	if me.read != w.version {
		w.sendOver(who, 0, writeLost)
		return
	}
	w.version++
	if w.left--; w.left == 0 {
		w.took = w.sim.Now() + w.Network.Draw(w.sim.Dice()) // when its client hears of it
	}
}

// beginAgain begins again from the reading of the version, after a wait.
func (w *writers) beginAgain(who uint32, me *writer) {
	wait := time.Duration(0)
	if !w.none {
		at, _ := me.loop.Failed(w.sim.Now(), 0)
		wait = at - w.sim.Now()
		me.loop.Begin(at)
	}
	w.sendOver(who, wait, versionAsked)
}
