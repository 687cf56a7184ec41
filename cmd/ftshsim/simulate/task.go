package simulate

import (
	"context"
	"iter"
	"slices"
	"time"

	"ftsh/ast"
	"ftsh/backoff"
	"ftsh/cmd/ftshsim/herd"
)

// task is something that a script does beside others: a coroutine.
type task struct {
	resume func() (waits, more bool)
	yield  func(waits bool) bool
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
	begun.resume, _ = iter.Pull(func(yield func(bool) bool) {
		begun.yield = yield
		run()
	})
	t.list = append(t.list, begun)
}

// helper is a coroutine that tasks borrow: it makes one attempt after the other.
type helper struct {
	ctx     context.Context
	number  int
	attempt func(ctx context.Context, number int) backoff.Outcome
	outcome backoff.Outcome
	resume  func() (waits, more bool) // false: the attempt has ended
	yield   func(waits bool) bool
	stop    func()
}

// Attempt implements [interp.Conductor]: the task goes on in a helper until the attempt has ended. That takes 8 KB of
// stack. What is left of a client that waits for the next one has room in 4 KB, and a million of them wait.
func (t *tasks) Attempt(ctx context.Context, number int,
	attempt func(context.Context, int) backoff.Outcome) backoff.Outcome {
	task, lent := t.current, t.sim.borrow()
	outer := task.yield
	lent.ctx, lent.number, lent.attempt, task.yield = ctx, number, attempt, lent.yield
	for waits, _ := lent.resume(); waits; waits, _ = lent.resume() {
		outer(true)
	}
	task.yield = outer
	outcome := lent.outcome
	lent.ctx, lent.attempt, lent.outcome = nil, nil, backoff.Outcome{}
	t.sim.idle = append(t.sim.idle, lent)
	return outcome
}

// borrow returns a helper that nobody has.
func (s *simulation) borrow() *helper {
	if n := len(s.idle); n > 0 {
		lent := s.idle[n-1]
		s.idle = s.idle[:n-1]
		return lent
	}
	h := &helper{}
	h.resume, h.stop = iter.Pull(func(yield func(bool) bool) {
		h.yield = yield
		for yield(false) {
			h.outcome = h.attempt(h.ctx, h.number)
		}
	})
	h.resume()
	return h
}

// dismiss ends the helpers.
func (s *simulation) dismiss() {
	for _, h := range s.idle {
		h.stop()
	}
}

// Until implements [interp.Conductor].
func (t *tasks) Until(at time.Duration, ready func() bool) {
	if ready() || t.sim.virtualTime() >= at {
		return
	}
	if at < backoff.Never {
		t.sim.At(at, herd.Event{Who: t.client, What: stir})
	}
	waiting := t.current
	waiting.at, waiting.ready = at, ready
	waiting.yield(true)
	waiting.ready = nil
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
				t.current = next
				_, more := next.resume()
				next.ended = !more
			}
		}
		t.list = slices.DeleteFunc(t.list, func(t *task) bool { return t.ended })
	}
}

// canGoOn reports whether a task can go on.
func (t *tasks) canGoOn(next *task) bool {
	return !next.ended && (next.ready == nil || t.sim.virtualTime() >= next.at || next.ready())
}
