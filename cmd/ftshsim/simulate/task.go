package simulate

import (
	"iter"
	"slices"
	"time"

	"ftsh/ast"
	"ftsh/ast/diag"
	"ftsh/backoff"
	"ftsh/cmd/ftshsim/herd"
)

// task is something that a script does beside others.
type task struct {
	work  func()
	on    *stack      // nil: it has not begun
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
	t.current.on.yield(true)
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
		ended := false
		for i := 0; i < len(t.list); i++ { // it may grow
			next := t.list[i]
			if next.ended || next.ready != nil && t.sim.virtualTime() < next.at && !next.ready() {
				continue
			}
			again = true
			t.current, next.ready = next, nil
			next.ended = !t.sim.stacks.goOn(next)
			ended = ended || next.ended
		}
		if ended {
			t.list = slices.DeleteFunc(t.list, func(t *task) bool { return t.ended })
		}
	}
}

// stack is a coroutine that runs one task after the other: so there are as many stacks as tasks are in the middle of
// something, and not one for each client. (With a [herd.Process] as one, whose frames lie deeper, runs took a sixth
// more memory and time.)
type stack struct {
	work   func()
	resume func() (waits, more bool) // waits is false when the work is done
	yield  func(waits bool) bool     // to be called by the work to wait
	stop   func()
}

// stacks are those that nobody uses.
type stacks []*stack

// goOn lets a task go on until it waits; false: it has ended.
func (s *stacks) goOn(next *task) bool {
	if next.on == nil {
		next.on = s.borrow()
		next.on.work = next.work
	}
	waits, _ := next.on.resume()
	if !waits {
		*s = append(*s, next.on)
	}
	return waits
}

// borrow returns a stack that nobody uses.
func (s *stacks) borrow() *stack {
	if n := len(*s); n > 0 {
		lent := (*s)[n-1]
		*s = (*s)[:n-1]
		return lent
	}
	lent := &stack{}
	lent.resume, lent.stop = iter.Pull(func(yield func(bool) bool) {
		lent.yield = yield
		for yield(false) {
			lent.work()
			lent.work = nil
		}
	})
	lent.resume()
	return lent
}

// Runaway is a script that runs on and on while no time passes.
type Runaway struct {
	Where *diag.Error // it was found
}

// Error says what can be done, and Text shows the line, too.
func (r *Runaway) Error() string { return r.Where.Error() }
func (r *Runaway) Text() string  { return r.Where.Text() }

// stopRunaway stops everything, since a client lets no time pass.
func (s *simulation) stopRunaway(pos ast.Pos) {
	if s.err == nil {
		s.err = &Runaway{diag.Errorf(pos, "%d statements and turns of loops have run up to here without any time "+
			"passing, and it would never end; let the loop sleep, or let SPEC say how long its commands take", s.patience)}
		s.patience = 1000 // for whoever does the same while cleaning up
		s.stop()
	}
	s.endScripts(true)
}
