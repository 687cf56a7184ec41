package simulate

import (
	"slices"
	"time"

	"ftsh/ast"
	"ftsh/backoff"
	"ftsh/cmd/ftshsim/herd"
)

// task is something that a script does beside others.
type task struct {
	work  func()
	on    *helper     // on whose stack it runs; nil: it has not begun
	ready func() bool // says when it can go on; nil: now
	at    time.Duration
	ended bool
}

// tasks are those of a client, in the order in which they were begun.
type tasks struct {
	sim     *simulation
	client  uint32
	list    []*task
	current *task
	steps   int // since the time went on
	when    time.Duration
	at      ast.Pos // the statement that runs
}

// Go implements [world.Time].
func (t *tasks) Go(run func()) { t.list = append(t.list, &task{work: run}) }

// Await implements [world.Time].
func (t *tasks) Await(until time.Duration, ready func() bool) {
	if ready() || t.sim.virtualTime() >= until {
		return
	}
	if until < backoff.Never {
		t.sim.At(until, herd.Event{Who: t.client, What: stir})
	}
	t.current.at, t.current.ready = until, ready
	t.current.on.yield()
}

// Step implements [world.Time].
func (t *tasks) Step(pos ast.Pos) {
	t.at = pos
	if now := t.sim.virtualTime(); now != t.when {
		t.when, t.steps = now, 0
	}
	if t.steps++; t.steps > t.sim.patience {
		t.sim.stopRunaway(pos)
	}
}

// runTasks lets tasks go on until all of them wait.
func (t *tasks) runTasks() {
	for again := true; again; {
		again = false
		for i := 0; i < len(t.list); i++ { // it may grow
			if next := t.list[i]; t.canGoOn(next) {
				again = true
				t.proceed(next)
			}
		}
		t.list = slices.DeleteFunc(t.list, func(t *task) bool { return t.ended })
	}
}

// proceed lets a task go on until it waits or has ended.
func (t *tasks) proceed(next *task) {
	t.current, next.ready = next, nil
	if next.on == nil {
		next.on = t.sim.stacks.borrow()
		next.on.begin(next.work)
	}
	if !next.on.goOn() {
		t.sim.stacks.giveBack(next.on)
		next.ended = true
	}
}

// canGoOn reports whether a task can go on.
func (t *tasks) canGoOn(next *task) bool {
	return !next.ended && (next.ready == nil || t.sim.virtualTime() >= next.at || next.ready())
}
