package simulate

import (
	"iter"
	"slices"
	"time"

	"ftsh/ast"
	"ftsh/backoff"
	"ftsh/cmd/ftshsim/herd"
)

// task is something that a script does beside others: a coroutine.
type task struct {
	resume func() (struct{}, bool)
	yield  func(struct{}) bool
	ready  func() bool // says when it can go on; nil: now
	at     time.Duration
	ended  bool
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
	begun := &task{}
	begun.resume, _ = iter.Pull(func(yield func(struct{}) bool) {
		begun.yield = yield
		run()
	})
	t.list = append(t.list, begun)
}

// Until implements [interp.Conductor].
func (t *tasks) Until(at time.Duration, ready func() bool) {
	if ready() || t.sim.time() >= at {
		return
	}
	if at < backoff.Never {
		t.sim.At(at, herd.Event{Who: t.client, What: stir})
	}
	waiting := t.current
	waiting.at, waiting.ready = at, ready
	waiting.yield(struct{}{})
	waiting.ready = nil
}

// Step implements [interp.Conductor].
func (t *tasks) Step(pos ast.Pos) {
	t.at = pos
	if now := t.sim.time(); now != t.when {
		t.when, t.steps = now, 0
	}
	if t.steps++; t.steps > t.sim.patience {
		t.sim.runaway(t.client, pos)
	}
}

// turn lets tasks go on until all of them wait.
func (t *tasks) turn() {
	for again := true; again; {
		again = false
		for i := 0; i < len(t.list); i++ { // it may grow
			if next := t.list[i]; t.can(next) {
				again = true
				t.current = next
				_, more := next.resume()
				next.ended = !more
			}
		}
		t.list = slices.DeleteFunc(t.list, func(t *task) bool { return t.ended })
	}
}

// can reports whether a task can go on.
func (t *tasks) can(next *task) bool {
	return !next.ended && (next.ready == nil || t.sim.time() >= next.at || next.ready())
}
