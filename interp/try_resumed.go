package interp

import (
	"cmp"
	"context"
	"slices"
	"time"

	"ftsh/backoff"
	"ftsh/interp/durable"
)

// progress is the state that tells how far the try has come; nil: not yet to an attempt.
func (t *try) progress() **tryProgress { return keep(t.frame, new(*tryProgress)) }

// mending is the state that says what a person has decided about the try.
func (t *try) mending() *durable.Mending { return keep(t.frame, &durable.Mending{}) }

// resumeHeader restores what an earlier run has decided about the try, and reports whether there was any.
func (t *try) resumeHeader(ctx context.Context) (resumed bool, err error) {
	f := t.frame
	saved := *keep(f, new(*header))
	if saved == nil {
		return false, nil
	}
	t.header = *saved
	if err := cmp.Or(f.compilePatterns(t.header.Conditions), f.compilePatterns(t.header.Unknown)); err != nil {
		return true, f.faultAt(t.pos, err.Error())
	}
	if t.header.Anew && !f.run.durable.IsDry() {
		if err := t.evaluateAnew(ctx); err != nil {
			return true, err
		}
	}
	t.header.Plan.Deadline, t.start = backoff.Never, f.run.durable.ToClock(t.header.Start)
	if past := *t.progress(); past != nil {
		past = t.goOnIn(*past)
		t.past, t.number, t.tried = past, past.Number, past.Tried
		t.jobs.Restore(past.Jobs)
		t.last, t.before = past.Last.restoreFailure(f.run), past.Before.restoreFailure(f.run)
	}
	if command := t.mending().Granted; command != "" && t.past != nil {
		t.granted, t.last = true, saveFailure(leftUnderWay(command)).restoreFailure(f.run)
		t.before = t.last
	}
	if t.node.Via != nil { // a resource is asked for anew
		err = t.evaluateVia(ctx)
	}
	return true, err
}

// evaluateAnew evaluates the clauses that the journal lacks, since they hold secrets (without).
func (t *try) evaluateAnew(ctx context.Context) (err error) {
	n, h := t.node, &t.header
	if h.Key == "" {
		err = t.evaluateKey(ctx)
	}
	if err == nil && n.On != nil && h.Conditions == nil {
		err = t.evaluateOn(ctx)
	}
	if err == nil && n.Unknown != nil && h.Unknown == nil {
		err = t.evaluateUnknown(ctx)
	}
	return t.frame.failWith(err, t.pos)
}

// goOnIn lets a try that had failed go on in the phase of a unit that a person has since marked as done, and forgets
// that failure. The limits begin anew, with that attempt as the first.
func (t *try) goOnIn(past tryProgress) *tryProgress {
	f := t.frame
	mending := t.mending()
	switch mending.Phase {
	case "":
		return &past
	case durable.PhaseCatch:
		past.Ended = &savedEnding{Failure: past.Caught}
	case durable.PhaseAttempt:
		past.Ended, past.Caught, past.Wait = nil, nil, 0
		t.start = f.run.clock.Now()
		past.Began = f.run.durable.ToScript(t.start)
		if h, before := &t.header, past.Number-1; h.Plan.Attempts > 0 {
			h.Plan.Attempts += before - h.Before
			h.Allowed, h.Before = h.Plan.Attempts, before
		}
		t.saveHeader()
	}
	past.Phase, mending.Phase = mending.Phase, ""
	*t.progress() = &past
	return &past
}

// saveHeader records the evaluated clauses in the journal, by which later runs go.
func (t *try) saveHeader() {
	t.header.Start = t.frame.run.durable.ToScript(t.start)
	saved := t.header.without(t.frame.run.secret.hides)
	*keep(t.frame, new(*header)) = &saved
}

// without returns the header without the clauses that hold a secret: a later run evaluates these again.
func (h header) without(hides func(string) bool) header {
	of := func(c condition) bool { return hides(c.Pattern) }
	if hides(h.Key) {
		h.Key, h.Anew = "", true
	}
	if slices.ContainsFunc(h.Conditions, of) || slices.ContainsFunc(h.Unknown, of) {
		h.Conditions, h.Unknown, h.Anew = nil, nil, true
	}
	return h
}

// resumption returns hooks by which a retry loop records its progress in the journal, and continues from what an
// earlier run has recorded.
func (t *try) resumption(hooks backoff.Hooks) backoff.Hooks {
	f := t.frame
	d, place := f.run.durable, f.place
	hooks.Note = func(p backoff.Progress) { t.saveProgress(p) }
	sleeping := hooks.Sleeping
	hooks.Sleeping = func(now, until time.Duration) {
		place.Sync(f, "wait")
		sleeping(now, until)
	}
	if past := t.past; past != nil {
		from := backoff.Progress{State: past.State.Shift(-d.Ahead()), Err: errorOf(t.last)}
		if past.Phase == durable.PhaseWait {
			from.Wait = max(1, d.ToClock(past.Wait))
			place.Abandoned()
		}
		if t.granted {
			from.Wait, from.Err = 1, errorOf(t.last)
		}
		hooks.Resume = &from
	}
	return hooks
}

// errorOf returns a failure as an error, which is nil if the failure is.
func errorOf(failure *Failure) error {
	if failure == nil {
		return nil
	}
	return failure
}

// grantAttempt allows one more attempt, and time for it: that of `each`, or else the whole limit once more.
func (t *try) grantAttempt() {
	plan, now := &t.header.Plan, t.frame.run.clock.Now()
	plan.Attempts = t.past.State.Attempts() + 1
	t.header.Allowed = plan.Attempts
	if plan.Deadline != backoff.Never {
		more := t.header.Each
		if more == 0 {
			more = t.header.Limit
		}
		plan.Deadline = max(plan.Deadline, saturatingAdd(now, more))
	}
}

// saveProgress records in the journal where the retry loop stands.
func (t *try) saveProgress(p backoff.Progress) {
	f := t.frame
	if f.place == nil {
		return
	}
	d := f.run.durable
	saved := tryProgress{
		Try:   durable.Try{Phase: durable.PhaseAttempt, Number: p.State.Attempts(), Item: durable.Text(f.shownItem())},
		State: p.State.Shift(d.Ahead()), Began: d.ToScript(f.run.clock.Now()),
		Last: f.run.saveFailure(t.last), Before: f.run.saveFailure(t.before), Tried: t.tried, Jobs: t.jobs.Save(),
	}
	t.began = f.run.clock.Now()
	if past := t.past; past != nil && past.Phase == durable.PhaseAttempt && past.Number == saved.Number && !t.granted {
		saved.Began = past.Began // it goes on
	}
	if p.Wait != 0 {
		saved.Phase, saved.Began, saved.Wait = durable.PhaseWait, 0, d.ToScript(p.Wait)
	}
	*t.progress(), t.mending().Granted = &saved, ""
}

// savePhase records that the catch or finally group begins, and the error that the try had come to before it.
func (t *try) savePhase(phase string, err error) {
	f := t.frame
	if f.place == nil {
		return
	}
	saved, e := tryProgress{}, f.run.saveEnding(err)
	if before := *t.progress(); before != nil {
		saved = *before
	}
	saved.Phase, saved.Number, saved.Wait, saved.Ended = phase, t.number, 0, &e
	saved.Late = t.late
	if phase == durable.PhaseCatch {
		saved.Caught = e.Failure
	}
	*t.progress() = &saved
}

// takeUp opens the files of the redirections again for a finally group that an earlier run had begun.
func (t *try) takeUp(ctx context.Context) error {
	if !t.wasIn(durable.PhaseFinally) || len(t.output.list) == 0 {
		return nil
	}
	return t.output.takeUp(ctx, t.groups)
}

// wasIn reports whether an earlier run ended in that phase.
func (t *try) wasIn(phase string) bool { return t.past != nil && t.past.Phase == phase }

// eachBegan returns when the attempt under way began, which an earlier run may have begun.
func (t *try) eachBegan() (began time.Duration) {
	f := t.frame
	now := f.run.clock.Now()
	if t.phase == attempting && t.past != nil && t.past.Phase == durable.PhaseAttempt &&
		t.past.Number == t.number && !t.granted {
		return f.run.durable.ToClock(t.past.Began)
	}
	return now
}
