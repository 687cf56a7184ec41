package interp

import (
	"context"
	"time"

	"ftsh/ast"
	"ftsh/backoff"
	"ftsh/interp/durable"
)

// savedHeader is what the clauses of a try said, and what else does not change while it runs.
// Times of the plan are periods.
type savedHeader struct {
	durable.Clauses
	Each       time.Duration    `json:"each,omitempty"`
	Every      *time.Duration   `json:"every,omitempty"`
	Backoff    backoff.Backoff  `json:"backoff"`
	Why        string           `json:"why,omitempty"`
	Selects    bool             `json:"selects,omitempty"`
	Except     bool             `json:"except,omitempty"`
	Conditions []savedCondition `json:"conditions,omitempty"`
	Unknown    []savedCondition `json:"unknown_on,omitempty"`
	Watches    bool             `json:"watches,omitempty"`
	Key        string           `json:"key"`
}

type savedCondition struct {
	From    int64  `json:"from,omitempty"`
	To      int64  `json:"to,omitempty"`
	Kind    Kind   `json:"kind,omitempty"`
	Pattern string `json:"pattern,omitempty"`
}

// tryProgress is how far a try has come. Its moments are in the script's time.
type tryProgress struct {
	durable.Try
	State  backoff.State `json:"state"`
	Began  time.Duration `json:"began,omitempty"` // the attempt under way
	Last   *savedFailure `json:"last,omitempty"`
	Before *savedFailure `json:"before,omitempty"`
	Tried  int           `json:"tried,omitempty"`
	Ended  *savedEnding  `json:"ended,omitempty"` // how the attempts ended, or the catch group
}

// The phases of a try in the journal.
const (
	phaseAttempt = "attempt"
	phaseWait    = durable.PhaseWait
	phaseCatch   = "catch"
	phaseFinally = "finally"
)

func saveConditions(list []condition) (saved []savedCondition) {
	for _, c := range list {
		s := savedCondition{From: c.from, To: c.to, Kind: c.kind}
		if c.pattern != nil {
			s.Pattern = c.pattern.String()
		}
		saved = append(saved, s)
	}
	return saved
}

func (f *frame) conditionsOf(saved []savedCondition) (list []condition, err error) {
	for _, s := range saved {
		c := condition{from: s.From, to: s.To, kind: s.Kind}
		if s.Pattern != "" {
			if c.pattern, err = f.run.patterns.Get(s.Pattern); err != nil {
				return nil, err
			}
		}
		list = append(list, c)
	}
	return list, nil
}

// begun gives a try what an earlier run has decided about it; false: it begins now.
func (t *try) begun(ctx context.Context) (resumed bool, err error) {
	f := t.frame
	saved, resumed := durable.Decided[savedHeader](f.place, durable.KeyTry)
	if !resumed {
		return false, nil
	}
	t.header = saved.header()
	if t.header.conditions, err = f.conditionsOf(saved.Conditions); err != nil {
		return true, f.fault(t.pos, err.Error())
	}
	if t.header.unknown, err = f.conditionsOf(saved.Unknown); err != nil {
		return true, f.fault(t.pos, err.Error())
	}
	t.start = f.run.durable.ToClock(saved.Start)
	if past, going := durable.Decided[tryProgress](f.place, durable.KeyProgress); going {
		t.past, t.number, t.tried = &past, past.Number, past.Tried
		t.last, t.before = past.Last.failure(f.run), past.Before.failure(f.run)
	}
	if command, granted := durable.Decided[string](f.place, durable.KeyGranted); granted && command != "" && t.past != nil {
		t.granted, t.last = true, saveFailure(leftUnderWay(command)).failure(f.run)
		t.before = t.last
	}
	if t.node.Via != nil { // a resource is asked for anew
		err = t.describeResource(ctx)
	}
	return true, err
}

func (s *savedHeader) header() header {
	h := header{
		plan:  backoff.Plan{Deadline: backoff.Never, Attempts: s.Attempts, Backoff: s.Backoff},
		limit: s.Limit, each: s.Each, why: s.Why, selects: s.Selects, except: s.Except, watches: s.Watches, key: s.Key,
	}
	h.allowed = max(0, s.Attempts)
	if s.Every != nil {
		h.plan.HasEvery, h.plan.Every = true, *s.Every
	}
	return h
}

// saveHeader decides what the try will be for later runs.
func (t *try) saveHeader() {
	f, h := t.frame, &t.header
	saved := savedHeader{
		Clauses: durable.Clauses{
			Start: f.run.durable.ToScript(t.start), Limit: h.limit, Attempts: h.plan.Attempts, Limited: t.node.Limited(),
			Verifies: t.node.Verify != nil, Catches: t.node.Catch != nil,
			Repeats: h.worthwhile(failed(KindUnknown, ast.Pos{}, "")),
		},
		Each: h.each, Backoff: h.plan.Backoff, Why: h.why, Selects: h.selects, Except: h.except,
		Conditions: saveConditions(h.conditions), Unknown: saveConditions(h.unknown), Watches: h.watches, Key: h.key,
	}
	if h.plan.HasEvery {
		saved.Every = &h.plan.Every
	}
	durable.Decide(f.place, durable.KeyTry, saved)
}

// resumption makes a retry loop tell the journal where it stands, and go on where it stood.
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
		if past.Phase == phaseWait {
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

// errorOf is a failure as an error, which is nil where there is none.
func errorOf(failure *Failure) error {
	if failure == nil {
		return nil
	}
	return failure
}

// grant allows one attempt more, within `each` or else within the whole limit.
func (t *try) grant() {
	plan, now := &t.header.plan, t.frame.run.clock.Now()
	plan.Attempts = t.past.State.Attempts() + 1
	t.header.allowed = plan.Attempts
	if plan.Deadline != backoff.Never {
		more := t.header.each
		if more == 0 {
			more = t.header.limit
		}
		plan.Deadline = max(plan.Deadline, after(now, more))
	}
}

// saveProgress notes where the retry loop stands.
func (t *try) saveProgress(p backoff.Progress) {
	f := t.frame
	if f.place == nil {
		return
	}
	d := f.run.durable
	saved := tryProgress{
		Try:   durable.Try{Phase: phaseAttempt, Number: p.State.Attempts()},
		State: p.State.Shift(d.Ahead()), Began: d.ToScript(f.run.clock.Now()),
		Last: f.run.saveFailure(t.last), Before: f.run.saveFailure(t.before), Tried: t.tried,
	}
	t.began = f.run.clock.Now()
	if past := t.past; past != nil && past.Phase == phaseAttempt && past.Number == saved.Number && !t.granted {
		saved.Began = past.Began // it goes on
	}
	if p.Wait != 0 {
		saved.Phase, saved.Began, saved.Wait = phaseWait, 0, d.ToScript(p.Wait)
	}
	durable.Decide(f.place, durable.KeyProgress, saved)
	if t.granted {
		durable.Decide(f.place, durable.KeyGranted, "")
	}
}

// savePhase notes that the catch or finally group begins, and how what was before it ended.
func (t *try) savePhase(phase string, err error) {
	f := t.frame
	if f.place == nil {
		return
	}
	e := f.run.saveEnding(err)
	durable.Decide(f.place, durable.KeyProgress,
		tryProgress{Try: durable.Try{Phase: phase, Number: t.number}, Tried: t.tried, Ended: &e})
}

// takeUp opens what the attempts have written to for a finally group that goes on.
func (t *try) takeUp(ctx context.Context) error {
	if !t.in(phaseFinally) || len(t.output.list) == 0 {
		return nil
	}
	return t.output.takeUp(ctx)
}

// in reports whether an earlier run has come to that phase.
func (t *try) in(phase string) bool { return t.past != nil && t.past.Phase == phase }

// unrecorded runs a verify or sense group: one that is interrupted is repeated, whatever it has done.
func (t *try) unrecorded(run func() error) error {
	f := t.frame
	defer func(place *durable.Place) { f.place = place }(f.place)
	f.place = nil
	return run()
}

// eachBegan is when the attempt under way began.
func (t *try) eachBegan() (began time.Duration) {
	f := t.frame
	now := f.run.clock.Now()
	if t.phase == attempting && t.past != nil && t.past.Phase == phaseAttempt &&
		t.past.Number == t.number && !t.granted {
		return f.run.durable.ToClock(t.past.Began)
	}
	return now
}
