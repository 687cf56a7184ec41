package interp

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/ast"
	"ftsh/backoff"
	"ftsh/interp/expand"
)

// A header holds what the clauses of a try say, evaluated, and nothing of it changes while the try runs. The
// journal of a durable script keeps it as it is.
type header struct {
	Start      time.Duration `json:"start"`             // in the script's time, in the journal
	Limit      time.Duration `json:"limit,omitempty"`   // 0: none
	Plan       backoff.Plan  `json:"plan"`              // its Deadline is for this run
	Allowed    int           `json:"allowed,omitempty"` // attempts, for events; 0: any number
	Before     int           `json:"before,omitempty"`  // attempts before that in which a unit was taken as done
	Each       time.Duration `json:"each,omitempty"`
	Why        string        `json:"why,omitempty"`     // what the time limit says when it cuts off
	Selects    bool          `json:"selects,omitempty"` // there is an only on or except on
	Except     bool          `json:"except,omitempty"`
	Conditions []condition   `json:"conditions,omitempty"`
	Unknown    []condition   `json:"unknown_on,omitempty"`
	Watches    bool          `json:"watches,omitempty"` // a condition needs what commands write to standard error
	Key        string        `json:"key"`
	Anew       bool          `json:"anew,omitempty"` // what holds a secret was left out, and is evaluated again
	via        *passage      // nil: no resource; it is asked for anew in each run
}

// evaluate evaluates the clauses of the try. A new clause has a line here.
func (t *try) evaluate(ctx context.Context) error {
	n := t.node
	plan := backoff.Plan{Deadline: backoff.Never, Attempts: 1, Backoff: t.frame.run.Backoff}
	t.header = header{Plan: plan, Allowed: 1}
	for _, clause := range [...]struct {
		written  bool
		evaluate func(context.Context) error
	}{
		{n.Key == nil, t.makeKey},
		{n.Key != nil, t.nameKey},
		{n.Limited(), t.evaluateLimits},
		{n.Each != nil, func(ctx context.Context) error { return t.frame.evaluatePeriod(ctx, n.Each, &t.header.Each) }},
		{n.Every != nil || n.Backoff != nil, t.evaluatePace},
		{n.On != nil, t.selection},
		{n.Unknown != nil, func(ctx context.Context) error { return t.conditions(ctx, n.Unknown, &t.header.Unknown) }},
		{n.Via != nil, t.describeResource},
	} {
		if !clause.written {
			continue
		}
		if err := clause.evaluate(ctx); err != nil {
			t.header.Plan, t.header.Allowed = backoff.Plan{Deadline: backoff.Never}, 0
			return t.frame.failWith(err, t.pos)
		}
	}
	return nil
}

// evaluateLimits evaluates LIMITS.
func (t *try) evaluateLimits(ctx context.Context) error {
	f, n, h := t.frame, t.node, &t.header
	if n.For != nil {
		var err error
		if h.Limit, err = expand.Duration(ctx, f, n.For); err != nil {
			return err
		}
		h.Plan.Attempts, h.Allowed = backoff.Unlimited, 0
		h.Why = "the limit of " + h.Limit.String() + " passed"
	}
	if n.Times == nil {
		return nil
	}
	times, err := expand.Integer(ctx, f, n.Times)
	if err == nil && times < 0 {
		err = f.faultAt(n.Times.At(), fmt.Sprintf("a try cannot make %d attempts; wanted 0 or more", times))
	}
	h.Plan.Attempts, h.Allowed = int(times), int(times)
	return err
}

// saturatingAdd is d later than a moment, at most Never. The moment is negative if it was before the boot.
func saturatingAdd(now, d time.Duration) time.Duration {
	if d > 0 && now > backoff.Never-d {
		return backoff.Never
	}
	return now + d
}

// evaluatePeriod evaluates a period, if there is one.
func (f *frame) evaluatePeriod(ctx context.Context, p *ast.Period, d *time.Duration) error {
	if p == nil {
		return nil
	}
	var err error
	*d, err = expand.Duration(ctx, f, p)
	return err
}

// evaluatePace evaluates every and backoff.
func (t *try) evaluatePace(ctx context.Context) error {
	f, n, plan := t.frame, t.node, &t.header.Plan
	if n.Every != nil {
		plan.HasEvery = true
		return f.evaluateWait(ctx, n.Every, &plan.Every)
	}
	b := &plan.Backoff
	b.Policy, _ = backoff.ParsePolicy(n.Backoff.Policy)
	if err := f.evaluateWait(ctx, n.Backoff.From, &b.Initial); err != nil {
		return err
	}
	if err := f.evaluateWait(ctx, n.Backoff.To, &b.Max); err != nil {
		return err
	}
	var err error
	if b.Factor, err = f.evaluateFactor(ctx, n.Backoff.By, factorBounds{"by", 1, b.Factor}); err != nil {
		return err
	}
	b.Jitter, err = f.evaluateFactor(ctx, n.Backoff.Jitter, factorBounds{"jitter", 0, b.Jitter})
	return err
}

// evaluateWait evaluates a wait, if there is one.
func (f *frame) evaluateWait(ctx context.Context, p *ast.Period, d *time.Duration) error {
	if p == nil {
		return nil
	}
	err := f.evaluatePeriod(ctx, p, d)
	*d = max(*d, backoff.Shortest)
	return err
}

// factorBounds names a number of a backoff clause, with its least and its usual value.
type factorBounds struct {
	word  string
	least float64
	usual float64 // if it is not written
}

// evaluateFactor evaluates a number of a backoff clause, in the terms of backoff.Backoff: -1 for 0.
func (f *frame) evaluateFactor(ctx context.Context, e ast.Expr, b factorBounds) (float64, error) {
	if e == nil {
		return b.usual, nil
	}
	value, err := expand.Decimal(ctx, f, e)
	switch {
	case err != nil:
		return 0, err
	case !(value >= b.least):
		return 0, f.faultAt(e.At(), fmt.Sprintf("%s %v: wanted a number of at least %v", b.word, value, b.least))
	case value == 0:
		return -1, nil
	}
	return value, nil
}

// nameKey evaluates the key clause. An empty key would be that of everything else, too.
func (t *try) nameKey(context.Context) (err error) {
	n := t.node.Key
	if t.header.Key, err = expand.Word(t.frame, n); err == nil && t.header.Key == "" {
		err = t.frame.faultAt(n.Pos, "the key is empty; wanted a name that belongs to this piece of work alone")
	}
	return err
}

// makeKey makes the key of a try that names none.
func (t *try) makeKey(context.Context) (err error) {
	if t.frame.run.Conductor != nil {
		t.header.Key = simulatedKey(t.frame.dice)
		return nil
	}
	if t.header.Key, err = randomKey(unix.Getrandom); err != nil {
		err = t.frame.announceFailure(newFailure(KindSystem, t.pos, err.Error()))
	}
	return err
}

// condition is one condition of only on, except on or unknown on.
type condition struct {
	From     int64          `json:"from,omitempty"` // exit statuses, if Kind and Pattern are not set
	To       int64          `json:"to,omitempty"`
	Kind     Kind           `json:"kind,omitempty"`    // of a failure
	Pattern  string         `json:"pattern,omitempty"` // sought in standard error
	compiled *regexp.Regexp // of the pattern; nil: it is none
}

// selection evaluates only on and except on.
func (t *try) selection(ctx context.Context) error {
	t.header.Selects, t.header.Except = true, t.node.On.Except
	return t.conditions(ctx, t.node.On, &t.header.Conditions)
}

func (t *try) conditions(ctx context.Context, n *ast.Conditions, list *[]condition) error {
	for i := range n.List {
		further, err := t.condition(ctx, &n.List[i])
		if err != nil {
			return err
		}
		*list = append(*list, further...)
	}
	return nil
}

func (t *try) condition(ctx context.Context, n *ast.Condition) ([]condition, error) {
	f := t.frame
	if n.Matching != nil {
		text, err := expand.Word(f, n.Matching)
		if err != nil {
			return nil, err
		}
		pattern, err := f.run.patterns.Get(text)
		if err != nil {
			return nil, f.faultAt(n.Matching.Pos, fmt.Sprintf("matching %q: %v", text, err))
		}
		t.header.Watches = true
		return []condition{{Pattern: cmp.Or(text, "(?:)"), compiled: pattern}}, nil
	}
	if r, ok := n.Value.(*ast.Range); ok {
		from, err := expand.Integer(ctx, f, r.From)
		if err != nil {
			return nil, err
		}
		to, err := expand.Integer(ctx, f, r.To)
		return []condition{{From: min(from, to), To: max(from, to)}}, err
	}
	values, err := expand.List(ctx, f, []ast.Expr{n.Value})
	if err != nil {
		return nil, err
	}
	return f.readConditions(n, values)
}

// readConditions reads conditions that are words: exit statuses and kinds.
func (f *frame) readConditions(n *ast.Condition, values *expand.Sequence) (list []condition, err error) {
	for i := range values.Len() {
		text, err := values.At(i).Text()
		if err != nil {
			return nil, err
		}
		text = strings.TrimSuffix(text, ",")
		if status, err := strconv.ParseInt(text, 10, 64); err == nil {
			list = append(list, condition{From: status, To: status})
		} else if kind := Kind(text); kind.isKind() {
			list = append(list, condition{Kind: kind})
		} else {
			return nil, f.faultAt(n.Value.At(), fmt.Sprintf("%q is no condition; wanted an exit status, "+
				"a range such as 64 .to. 78, "+
				"a kind of failure such as timeout, missing, signal, system or error, or matching PATTERN", text))
		}
	}
	return list, nil
}

// worthwhile reports whether a failure is worth another attempt. Where the script does not
// say, a mistake in the script itself is not: it stays wrong.
func (h *header) worthwhile(failure *Failure) bool {
	if !h.Selects {
		return !failure.isMistake()
	}
	return anyHolds(h.Conditions, failure, h.Except) != h.Except
}

// anyHolds reports whether any of the conditions holds; unseen is the answer for a pattern that may have stood in
// what is no longer known of standard error.
func anyHolds(list []condition, failure *Failure, unseen bool) bool {
	return slices.ContainsFunc(list, func(c condition) bool { return c.holds(failure, unseen) })
}

func (c *condition) holds(failure *Failure, unseen bool) bool {
	switch {
	case c.compiled != nil:
		return failure.Stderr.Matches(c.compiled) || unseen && failure.Stderr.IsTorn()
	case c.Kind != "":
		return failure.Kind == c.Kind
	}
	return c.From <= int64(failure.Status) && int64(failure.Status) <= c.To
}
