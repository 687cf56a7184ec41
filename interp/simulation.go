package interp

import (
	"context"
	"sync"
	"time"

	"ftsh/ast"
	"ftsh/backoff"
	"ftsh/interp/event"
)

// waitUntil waits for what somebody else does, where a Conductor decides who does
// something. What then waits for the same does not block any more.
func (r *Runner) waitUntil(at time.Duration, ready func() bool) {
	if r.Conductor != nil {
		r.Conductor.Until(at, ready)
	}
}

// wallClock is the date and time: where a Conductor decides about time, that since the
// beginning of 1970.
func (r *Runner) wallClock() time.Time {
	if r.Conductor != nil {
		return time.Unix(0, int64(r.clock.Now()))
	}
	return time.Now()
}

// stepSimulation announces a statement or a turn of a loop.
func (r *Runner) stepSimulation(pos ast.Pos) {
	if r.Conductor != nil {
		r.Conductor.Step(pos)
	}
}

// spawnBranch runs something on a goroutine of its own, or as a Conductor does.
func (r *Runner) spawnBranch(run func()) {
	if r.Conductor != nil {
		r.Conductor.Go(run)
		return
	}
	go run()
}

// attempt makes the attempt of a try with that number. The context is the one outside of the try.
type attempt = func(ctx context.Context, number int) backoff.Outcome

// conducted has a Conductor make the attempts: a try that waits for the next one holds little then.
func (r *Runner) conducted(make attempt) attempt {
	if r.Conductor == nil {
		return make
	}
	return func(ctx context.Context, number int) backoff.Outcome { return r.Conductor.Attempt(ctx, number, make) }
}

// company counts what runs beside a statement, which waits for all of it.
type company struct {
	wg    sync.WaitGroup
	under int // what has not ended; counted where there is a Conductor
}

func (c *company) start(r *Runner, run func()) {
	switch {
	case r.durable.IsDry(): // nothing waits in it
		run()
	case r.Conductor == nil:
		c.wg.Go(run)
	default:
		c.under++
		r.Conductor.Go(func() {
			run()
			c.under--
		})
	}
}

func (c *company) wait(r *Runner) {
	r.waitUntil(backoff.Never, func() bool { return c.under == 0 })
	c.wg.Wait()
}

// A Course is a script that runs in parts: while an outermost try waits for its next attempt, nothing of the script is
// on a stack. Of a million simulated clients nearly all wait there, and a stack for each would take most of the memory.
type Course struct {
	ctx    context.Context
	frame  *frame
	body   *ast.Group
	next   int           // the statement that is to run, or is under way
	try    *try          // that is under way and waits; nil: none is
	paces  backoff.State // of its attempts
	before error         // of the attempt before; nil: there was none
}

// Begin is Run for a simulation: the Course runs what Run would. There is a Conductor, and neither a Deadline nor a
// journal. Another script may begin when this one has ended.
func (r *Runner) Begin(ctx context.Context, file *ast.File) *Course {
	r.takeIn(file)
	return &Course{ctx: ctx, frame: r.topFrame(ctx, file), body: &file.Body}
}

// Continue goes on with the script, up to its end or to the wait of an outermost try, and returns until when that
// waits: then, or when ctx is cancelled, Continue is to be called again. Once the script has ended, err is what Run
// returns.
func (c *Course) Continue() (until time.Duration, ended bool, err error) {
	for ; c.next < len(c.body.List) && err == nil; c.next++ {
		s := &c.body.List[c.next]
		n, tries := s.Node.(*ast.Try)
		if !tries {
			err = c.frame.statement(c.ctx, s)
			continue
		}
		until, ended, err = c.continueTry(s, n)
		if !ended {
			return until, false, nil
		}
	}
	c.frame.run.sharing.close()
	return 0, true, c.frame.endScript(err)
}

// continueTry begins a try, or makes its next attempt; ended tells that no other follows.
func (c *Course) continueTry(s *ast.Stmt, n *ast.Try) (until time.Duration, ended bool, err error) {
	f := c.frame
	if c.try == nil {
		if err := f.mayBegin(c.ctx, s); err != nil {
			return 0, true, err
		}
		t, err := f.beginTry(c.ctx, s, n)
		decided := err != nil
		if !decided {
			decided, err = t.enterAttempts(c.ctx)
		}
		if decided {
			return 0, true, t.endTry(c.ctx, err)
		}
		c.try, c.paces, c.before = t, backoff.State{}, nil
	}
	t, clock := c.try, f.run.clock
	for {
		loop := backoff.Resume(t.header.Plan, f.dice, c.paces)
		result, at := loop.Once(c.ctx, clock, c.before, t.makeAttempt)
		if result.Over() {
			c.try = nil
			return 0, true, t.endTry(c.ctx, t.leaveAttempts(result))
		}
		c.paces, c.before = loop.State, result.Err
		if now := clock.Now(); now < at {
			t.beginWait(event.TryWait, t.header.Allowed, now, at, f.failed)
			return at, false, nil
		}
	}
}
