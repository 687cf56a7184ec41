package interp

import (
	"context"
	"errors"
	"time"

	"ftsh/ast"
	"ftsh/backoff"
	"ftsh/backoff/shared/locked"
	"ftsh/interp/event"
)

// visit is one attempt by way of a resource.
type visit struct {
	*frame
	*passage
	s      *ast.Stmt
	t      *attempts
	h      *header
	o      observed
	own    *cut // of the limit of the try
	number int  // of the attempt
	waits  locked.Cause
	rest   backoff.Timer // lets the engine rest during a long wait
}

// run waits until the resource lets an attempt through, makes it, and tells the
// resource how it went. ctx is cut off at the limit of the try.
func (v *visit) run(ctx context.Context, attempt func(number int) backoff.Outcome) backoff.Outcome {
	pass, err := v.enter(ctx)
	if err != nil {
		return v.refused(ctx, err)
	}
	began := v.frame.run.clock.Now()
	v.inside = true
	v.passage.floor.Store(0)
	outcome, sensed := v.senses(ctx)
	how := locked.Deferred
	if sensed {
		outcome = attempt(v.number)
		how = ending(outcome)
	}
	v.inside = false
	change, floor := pass.Leave(how, time.Duration(v.passage.floor.Load()))
	v.changed(change)
	outcome.Floor, outcome.Began = max(outcome.Floor, floor), began
	v.before = asFailure(outcome.Err)
	return outcome
}

// enter waits for the pass.
func (v *visit) enter(ctx context.Context) (Pass, error) {
	defer func() {
		if v.rest != nil {
			v.rest.Stop()
		}
	}()
	return v.gate.Enter(ctx, locked.Request{
		Rules: v.rules, Retry: v.number > 1, Deadline: v.h.plan.Deadline, Told: v.waiting,
	})
}

// waiting announces what is waited for.
func (v *visit) waiting(w locked.Wait) {
	v.waits = w.For
	clock := v.frame.run.clock
	if v.rest == nil {
		v.rest = clock.AfterFunc(clock.Now()+long, v.frame.run.Engine.Rest)
	}
	cause := w.For.String()
	if w.For == locked.Turn && v.rules.Slots > 0 {
		cause = event.WaitSlot // the others most likely wait for that
	}
	e := event.Event{
		Kind: event.ResourceWait, Name: v.name, Value: cause, Count: w.Before, Attempt: v.number,
		Limit: limitOf(v.h.plan.Attempts), Remaining: v.remaining(v.t),
	}
	if w.Until != backoff.Never {
		e.Wait = max(0, w.Until-clock.Now())
	}
	v.tell(v.o, e)
}

// refused tells the retry loop that there was no attempt: the limit has passed
// while the try waited, or cannot be kept; or something outside has cut it off.
func (v *visit) refused(ctx context.Context, err error) backoff.Outcome {
	outcome := backoff.Outcome{Stop: backoff.Deadline, Deferred: true}
	switch {
	case errors.Is(err, locked.ErrTooLate):
		outcome.Err = v.last(&Failure{Kind: KindFailure, Status: 1, Message: v.name + ": no attempt may be made before the limit"})
	case ctx.Err() == nil: // a try again may find it mended, as with a full disk
		failure := &Failure{Kind: KindSystem, Status: 1, Pos: v.s.Pos, Message: err.Error()}
		v.failed, v.before = failure, failure
		return backoff.Outcome{Err: v.announce(failure)}
	case v.cause(ctx) != v.own:
		outcome.Err, outcome.Stop = v.cutOff(ctx, v.s.Pos, ""), backoff.Cancelled
	default:
		outcome.Err = v.last(&Failure{Kind: KindTimeout, Status: 124, Message: v.own.why + " while it waited for " + v.name})
		switch v.waits {
		case locked.Budget:
			outcome.Stop = backoff.Budget
		case locked.Breaker:
			outcome.Stop = backoff.Breaker
		}
	}
	return outcome
}

// last is how the attempt before failed, or was deferred; if there was none, that one.
func (v *visit) last(none *Failure) error {
	if v.before != nil {
		return v.before
	}
	none.Pos = v.s.Pos
	return none
}

// senses runs the sense group, which must succeed before an attempt. If it fails the
// attempt is deferred, whatever the try says of failures.
func (v *visit) senses(ctx context.Context) (backoff.Outcome, bool) {
	if v.sense == nil {
		return backoff.Outcome{}, true
	}
	v.t.number = v.number
	v.t.floor.Store(0)
	err := v.group(ctx, &v.sense.Body)
	if err == nil {
		return backoff.Outcome{}, true
	}
	v.t.number--
	outcome := v.judge(ctx, v.own, v.t, v.h, err)
	failure := asFailure(outcome.Err)
	if failure == nil {
		return outcome, false // an exit
	}
	outcome.Deferred = true
	if outcome.Stop == backoff.Rejected {
		outcome.Stop = ""
	}
	v.failed = failure
	v.tell(v.o, describe(event.Event{Kind: event.ResourceDeferred, Name: v.name, Attempt: v.number}, failure))
	return outcome, false
}

// changed announces what an attempt did to the breaker.
func (v *visit) changed(c locked.Change) {
	switch c {
	case locked.Opened:
		v.tell(v.o, event.Event{Kind: event.BreakerOpened, Name: v.name, Count: v.rules.Failures, Wait: v.rules.Probe})
	case locked.Closed:
		v.tell(v.o, event.Event{Kind: event.BreakerClosed, Name: v.name})
	}
}
