package interp

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"ftsh/ast"
	"ftsh/backoff"
	"ftsh/interp/event"
)

// attempts is a try that is under way. What runs beside each other in it shares it.
type attempts struct {
	outer     *attempts
	depth     int // of the scope that the try stands in
	limited   bool
	cleansUp  bool          // it has a finally group
	cleaning  bool          // which has begun
	verifies  bool          // it has a verify group
	verifying bool          // which is running
	over      bool          // no further attempt will be made
	start     time.Duration // on the clock
	deadline  time.Duration // on the clock, or Never
	floor     atomic.Int64  // the earliest start of the next attempt on the clock, from retryafter; 0: none
	number    int           // of the attempt, from 1
	key       string
	via       *passage // the resource that its attempts need; nil: none
}

// tryStatement runs a try with its catch and finally groups.
func (f *frame) tryStatement(ctx context.Context, s *ast.Stmt, n *ast.Try) error {
	header, err := f.header(ctx, s, n)
	f.run.prepare()
	t := f.beginTry(n, header)
	defer func() { f.try = t.outer }()
	output := &restarted{frame: f, list: s.Redirects}
	o := f.number(s.Pos, event.Event{Kind: event.TryStart, Limit: limitOf(header.plan.Attempts), Remaining: f.remaining(t)})

	if err == nil {
		err = f.attempt(ctx, s, n, t, header, output, o)
	}
	t.over = true
	f.note(err)
	failure := asFailure(err)
	if n.Catch != nil && failure != nil && failure.cut == nil && !failure.giveup {
		err = f.catch(ctx, n, output, failure, o)
	}
	err = f.finally(ctx, n, t, err, o)
	err = output.finish(err)
	f.finish(o, err, event.TryEnd, event.TryFailed, detail{attempt: t.number})
	return err
}

func limitOf(attempts int) int { return max(attempts, 0) }

// note keeps what ${error.…} tells of from now on: a failure, or nothing after a
// success. An exit or a return changes nothing.
func (f *frame) note(err error) {
	if failure := asFailure(err); failure != nil || err == nil {
		f.failed = failure
	}
}

// beginTry makes a try the innermost one.
func (f *frame) beginTry(n *ast.Try, h *header) *attempts {
	now := f.run.clock.Now()
	if n.For != nil {
		h.plan.Deadline = after(now, h.limit)
	}
	t := &attempts{
		outer: f.try, depth: f.scope.depth, limited: n.Limited(), cleansUp: n.Finally != nil, verifies: n.Verify != nil,
		start: now, deadline: h.plan.Deadline, key: h.key,
	}
	if t.key == "" {
		t.key = f.newKey()
	}
	t.via = h.via
	f.try = t
	return t
}

// attempt makes attempts until one succeeds or the try has failed.
func (f *frame) attempt(ctx context.Context, s *ast.Stmt, n *ast.Try, t *attempts, h *header, output *restarted, o observed) error {
	defer func(outer bool) { f.watching = outer }(f.watching)
	f.watching = f.watching || h.matches()
	limited, cause, done := f.limit(ctx, h.plan.Deadline, h.why)
	defer done()
	hooks := backoff.Hooks{Hurry: f.run.Hurry, Sleeping: func(now, until time.Duration) {
		f.waiting(o, describe(event.Event{Kind: event.TryWait, Limit: limitOf(h.plan.Attempts)}, f.failed), t, now, until)
		f.run.until(until, func() bool { return ctx.Err() != nil })
	}}
	attempt := func(number int) backoff.Outcome {
		t.number = number
		t.floor.Store(0)
		f.tell(o, event.Event{Kind: event.TryAttempt, Attempt: number, Limit: limitOf(h.plan.Attempts), Elapsed: f.run.clock.Now() - t.start, Remaining: f.remaining(t)})
		outcome := f.judge(limited, cause, t, h, f.once(limited, s, n, h, output))
		if n.Verify == nil || !h.uncertain(outcome) {
			return outcome
		}
		v := &verification{frame: f, n: n, t: t, h: h, output: output, o: o, failure: asFailure(outcome.Err)}
		return v.settle(ctx, outcome)
	}
	result := backoff.Retry(ctx, f.run.clock, h.plan, f.dice, hooks, func(_ context.Context, number int) backoff.Outcome {
		if t.via == nil {
			return attempt(number)
		}
		v := &visit{frame: f, passage: t.via, s: s, t: t, h: h, o: o, own: cause, number: number}
		return v.run(limited, attempt)
	})
	return f.conclude(limited, cause, s, n, result)
}

// once makes one attempt, cut off by `each`.
func (f *frame) once(ctx context.Context, s *ast.Stmt, n *ast.Try, h *header, output *restarted) error {
	if err := output.restart(ctx, false); err != nil {
		return err
	}
	if n.Each == nil {
		return f.group(ctx, &n.Body)
	}
	limited, cause, done := f.limit(ctx, f.run.clock.Now()+h.each, "the limit of "+brief(h.each)+" for each attempt passed")
	defer done()
	return f.ownCut(f.group(limited, &n.Body), cause, limited)
}

// ownCut makes an ordinary failure of what was cut off by the limit with that
// cause. What an outer limit or a signal has cut off stays so.
func (f *frame) ownCut(err error, own *cut, ctx context.Context) error {
	failure := asFailure(err)
	if failure == nil || f.cause(ctx) != own {
		return err
	}
	changed := *failure
	changed.Kind, changed.Status, changed.Message, changed.cut = KindTimeout, 124, own.why, nil
	changed.giveup, changed.Reason = false, ""
	return &changed
}

// judge tells the retry loop how an attempt went.
func (f *frame) judge(ctx context.Context, own *cut, t *attempts, h *header, err error) backoff.Outcome {
	failure := asFailure(f.ownCut(err, own, ctx))
	switch {
	case err == nil:
		return backoff.Outcome{}
	case failure == nil:
		return backoff.Outcome{Err: err, Stop: backoff.Giveup} // an exit, a return or an absent, which nothing repeats
	case ctx.Err() != nil && f.cause(ctx) == own:
		return backoff.Outcome{Err: failure, Stop: backoff.Deadline}
	case ctx.Err() != nil:
		changed := *failure
		changed.cut = f.cause(ctx)
		return backoff.Outcome{Err: &changed, Stop: backoff.Cancelled}
	case failure.giveup:
		return backoff.Outcome{Err: err, Stop: backoff.Giveup}
	case !h.worthwhile(failure):
		return backoff.Outcome{Err: err, Stop: backoff.Rejected}
	}
	f.failed = failure
	return backoff.Outcome{Err: err, Floor: time.Duration(t.floor.Load())}
}

// conclude turns the result of the retry loop into the error of the try: the
// last failure, with the reason why it was the last.
func (f *frame) conclude(ctx context.Context, own *cut, s *ast.Stmt, n *ast.Try, result backoff.Result) error {
	if result.Err == nil {
		return nil
	}
	failure := asFailure(result.Err)
	switch {
	case failure != nil:
	case ctx.Err() != nil && f.cause(ctx) != own:
		return f.cutOff(ctx, s.Pos, "").withReason(backoff.Cancelled)
	case ctx.Err() != nil:
		failure = &Failure{Kind: KindTimeout, Status: 124, Pos: s.Pos, Message: own.why}
		result.Reason = backoff.Deadline
	case result.Attempts == 0:
		failure = &Failure{Kind: KindFailure, Status: 1, Pos: s.Pos, Message: "its limit allows no attempt"}
	default:
		return result.Err // an exit, a return or an absent
	}
	if failure.cut != nil {
		return failure.withReason(backoff.Cancelled)
	}
	if !n.Limited() && result.Reason != backoff.Unknown {
		if failure.Reason == "" && !failure.giveup {
			return failure.withReason(result.Reason)
		}
		return failure
	}
	failure = failure.withReason(result.Reason)
	failure.giveup = false
	return failure
}

// catch runs the catch group under the limits outside of the try.
func (f *frame) catch(ctx context.Context, n *ast.Try, output *restarted, failure *Failure, o observed) error {
	f.tell(o, describe(event.Event{Kind: event.Catch}, failure))
	err := output.restart(ctx, false)
	if err == nil {
		err = f.group(ctx, n.Catch)
	}
	f.failed = failure
	if failed := asFailure(err); failed != nil {
		if failed.Reason == "" { // it does not change why the try stopped
			err = failed.withReason(failure.Reason)
		}
		f.note(err)
	}
	return err
}

// finally runs the finally group, whatever has happened.
func (f *frame) finally(ctx context.Context, n *ast.Try, t *attempts, before error, o observed) error {
	exit, _ := before.(*Exit)
	if n.Finally == nil || exit != nil && exit.replaced {
		return before
	}
	t.cleaning = true
	e := event.Event{Kind: event.Finally}
	if failure := asFailure(before); failure != nil {
		e = describe(e, failure)
	}
	f.tell(o, e)
	ctx, done := f.cleanup(ctx)
	defer done()
	told := f.failed
	err := f.group(ctx, n.Finally)
	f.failed = told
	if before != nil {
		return before
	}
	return err
}

// waiting announces a wait, and lets the engine rest meanwhile.
func (f *frame) waiting(o observed, e event.Event, t *attempts, now, until time.Duration) {
	e.Attempt, e.Wait, e.Elapsed, e.Remaining = t.number, until-now, now-t.start, f.remaining(t)
	f.tell(o, e)
	if until-now >= long {
		f.run.Engine.Rest()
	}
}

// long is from when on a wait is worth being prepared for.
const long = 2 * time.Second

// remaining is the time until a try's limit, 0 without one.
func (f *frame) remaining(t *attempts) time.Duration {
	if t.deadline == backoff.Never {
		return 0
	}
	return max(0, t.deadline-f.run.clock.Now())
}

// brief gives a duration in a few words for messages.
func brief(d time.Duration) string { return fmt.Sprint(d) }

// restarted is the redirections of a try or forany, which begin afresh with each
// attempt, so that only what counted remains.
type restarted struct {
	frame   *frame
	list    []*ast.Redirect
	current *redirection
}

// restart drops what was written and opens everything again.
func (r *restarted) restart(ctx context.Context, hedged bool) error {
	if len(r.list) == 0 {
		return nil
	}
	if r.current != nil {
		r.current.discard()
		r.current = nil
	}
	current, err := r.frame.redirect(ctx, r.list, hedged)
	r.current = current
	return err
}

// finish keeps what was written last.
func (r *restarted) finish(err error) error {
	if r.current == nil {
		return err
	}
	return r.current.finish(err)
}
