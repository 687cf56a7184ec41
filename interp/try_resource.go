package interp

import (
	"errors"
	"time"

	"ftsh/backoff"
	"ftsh/backoff/shared"
	"ftsh/interp/event"
	"ftsh/interp/world"
)

// An entry is what a try enters its resource for: an attempt, or a run of the verify group.
type entry struct {
	in       *frame // that it runs in
	deadline time.Duration
	retry    bool // it counts as one for the budget
	work     func() backoff.Outcome
}

// viaResource waits until the resource lets the work through, does it, and tells the
// resource how it went. Without a resource the work is all there is to do.
func (t *try) viaResource(e entry) backoff.Outcome {
	via := t.header.via
	if via == nil || t.frame.run.durable.IsDry() {
		return e.work()
	}
	pass, waitedFor, err := t.enterResource(e)
	if err != nil {
		return t.refused(e.in.scope, err, waitedFor)
	}
	began := t.frame.run.clock.Now()
	via.inside = true
	via.floor.Store(0)
	how := shared.Deferred
	outcome, sensed := t.sense(e.in)
	if sensed {
		outcome = e.work()
		how = resourceEnding(outcome)
	}
	via.inside = false
	change := pass.Leave(how, time.Duration(via.floor.Load()))
	t.tellBreaker(change)
	outcome.Floor, outcome.Began = max(outcome.Floor, change.Floor), began
	return outcome
}

// enterResource waits for a pass. It returns what it waited for last, too.
func (t *try) enterResource(e entry) (pass world.Pass, waitedFor shared.Cause, err error) {
	via, run := t.header.via, t.frame.run
	if via.gate == nil {
		if via.gate, err = run.gateOf(via.name); err != nil {
			return nil, waitedFor, err
		}
	}
	pass, err = via.gate.Enter(e.in.scope.ctx, shared.Visit{
		Rules: via.rules, Retry: e.retry, Deadline: e.deadline,
		Told: func(w shared.Wait) {
			waitedFor = w.For
			t.tellResourceWait(w)
		},
	})
	return pass, waitedFor, err
}

// tellResourceWait announces what is waited for.
func (t *try) tellResourceWait(w shared.Wait) {
	via := t.header.via
	cause := w.For.String()
	if w.For == shared.ForTurn && via.rules.Slots > 0 {
		cause = "slot" // the others most likely wait for that
	}
	e := event.Event{
		Kind: event.ResourceWait, Name: via.name, Value: cause, Count: w.Before, Attempt: t.number,
		Limit: t.header.Allowed, Remaining: t.remaining(),
	}
	if w.Until != backoff.Never {
		e.Wait = max(0, w.Until-t.frame.run.clock.Now())
	}
	t.frame.tellEvent(t.execution, e)
}

// refused returns the outcome where there was no attempt: the limit passed while the try
// waited, or would pass before its turn; or something outside has cut it off.
func (t *try) refused(in *scope, err error, waitedFor shared.Cause) backoff.Outcome {
	f, name, ctx := t.frame, t.header.via.name, in.ctx
	outcome := backoff.Outcome{Stop: backoff.Deadline, Deferred: true}
	switch {
	case errors.Is(err, shared.ErrTooLate):
		outcome.Err = t.lastOr(newFailure(KindFailure, t.pos, name+": no attempt may be made before the limit"))
	case ctx.Err() == nil: // a try again may find it mended, as with a full disk
		failure := newFailure(KindSystem, t.pos, err.Error())
		f.tell(failure)
		return backoff.Outcome{Err: t.groups.announceFailure(failure)}
	case f.cutCause(ctx) != in.limit:
		outcome.Err, outcome.Stop = f.cutOff(ctx, t.pos), backoff.Cancelled
	default:
		why := in.limit.why + " while it waited for " + name
		outcome.Err = t.lastOr(&Failure{Kind: KindTimeout, Status: statusTimeout, Pos: t.pos, Message: why})
		switch waitedFor {
		case shared.ForBudget:
			outcome.Stop = backoff.Budget
		case shared.ForBreaker:
			outcome.Stop = backoff.Breaker
		}
	}
	return outcome
}

// lastOr returns the last failure of the try, of an attempt or of a sense group; without one, the one given.
func (t *try) lastOr(none *Failure) error {
	if t.last != nil {
		return t.last
	}
	return none
}

// sense runs the sense group, which must succeed before an attempt. If it does not, the attempt is deferred,
// whatever the try says of failures.
func (t *try) sense(in *frame) (outcome backoff.Outcome, sensed bool) {
	f, via := t.frame, t.header.via
	if via.sense == nil {
		return backoff.Outcome{}, true
	}
	t.floor.Store(0)
	t.entering, t.phase = t.phase, sensing
	err := t.output.beside(in.at(nil)).runGroup(in.scope.ctx, &via.sense.Body) // repeated if it is interrupted
	t.phase = t.entering
	outcome = t.outcome(sensing, err, in.scope)
	if failure := asFailure(outcome.Err); failure != nil {
		f.tell(failure)
		deferred := event.Event{Kind: event.ResourceDeferred, Name: via.name, Attempt: t.number}
		f.tellEvent(t.execution, withFailure(deferred, failure))
	}
	return outcome, outcome.Err == nil
}

// tellBreaker announces what an attempt did to the breaker.
func (t *try) tellBreaker(change shared.Change) {
	f, via := t.frame, t.header.via
	switch {
	case change.Opened:
		f.tellEvent(t.execution,
			event.Event{Kind: event.BreakerOpened, Name: via.name, Count: int(via.rules.Failures), Wait: via.rules.Probe})
	case change.Closed:
		f.tellEvent(t.execution, event.Event{Kind: event.BreakerClosed, Name: via.name})
	}
}
