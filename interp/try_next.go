package interp

import (
	"context"
	"time"

	"ftsh/backoff"
	"ftsh/interp/event"
)

// What follows a phase of a try is decided here, and nowhere else. testdata/outcomes.txt has a
// script and its output for every way to end, in every phase.

// ending classifies how a phase ended.
type ending uint8

const (
	endSuccess  ending = iota
	endFailure         // a failure that another attempt may mend
	endMistake         // a failure of kind error or missing
	endGiveup          // the builtin giveup, on its way to this try or to one around it
	endAbsent          // the builtin absent, on its way to the nearest verify group
	endLeft            // exit, return, break or continue
	endOwnLimit        // cut off by the limit of this try; in verify by the kill timeout after that
	endCut             // cut off from outside: an outer limit, a failed sibling, a signal
)

// endingOf classifies the error of a phase that ran in the scope in.
func (t *try) endingOf(err error, in *scope) ending {
	failure, passed := asFailure(err), t.frame.cutCause(in.ctx)
	_, absent := err.(*absence)
	switch {
	case err == nil:
		return endSuccess
	case absent:
		return endAbsent
	case failure == nil:
		return endLeft
	case failure.cut == nil: // it has its own outcome, also if a limit has passed since
	case passed != nil && passed == in.limit:
		return endOwnLimit
	case passed != nil:
		return endCut
	}
	switch {
	case failure.giveup:
		return endGiveup
	case failure.isMistake():
		return endMistake
	}
	return endFailure
}

// move says what a try does next.
type move uint8

const (
	moveOn    move = iota // to what comes next: the attempt after a sense, the end of the try after all others
	moveAgain             // run the phase again, if the limits allow that; of a sense: defer the attempt
	moveBack              // to the next attempt, since verify found that nothing has happened
	moveFail              // fail without another attempt: catch runs
	moveLeave             // pass the error on past everything but finally
)

// nextMove decides what follows a phase that is no catch or finally, and gives the reason of a moveFail.
//
//	phase      success  failure  mistake      giveup  absent  left   own limit  cut
//	sense      on       again    rejected     giveup  leave   leave  deadline   leave
//	group ¹    on       again ²  rejected ²   giveup  leave   leave  deadline   leave
//	verify     on       again    rejected     giveup  back    leave  unknown    leave
//
// ¹ If the outcome is uncertain (see header.uncertain) verify is asked first, and this holds when it goes back.
// ² As the conditions of the try say: worthwhile reports whether they allow another attempt. It is asked only then,
// as it may read all of standard error.
func nextMove(p phase, e ending, worthwhile func() bool) (move, backoff.Reason) {
	switch {
	case e == endSuccess:
		return moveOn, ""
	case e == endAbsent && p == verifying:
		return moveBack, ""
	case e == endAbsent, e == endLeft, e == endCut:
		return moveLeave, ""
	case e == endGiveup:
		return moveFail, backoff.Giveup
	case e == endOwnLimit && p == verifying:
		return moveFail, backoff.Unknown
	case e == endOwnLimit:
		return moveFail, backoff.Deadline
	case p == attempting && !worthwhile(), p != attempting && e == endMistake:
		return moveFail, backoff.Rejected
	}
	return moveAgain, ""
}

// runsCatch reports whether the catch group runs for the error with which the attempts ended.
func runsCatch(err error) bool {
	failure := asFailure(err)
	return failure != nil && failure.cut == nil && !failure.giveup
}

// countFailures counts an attempt that failed: as one, or as the attempts of the try inside that it failed in.
func (t *tryState) countFailures(err error) {
	if failure := asFailure(err); failure != nil {
		t.tried += max(1, failure.story.tried)
	}
}

// afterTry returns a copy of the failure that holds how many attempts the try made, and how long it took.
func (f *Failure) afterTry(t *try) *Failure {
	changed := *f
	changed.story.tried, changed.story.spent, changed.story.told = t.tried, t.frame.run.clock.Now()-t.start, false
	return &changed
}

// waitHooks returns hooks for a retry loop that announce each wait by an event of that kind, with the failure before
// it and the number of attempts allowed. ctx is that of the loop.
func (t *try) waitHooks(ctx context.Context, kind event.Kind, allowed int, before **Failure) backoff.Hooks {
	run := t.frame.run
	return backoff.Hooks{Hurry: run.World.Hurried(), Sleeping: func(now, until time.Duration) {
		if t.frame.wantsEvent(kind) {
			t.tellWait(kind, allowed, now, until, *before)
		}
		run.World.Await(until, func() bool { return ctx.Err() != nil })
	}}
}

func (t *try) tellWait(kind event.Kind, allowed int, now, until time.Duration, before *Failure) {
	t.frame.tellEvent(t.execution, withFailure(event.Event{
		Kind: kind, Limit: allowed, Attempt: t.number,
		Wait: until - now, Elapsed: now - t.start, Remaining: t.remaining(),
	}, before))
}

// remaining returns the time until the limit of the try, 0 without one.
func (t *try) remaining() time.Duration {
	if t.header.Plan.Deadline == backoff.Never {
		return 0
	}
	return max(0, t.header.Plan.Deadline-t.frame.run.clock.Now())
}

// verifyEnd returns when the verify group is cut off: the kill timeout after the limit of the try. Where that passed
// while no shell ran, it counts from now.
func (t *try) verifyEnd() time.Duration {
	return saturatingAdd(t.inside.scope.limit.at, t.frame.run.KillTimeout)
}
