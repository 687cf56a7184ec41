package simulate

import (
	"context"
	"slices"
	"time"

	"ftsh/ast"
	"ftsh/backoff"
	"ftsh/cmd/ftshsim/herd"
)

// task is something that a script does beside others.
type task struct {
	work  func()      // begins it or goes on with it, on a helper, up to its end or to a wait that needs no stack
	on    *helper     // in the middle of which it waits; nil: of none
	yield func()      // of the innermost of the helpers that it has
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

// Go implements [interp.Conductor].
func (t *tasks) Go(run func()) {
	t.add(func() (time.Duration, bool) {
		run()
		return 0, true
	})
}

// add adds a task. proceed begins it or goes on with it, and returns whether it has ended, or else until when it waits
// without anything of it on a stack.
func (t *tasks) add(proceed func() (until time.Duration, ended bool)) {
	added := &task{}
	added.work = func() {
		var until time.Duration
		if until, added.ended = proceed(); !added.ended {
			t.waitFor(until, t.sim.isCancelled)
		}
	}
	t.list = append(t.list, added)
}

// Attempt implements [interp.Conductor]: the task goes on in a helper until the attempt has ended. That takes 8 KB of
// stack. What is left of a task that waits for the next one mostly has room in 4 KB.
func (t *tasks) Attempt(ctx context.Context, number int,
	attempt func(context.Context, int) backoff.Outcome) (outcome backoff.Outcome) {
	task, lent := t.current, t.sim.attempts.borrow()
	outer := task.yield
	task.yield = lent.yield
	lent.begin(func() { outcome = attempt(ctx, number) })
	for lent.goOn() {
		outer()
	}
	task.yield = outer
	t.sim.attempts.giveBack(lent)
	return outcome
}

// Until implements [interp.Conductor].
func (t *tasks) Until(at time.Duration, ready func() bool) {
	if ready() || t.sim.virtualTime() >= at {
		return
	}
	t.waitFor(at, ready)
	t.current.yield()
}

// waitFor has the task that runs go on at that time, or when ready says so.
func (t *tasks) waitFor(at time.Duration, ready func() bool) {
	if at < backoff.Never {
		t.sim.At(at, herd.Event{Who: t.client, What: stir})
	}
	t.current.at, t.current.ready = at, ready
}

// Step implements [interp.Conductor].
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
		next.yield = next.on.yield
		next.on.begin(next.work)
	}
	if !next.on.goOn() {
		t.sim.stacks.giveBack(next.on)
		next.on, next.yield = nil, nil
	}
}

// canGoOn reports whether a task can go on.
func (t *tasks) canGoOn(next *task) bool {
	return !next.ended && (next.ready == nil || t.sim.virtualTime() >= next.at || next.ready())
}
