package interp

import (
	"context"

	"ftsh/backoff"
	"ftsh/interp/durable"
	"ftsh/interp/event"
)

// The third outcome. An attempt whose answer was lost has neither succeeded nor
// failed, and to repeat it may do the work twice. The verify group of its try
// finds out: it succeeds if the attempt has worked, says absent if it has not,
// and fails as long as that cannot be known.

// uncertain reports whether it is unknown what an attempt did: it was cut off by a
// time limit or died, or the script says so by unknown on. What was cancelled
// from outside is not asked about, since nobody waits for the answer.
func (h *header) uncertain(o backoff.Outcome) bool {
	failure := asFailure(o.Err)
	if failure == nil || failure.giveup {
		return false
	}
	if failure.cut != nil && failure.cut.kind != KindTimeout {
		return false
	}
	switch failure.Kind {
	case KindTimeout, KindCancelled, KindSignal, KindUnknown, KindLost:
		return true
	}
	return anyHolds(h.Unknown, failure, true)
}

// How a verification ends, as the log says it.
const (
	verdictHappened = "happened"
	verdictAbsent   = "absent"
	verdictUnknown  = "unknown"
)

// verifyFirst runs the verify group before the first attempt, where the script names the key: an earlier
// run with the same key may have done the work. It reports whether that has decided the try, and how.
func (t *try) verifyFirst(ctx context.Context) (decided bool, err error) {
	outcome, verdict := t.verify(ctx, backoff.Outcome{})
	switch {
	case verdict == verdictAbsent:
		return false, nil
	case outcome.Err == nil:
		return true, nil
	}
	return true, t.conclude(backoff.Result{Reason: outcome.Stop, Err: outcome.Err})
}

// verify runs the verify group until it has decided what an attempt did, and returns
// how the attempt went after all, and the verdict. The zero Outcome stands for no
// attempt at all. ctx is the context outside of the try.
func (t *try) verify(ctx context.Context, before backoff.Outcome) (backoff.Outcome, string) {
	f, failure := t.frame, asFailure(before.Err)
	if f.run.durable.IsDry() {
		return backoff.Outcome{Err: f.beginsNothing(t.pos), Stop: backoff.Cancelled}, verdictUnknown
	}
	inside, leave := t.enterVerify(ctx)
	inside.reaction = &reaction{failure}
	in := inside.scope
	start := f.run.clock.Now()
	var said *Failure // by the verify group
	ask := func(context.Context, int) backoff.Outcome {
		f.tellEvent(t.execution, withFailure(event.Event{Kind: event.Verify, Attempt: t.number}, failure))
		outcome := t.viaResource(entry{inside, t.verifyEnd(), false, func() backoff.Outcome {
			err := t.limitEach(inside.at(nil), durable.Step{}, t.node.Verify) // repeated if it is interrupted
			return t.outcome(verifying, t.output.parkVerified(err), in)
		}})
		said = asFailure(outcome.Err)
		return outcome
	}
	waits := t.waitHooks(in.ctx, event.VerifyWait, 0, &said)
	result := backoff.Retry(in.ctx, f.run.clock, t.verifyPlan(ctx), f.state.dice, waits, ask)
	outcome, verdict := t.verdict(ctx, before, result)
	took := f.run.clock.Now() - start
	f.tellEvent(t.execution, event.Event{Kind: event.VerifyEnd, Attempt: t.number, Value: verdict, Elapsed: took})
	leave()
	return outcome, verdict
}

// enterVerify opens the scope of the verify group: outside of the time limit of
// the try, but no longer than the kill timeout after it. What an outer limit has
// cut off shares the kill timeout of that.
func (t *try) enterVerify(ctx context.Context) (g *frame, leave func()) {
	g, done := t.groups.inCleanup(ctx)
	around := g.scope
	passed := &cut{kind: KindTimeout, depth: around.depth + 1, at: t.inside.scope.limit.at,
		why: "the kill timeout is used up"}
	limited, stop := backoff.WithDeadline(around.ctx, g.run.clock, t.verifyEnd(), passed)
	g.scope = &scope{parent: around, ctx: limited, depth: around.depth + 1, limit: passed,
		until: around.until.orEarlier(t.verifyEnd(), passed)}
	g.jobs.attempts = t.jobs
	t.phase = verifying
	return g, func() {
		t.phase = attempting
		stop()
		done()
	}
}

// verifyPlan returns the plan by which the verify group is repeated: the try's, which with a
// time limit has any number of attempts. Once a limit has passed the group is run once.
func (t *try) verifyPlan(ctx context.Context) backoff.Plan {
	plan := t.header.Plan
	if ctx.Err() != nil || t.frame.run.clock.Now() >= plan.Deadline {
		return backoff.Plan{Deadline: backoff.Never, Attempts: 1}
	}
	if plan.Deadline != backoff.Never {
		plan.Attempts = backoff.Unlimited
	}
	return plan
}

// verdict returns the true outcome of an attempt, given the one before and the last result of the verify group.
func (t *try) verdict(ctx context.Context, before backoff.Outcome, last backoff.Result) (backoff.Outcome, string) {
	_, absent := last.Err.(*absence)
	switch {
	case last.Err == nil:
		return backoff.Outcome{}, verdictHappened
	case absent:
		before.Floor = t.nextStart()
		return before, verdictAbsent
	case leavesScript(last.Err), last.Reason == backoff.Giveup, last.Reason == backoff.Rejected:
		return backoff.Outcome{Err: last.Err, Stop: last.Reason}, verdictUnknown
	}
	failure := asFailure(before.Err)
	if failure == nil { // there was no attempt
		if failure = asFailure(last.Err); failure == nil {
			failure = &Failure{Kind: KindTimeout, Status: statusTimeout, Pos: t.pos,
				Message: "it was cut off before verify could tell"}
		}
	}
	if ctx.Err() != nil {
		return backoff.Outcome{Err: failure.cutBy(t.frame.cutCause(ctx)), Stop: backoff.Cancelled}, verdictUnknown
	}
	return backoff.Outcome{Err: failure, Stop: backoff.Unknown}, verdictUnknown
}
