package interp

import (
	"context"
	"time"

	"ftsh/ast"
	"ftsh/backoff"
	"ftsh/interp/event"
)

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
