package interp

import (
	"context"
	"time"

	"ftsh/ast"
	"ftsh/backoff"
	"ftsh/interp/durable"
	"ftsh/interp/event"
)

// tryStatement runs a try: finally(catch(retry(verify(resource(group))))), read from the inside.
func (f *frame) tryStatement(ctx context.Context, s *ast.Stmt, n *ast.Try) error {
	t, err := f.beginTry(ctx, s, n)
	if err == nil {
		err = t.retry(ctx)
	}
	t.phase = decided
	err = t.finally(ctx, t.catch(ctx, err))
	f.tell(t.toldAfter(err))
	err = t.output.finish(err)
	f.finishStatement(t.execution, err, event.TryEnd, event.TryFailed,
		detail{attempt: t.number, passes: !n.Limited()})
	return err
}

// beginTry evaluates the clauses of a try and makes it the innermost one. If a clause
// is wrong the try has failed before its first attempt.
func (f *frame) beginTry(ctx context.Context, s *ast.Stmt, n *ast.Try) (*try, error) {
	t := &try{
		frame: f, outer: f.try, pos: s.Pos, node: n, depth: f.scope.depth, calls: f.call.depth,
		jobs:   f.run.World.Attempts(f.jobs.attempts),
		output: restarted{frame: f, list: s.Redirects, single: !n.Limited() && n.Catch == nil},
	}
	var resumed bool
	var err error
	if f.place != nil {
		resumed, err = t.resumeHeader(ctx)
	}
	f.run.World.Prepare()
	if !resumed {
		if err = t.evaluate(ctx); err != nil {
			err = t.unattempted(err)
		}
		t.start = f.run.clock.Now()
		if f.place != nil {
			t.saveHeader()
		}
	}
	t.output.begin(resumed)
	if err == nil && n.For != nil {
		t.header.Plan.Limit = t.header.Limit
		t.header.Plan.Deadline = saturatingAdd(t.start, t.header.Limit)
	}
	if t.granted {
		t.grantAttempt()
	}
	t.watching = t.header.Watches || t.outer != nil && t.outer.watching
	t.execution = f.numberExecution(s.Pos,
		event.Event{Kind: event.TryStart, Limit: t.header.Allowed, Remaining: t.remaining()})
	t.groups = f.under(t.execution).inside()
	t.groups.try = t
	t.output.frame = t.groups
	return t, err
}

// retry makes attempts until one succeeds or the try has failed. A try that an earlier run has decided, or its
// verify group before the first attempt, makes none.
func (t *try) retry(ctx context.Context) error {
	f := t.frame
	if t.past != nil && t.past.Ended != nil {
		return t.past.Ended.restoreError(f)
	}
	if t.header.Watches {
		if err := t.canSee(); err != nil {
			return err
		}
	}
	inside, leave := t.groups.underLimit(ctx, t.header.Plan.Deadline, t.header.Why)
	defer leave()
	t.inside, inside.jobs.attempts = inside, t.jobs
	if t.node.Verify != nil && t.node.Key != nil && t.header.Plan.Attempts != 0 && t.past == nil {
		if decided, err := t.verifyFirst(ctx); decided {
			return err
		}
	}
	waits := t.waitHooks(ctx, event.TryWait, t.header.Allowed, &t.last)
	if f.place != nil {
		waits = t.resumption(waits)
	}
	result := backoff.Retry(ctx, f.run.clock, t.header.Plan, f.state.dice, waits, t.makeAttempt)
	if result.Err == nil {
		t.jobs.MadeGood()
		return nil
	}
	return t.conclude(result)
}

// makeAttempt makes one attempt, verify included, or defers it, as the sense group of a resource says. ctx is the
// context outside of the try.
func (t *try) makeAttempt(ctx context.Context, number int) backoff.Outcome {
	t.number = number
	t.jobs.Begin(number)
	if number > 1 {
		t.jobs.Settle(t.inside.scope.ctx)
	}
	outcome := t.viaResource(entry{t.inside, t.header.Plan.Deadline, number > 1, t.once})
	if outcome.Deferred {
		t.number--
	} else if t.node.Verify != nil && t.header.uncertain(outcome) {
		ended := t.frame.run.clock.Now()
		t.frame.tell(asFailure(outcome.Err))
		t.jobs.Settle(t.inside.scope.ctx) // while there is time: a job that goes on may do the work after verify has looked
		outcome, _ = t.verify(ctx, outcome)
		outcome.Ended = ended
	}
	t.last = asFailure(outcome.Err)
	if !outcome.Deferred {
		t.before = t.last
	}
	return outcome
}

// once runs the group of the try, as one attempt.
func (t *try) once() backoff.Outcome {
	f := t.frame
	t.floor.Store(0)
	if f.wantsEvent(event.TryAttempt) {
		t.tellAttempt()
	}
	err := t.limitEach(t.inside, durable.Attempt.Nth(t.number), &t.node.Body)
	t.countFailures(err)
	return t.outcome(attempting, err, t.inside.scope)
}

func (t *try) tellAttempt() {
	t.frame.tellEvent(t.execution, event.Event{
		Kind: event.TryAttempt, Attempt: t.number, Limit: t.header.Allowed,
		Elapsed: t.frame.run.clock.Now() - t.start, Remaining: t.remaining(),
	})
}

// limitEach runs the group of the try, or its verify group, once, cut off by `each`.
func (t *try) limitEach(f *frame, s durable.Step, g *ast.Group) error {
	if t.node.Each == nil {
		return t.output.run(f.scope.ctx, f, s, g)
	}
	why := "the limit of " + t.header.Each.String() + " for each attempt passed"
	each, leave := f.underLimit(f.scope.ctx, t.eachBegan()+t.header.Each, why)
	defer leave()
	return f.ownCut(t.output.run(each.scope.ctx, each, s, g), each.scope)
}

// outcome tells a retry loop what follows a phase that ended with err. in is the scope that the phase ran in,
// which a limit of the try cuts off.
func (t *try) outcome(p phase, err error, in *scope) backoff.Outcome {
	f, end := t.frame, t.endingOf(err, in)
	switch end {
	case endOwnLimit:
		err = f.ownCut(err, in)
	case endCut:
		err = asFailure(err).cutBy(f.cutCause(in.ctx))
	}
	failure := asFailure(err)
	next, reason := nextMove(p, end, func() bool { return !t.node.Limited() || t.header.worthwhile(failure) })
	deferred := p == sensing // no attempt is used up
	switch next {
	case moveOn:
		return backoff.Outcome{}
	case moveFail:
		return backoff.Outcome{Err: err, Stop: reason, Deferred: deferred}
	case moveLeave, moveBack:
		return backoff.Outcome{Err: err, Stop: backoff.Cancelled, Deferred: deferred}
	}
	if p != verifying {
		f.tell(failure)
	}
	return backoff.Outcome{Err: err, Floor: t.nextStart(), Deferred: deferred}
}

// nextStart returns the earliest start of the next attempt, as set by retryafter.
func (t *try) nextStart() time.Duration { return time.Duration(t.floor.Load()) }

// conclude turns the result of the retry loop into the error of the try: the
// last failure, with the reason why it was the last.
func (t *try) conclude(result backoff.Result) error {
	f, failure := t.frame, asFailure(result.Err)
	passed := f.cutCause(t.inside.scope.ctx)
	_, absent := result.Err.(*absence)
	switch {
	case absent || leavesScript(result.Err):
		return result.Err
	case failure != nil:
	case passed != nil && passed != t.inside.scope.limit:
		return f.cutOff(t.inside.scope.ctx, t.pos).withReason(backoff.Cancelled)
	case passed != nil:
		failure = &Failure{Kind: KindTimeout, Status: statusTimeout, Pos: t.pos, Message: passed.why}
		result.Reason = backoff.Deadline
	default:
		failure = newFailure(KindFailure, t.pos, "its limit allows no attempt")
	}
	if t.node.Limited() {
		failure = failure.afterTry(t)
		f.place.Refuse(failure.open, f.run.clock.Now() >= t.header.Plan.Deadline)
	}
	if failure.cut != nil {
		return failure.withReason(backoff.Cancelled)
	}
	if !t.node.Limited() && result.Reason != backoff.Unknown {
		if failure.Reason == "" && !failure.giveup {
			return failure.withReason(result.Reason)
		}
		return failure
	}
	failure = failure.withReason(result.Reason)
	failure.giveup = false
	return failure
}

// toldAfter returns the failure that ${error.…} describes once the attempts, the catch or the finally group have ended
// with err. An exit or a return leaves it as it was; a failure that a catch group has handled stays.
func (t *try) toldAfter(err error) *Failure {
	failure := asFailure(err)
	switch {
	case failure != nil:
		return failure
	case t.caught != nil:
		return t.caught
	case err == nil, leavesTurn(err):
		return nil
	}
	return t.frame.failure()
}

// tell makes ${error.…} describe a failure, or none after a success, unless a group around keeps its own.
func (f *frame) tell(failure *Failure) {
	if f.reaction == nil {
		f.state.failed = failure
	}
}

// catch runs the catch group, if there is one for attempts that ended so, under the limits outside of the try.
func (t *try) catch(ctx context.Context, ended error) error {
	f := t.frame
	t.watching = t.outer != nil && t.outer.watching
	if t.past != nil {
		t.caught = t.past.Caught.restoreFailure(f.run)
	}
	if t.node.Catch == nil || t.wasIn(durable.PhaseFinally) || !runsCatch(ended) ||
		ctx.Err() != nil && !t.wasIn(durable.PhaseCatch) {
		return ended
	}
	failure := asFailure(ended)
	f.tellEvent(t.execution, withFailure(event.Event{Kind: event.Catch}, failure))
	t.phase, t.caught = catching, failure
	t.savePhase(durable.PhaseCatch, failure)
	reacting := t.groups.inside()
	reacting.reaction = &reaction{failure}
	err := t.output.run(ctx, reacting, durable.Catch.Only(), t.node.Catch)
	t.phase = decided
	if failed := asFailure(err); failed != nil {
		if failed.Reason == "" { // it does not change why the try stopped
			err = failed.withReason(failure.Reason)
		}
		if failed.Pos != failure.Pos {
			asFailure(err).story.cause = failure
		}
	}
	return err
}

// finally runs the finally group, if there is one, whatever has happened before.
func (t *try) finally(ctx context.Context, before error) error {
	f := t.frame
	exit, _ := before.(*Exit)
	goesOn := t.wasIn(durable.PhaseFinally)
	if t.node.Finally == nil || f.run.durable.Suspending() || f.run.durable.IsDry() && !goesOn ||
		exit != nil && exit.replaced { // there is nobody left to run it
		return before
	}
	failed := t.takeUp(ctx)
	t.phase = cleaning
	f.tellEvent(t.execution, withFailure(event.Event{Kind: event.Finally}, asFailure(before)))
	enter, inTime := t.groups.inCleanup, f.cutCause(ctx) == nil
	if goesOn { // the limit may have passed since it began
		inTime = !t.past.Late
	}
	t.late = !inTime
	if inTime {
		enter = t.groups.inGrace
	}
	inside, leave := enter(ctx)
	t.savePhase(durable.PhaseFinally, before)
	inside.reaction = &reaction{t.toldAfter(before)}
	err := t.output.beside(inside).groupIn(inside.scope.ctx, durable.Finally.Only(), t.node.Finally)
	leave()
	var passed *Failure
	if inTime && f.cutCause(ctx) != nil {
		passed = f.cutOff(ctx, t.pos)
	}
	err = afterFinally(before, err, passed)
	if failed != nil && succeeded(err) {
		return failed
	}
	return err
}
