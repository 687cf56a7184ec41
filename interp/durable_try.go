package interp

import (
	"context"
	"time"

	"ftsh/backoff"
)

// The keys of a try: what its clauses said, and how far it has come.
const (
	keyTry      = "try"
	keyProgress = "progress"
)

// savedHeader is what the clauses of a try said, and what else does not change while it runs.
// Times of the plan are periods; the try began at Start in the script's time.
type savedHeader struct {
	Start      time.Duration    `json:"start"`
	Limit      time.Duration    `json:"limit,omitempty"`
	Attempts   int              `json:"attempts"`
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
	Limited    bool             `json:"limited,omitempty"`
	Verifies   bool             `json:"verifies,omitempty"`
	Catches    bool             `json:"catches,omitempty"`
}

type savedCondition struct {
	From    int64  `json:"from,omitempty"`
	To      int64  `json:"to,omitempty"`
	Kind    Kind   `json:"kind,omitempty"`
	Pattern string `json:"pattern,omitempty"`
}

// tryProgress is how far a try has come. Its moments are in the script's time.
type tryProgress struct {
	Phase   string        `json:"phase"`
	Number  int           `json:"attempt"`
	State   backoff.State `json:"state"`
	Began   time.Duration `json:"began,omitempty"` // the attempt under way
	Wait    time.Duration `json:"wait,omitempty"`  // until when
	Last    *savedFailure `json:"last,omitempty"`
	Before  *savedFailure `json:"before,omitempty"`
	Tried   int           `json:"tried,omitempty"`
	Spent   time.Duration `json:"spent,omitempty"`
	Ended   *savedEnding  `json:"ended,omitempty"`   // how the attempts ended, or the catch group
	Granted bool          `json:"granted,omitempty"` // one more attempt, whatever the limits say
	Caught  *savedFailure `json:"caught,omitempty"`
}

// The phases of a try in the journal.
const (
	phaseAttempt = "attempt"
	phaseWait    = "wait"
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
	var saved savedHeader
	if !f.resumed(keyTry, &saved) {
		return false, nil
	}
	t.header = saved.header()
	if t.header.conditions, err = f.conditionsOf(saved.Conditions); err != nil {
		return true, f.fault(t.pos, err.Error())
	}
	if t.header.unknown, err = f.conditionsOf(saved.Unknown); err != nil {
		return true, f.fault(t.pos, err.Error())
	}
	t.start = f.run.durable.toClock(saved.Start)
	t.past = &tryProgress{}
	if !f.resumed(keyProgress, t.past) {
		t.past = nil
	} else {
		t.number, t.tried = t.past.Number, t.past.Tried
		t.last, t.before = t.past.Last.failure(f.run), t.past.Before.failure(f.run)
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
		Start: f.run.durable.toScript(t.start), Limit: h.limit, Attempts: h.plan.Attempts, Each: h.each,
		Backoff: h.plan.Backoff, Why: h.why,
		Selects: h.selects, Except: h.except, Conditions: saveConditions(h.conditions), Unknown: saveConditions(h.unknown),
		Watches: h.watches, Key: h.key, Limited: t.node.Limited(),
		Verifies: t.node.Verify != nil, Catches: t.node.Catch != nil,
	}
	if h.plan.HasEvery {
		saved.Every = &h.plan.Every
	}
	decide(f, keyTry, saved)
}

// resumption makes a retry loop tell the journal where it stands, and go on where it stood.
func (t *try) resumption(hooks backoff.Hooks) backoff.Hooks {
	f := t.frame
	d, place := f.run.durable, f.place
	hooks.Note = func(p backoff.Progress) { t.saveProgress(p) }
	sleeping := hooks.Sleeping
	hooks.Sleeping = func(now, until time.Duration) {
		mark := f.record("wait", nil)
		place.below = true
		_ = d.sync(mark) // it has suspended the script
		sleeping(now, until)
	}
	if past := t.past; past != nil {
		from := backoff.Progress{State: past.State.Shift(-d.zero), Err: errorOf(t.last)}
		if past.Phase == phaseWait {
			from.Wait = max(1, d.toClock(past.Wait))
			f.abandoned()
		}
		if past.Granted {
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
		Phase: phaseAttempt, Number: p.State.Attempts(), State: p.State.Shift(d.zero), Began: d.toScript(f.run.clock.Now()),
		Last: f.run.durable.saveFailure(t.last), Before: f.run.durable.saveFailure(t.before), Tried: t.tried,
	}
	t.began = f.run.clock.Now()
	if past := t.past; past != nil && past.Phase == phaseAttempt && past.Number == saved.Number && !past.Granted {
		saved.Began = past.Began // it goes on
	}
	if p.Wait != 0 {
		saved.Phase, saved.Began, saved.Wait = phaseWait, 0, d.toScript(p.Wait)
	}
	decide(f, keyProgress, saved)
}

// savePhase notes that the catch or finally group begins, and how what was before it ended.
func (t *try) savePhase(phase string, err error) {
	f := t.frame
	if f.place == nil {
		return
	}
	e := f.run.durable.saveEnding(err)
	decide(f, keyProgress, tryProgress{Phase: phase, Number: t.number, Tried: t.tried, Ended: &e})
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
	defer func(place *place) { f.place = place }(f.place)
	f.place = nil
	return run()
}

// eachBegan is when the attempt under way began.
func (t *try) eachBegan() (began time.Duration) {
	f := t.frame
	now := f.run.clock.Now()
	if t.phase == attempting && t.past != nil && t.past.Phase == phaseAttempt &&
		t.past.Number == t.number && !t.past.Granted {
		return f.run.durable.toClock(t.past.Began)
	}
	return now
}
