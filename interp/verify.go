package interp

import (
	"context"
	"time"

	"ftsh/ast"
	"ftsh/backoff"
	"ftsh/interp/event"
)

// The third outcome. An attempt whose answer was lost has neither succeeded nor
// failed, and to repeat it may do the work twice. The verify group of its try
// finds out: it succeeds if the attempt has worked, says absent if it has not,
// and fails as long as that cannot be known.

// uncertain tells whether it is unknown what an attempt did: it was cut off by a
// time limit or died, or the script says so by unknown on. What was cancelled
// from outside is not asked about, since nobody waits for the answer.
func (h *header) uncertain(o backoff.Outcome) bool {
	failure := asFailure(o.Err)
	if failure == nil || o.Stop == backoff.Giveup {
		return false
	}
	if c, outside := failure.cut.(*cut); outside && c.kind != KindTimeout {
		return false
	}
	switch failure.Kind {
	case KindTimeout, KindCancelled, KindSignal:
		return true
	}
	return holds(h.unknown, failure)
}

// verification settles what one attempt did.
type verification struct {
	*frame
	n       *ast.Try
	t       *attempts
	h       *header
	output  *restarted
	o       observed
	failure *Failure // of the attempt
	told    *Failure // of the verify group
}

// How a verification ends, as the log says it.
const (
	verdictHappened = "happened"
	verdictAbsent   = "absent"
	verdictUnknown  = "unknown"
)

// settle runs the verify group until it has decided, and returns how the attempt
// went after all. ctx is the context outside of the try.
func (v *verification) settle(ctx context.Context, before backoff.Outcome) backoff.Outcome {
	limited, done := v.enterVerify(ctx)
	defer done()
	hooks := backoff.Hooks{Hurry: v.run.Hurry, Sleeping: func(now, until time.Duration) {
		v.sleeping(now, until)
		v.run.until(until, func() bool { return limited.Err() != nil })
	}}
	start := v.run.clock.Now()
	result := backoff.Retry(limited, v.run.clock, v.plan(ctx), v.dice, hooks, func(context.Context, int) backoff.Outcome {
		return v.ask(limited)
	})
	outcome, verdict := v.decide(ctx, before, result)
	v.tell(v.o, event.Event{Kind: event.VerifyEnd, Attempt: v.t.number, Value: verdict, Elapsed: v.run.clock.Now() - start})
	return outcome
}

// enterVerify opens the scope of the verify group: outside of the time limit of
// the try, but no longer than the kill timeout after it. What an outer limit has
// cut off shares the kill timeout of that.
func (v *verification) enterVerify(ctx context.Context) (context.Context, func()) {
	attempt := v.scope
	v.scope = attempt.parent
	limited, leave := v.cleanup(ctx)
	stop := func() {}
	if v.t.deadline != backoff.Never {
		end := &cut{kind: KindTimeout, depth: v.scope.depth + 1, at: v.t.deadline, why: "the kill timeout is used up"}
		limited, stop = backoff.WithDeadline(limited, v.run.clock, after(v.t.deadline, v.run.killTimeout), end)
		v.scope = &scope{parent: v.scope, ctx: limited, depth: v.scope.depth + 1}
	}
	v.t.verifying = true
	return limited, func() {
		v.t.verifying = false
		stop()
		leave()
		v.scope, v.failed = attempt, v.failure
	}
}

// plan is how often the verify group is run: until the time limit, by the backoff
// of the try; without one as often as there may be attempts. Once a limit has
// passed it is run once.
func (v *verification) plan(ctx context.Context) backoff.Plan {
	if ctx.Err() != nil || v.run.clock.Now() >= v.t.deadline {
		return backoff.Plan{Deadline: backoff.Never, Attempts: 1}
	}
	plan := v.h.plan
	if plan.Deadline != backoff.Never {
		plan.Attempts = backoff.Unlimited
	}
	return plan
}

// ask runs the verify group once.
func (v *verification) ask(ctx context.Context) backoff.Outcome {
	v.failed = v.failure
	v.tell(v.o, describe(event.Event{Kind: event.Verify, Attempt: v.t.number}, v.failure))
	err := v.output.restart(ctx, false)
	if err == nil {
		err = v.group(ctx, v.n.Verify)
	}
	v.told = asFailure(err)
	if err != nil && (v.told == nil || v.told.giveup) { // an absent, an exit, a return
		return backoff.Outcome{Err: err, Stop: backoff.Giveup}
	}
	return backoff.Outcome{Err: err, Floor: time.Duration(v.t.floor.Load())}
}

// decide tells how the attempt went, from how the verify group ended last.
func (v *verification) decide(ctx context.Context, before backoff.Outcome, result backoff.Result) (backoff.Outcome, string) {
	switch {
	case result.Err == nil:
		return backoff.Outcome{}, verdictHappened
	case result.Reason == backoff.Giveup:
		if _, absent := result.Err.(*absence); absent {
			before.Floor = time.Duration(v.t.floor.Load())
			return before, verdictAbsent
		}
		return backoff.Outcome{Err: result.Err, Stop: backoff.Giveup}, verdictUnknown
	case ctx.Err() != nil:
		cutOff := *v.failure
		cutOff.cut = v.cause(ctx)
		return backoff.Outcome{Err: &cutOff, Stop: backoff.Cancelled}, verdictUnknown
	}
	return backoff.Outcome{Err: v.failure, Stop: backoff.Unknown}, verdictUnknown
}

// sleeping announces a wait before the verify group is run again.
func (v *verification) sleeping(now, until time.Duration) {
	v.waiting(v.o, describe(event.Event{Kind: event.VerifyWait}, v.told), v.t, now, until)
}
