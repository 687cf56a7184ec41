package interp

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"ftsh/ast"
	"ftsh/backoff"
	"ftsh/interp/expand"
)

// header is what the clauses of a try say, evaluated.
type header struct {
	plan       backoff.Plan
	limit      time.Duration // for T; it begins with the try
	each       time.Duration
	why        string // what the time limit says when it cuts off
	selects    bool   // there is an only on or except on
	conditions []condition
	except     bool
	unknown    []condition // unknown on
	key        string      // "": one is made
	via        *passage    // nil: no resource
}

// header evaluates the clauses of a try. If that fails the try has failed, before its first attempt.
func (f *frame) header(ctx context.Context, s *ast.Stmt, n *ast.Try) (*header, error) {
	h := &header{plan: backoff.Plan{Deadline: backoff.Never, Attempts: 1, Backoff: f.run.Backoff}}
	steps := []func() error{
		func() error { return f.bounds(ctx, n, h) },
		func() error { return f.pace(ctx, n, h) },
		func() error { return f.sorting(ctx, n, h) },
		func() error { return f.key(n, h) },
		func() error { return f.viaResource(ctx, s, n, h) },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return &header{plan: backoff.Plan{Deadline: backoff.Never}}, f.fail(err, s.Pos)
		}
	}
	return h, nil
}

// bounds evaluates LIMITS and each.
func (f *frame) bounds(ctx context.Context, n *ast.Try, h *header) error {
	if n.For != nil {
		if err := f.period(ctx, n.For, &h.limit); err != nil {
			return err
		}
		h.plan.Attempts = backoff.Unlimited
		h.why = "the limit of " + brief(h.limit) + " passed"
	}
	if n.Times != nil {
		times, err := expand.Integer(ctx, f, n.Times)
		if err != nil {
			return err
		}
		if times < 0 {
			return f.fault(n.Times.At(), fmt.Sprintf("a try cannot make %d attempts; wanted 0 or more", times))
		}
		h.plan.Attempts = int(times)
	}
	return f.period(ctx, n.Each, &h.each)
}

// after is a moment in the future, at most Never.
func after(now, d time.Duration) time.Duration {
	if d >= backoff.Never-now {
		return backoff.Never
	}
	return now + d
}

// period evaluates a period, if there is one.
func (f *frame) period(ctx context.Context, p *ast.Period, d *time.Duration) error {
	if p == nil {
		return nil
	}
	var err error
	*d, err = expand.Duration(ctx, f, p)
	return err
}

// pace evaluates every and backoff.
func (f *frame) pace(ctx context.Context, n *ast.Try, h *header) error {
	if n.Every != nil {
		h.plan.HasEvery = true
		return f.period(ctx, n.Every, &h.plan.Every)
	}
	if n.Backoff == nil {
		return nil
	}
	b := &h.plan.Backoff
	b.Policy, _ = backoff.ParsePolicy(n.Backoff.Policy)
	if err := f.wait(ctx, n.Backoff.From, &b.Initial); err != nil {
		return err
	}
	if err := f.wait(ctx, n.Backoff.To, &b.Max); err != nil {
		return err
	}
	if err := f.factor(ctx, n.Backoff.By, 1, "by", &b.Factor); err != nil {
		return err
	}
	return f.factor(ctx, n.Backoff.Jitter, 0, "jitter", &b.Jitter)
}

// wait evaluates a wait of a backoff clause, in the terms of backoff.Backoff: -1 for none at all.
func (f *frame) wait(ctx context.Context, p *ast.Period, d *time.Duration) error {
	if err := f.period(ctx, p, d); err != nil {
		return err
	}
	if p != nil && *d == 0 {
		*d = -1
	}
	return nil
}

// factor evaluates a number of a backoff clause, which is at least so much.
func (f *frame) factor(ctx context.Context, e ast.Expr, least float64, word string, number *float64) error {
	if e == nil {
		return nil
	}
	value, err := expand.Decimal(ctx, f, e)
	if err != nil {
		return err
	}
	if !(value >= least) {
		return f.fault(e.At(), fmt.Sprintf("%s %v: wanted a number of at least %v", word, value, least))
	}
	if *number = value; value == 0 {
		*number = -1
	}
	return nil
}

// key evaluates the key clause. An empty key would be that of everything else, too.
func (f *frame) key(n *ast.Try, h *header) (err error) {
	if n.Key == nil {
		return nil
	}
	if h.key, err = expand.Word(f, n.Key); err == nil && h.key == "" {
		err = f.fault(n.Key.Pos, "the key is empty; wanted a name that belongs to this piece of work alone")
	}
	return err
}

// condition is one condition of only on, except on or unknown on.
type condition struct {
	from, to int64          // exit statuses, if kind and pattern are not set
	kind     Kind           // a kind of failure
	pattern  *regexp.Regexp // sought in standard error
}

// sorting evaluates only on, except on and unknown on.
func (f *frame) sorting(ctx context.Context, n *ast.Try, h *header) error {
	if n.On != nil {
		h.selects, h.except = true, n.On.Except
		if err := f.conditions(ctx, n.On, &h.conditions); err != nil {
			return err
		}
	}
	if n.Unknown == nil {
		return nil
	}
	return f.conditions(ctx, n.Unknown, &h.unknown)
}

func (f *frame) conditions(ctx context.Context, n *ast.Conditions, list *[]condition) error {
	for i := range n.List {
		if err := f.condition(ctx, &n.List[i], list); err != nil {
			return err
		}
	}
	return nil
}

func (f *frame) condition(ctx context.Context, n *ast.Condition, list *[]condition) error {
	if n.Matching != nil {
		text, err := expand.Word(f, n.Matching)
		if err != nil {
			return err
		}
		pattern, err := f.run.patterns.Get(text)
		if err != nil {
			return f.fault(n.Matching.Pos, fmt.Sprintf("matching %q: %v", text, err))
		}
		*list = append(*list, condition{pattern: pattern})
		return nil
	}
	if r, ok := n.Value.(*ast.Range); ok {
		from, err := expand.Integer(ctx, f, r.From)
		if err != nil {
			return err
		}
		to, err := expand.Integer(ctx, f, r.To)
		*list = append(*list, condition{from: min(from, to), to: max(from, to)})
		return err
	}
	values, err := expand.List(ctx, f, []ast.Expr{n.Value})
	if err != nil {
		return err
	}
	return f.words(n, values, list)
}

// words reads conditions that are words: exit statuses and kinds.
func (f *frame) words(n *ast.Condition, values *expand.Sequence, list *[]condition) error {
	for i := range values.Len() {
		text, err := values.At(i).Text()
		if err != nil {
			return err
		}
		text = strings.TrimSuffix(text, ",")
		if status, err := strconv.ParseInt(text, 10, 64); err == nil {
			*list = append(*list, condition{from: status, to: status})
		} else if kind := Kind(text); kind.valid() {
			*list = append(*list, condition{kind: kind})
		} else {
			return f.fault(n.Value.At(), fmt.Sprintf("%q is no condition; wanted an exit status, a range such as 64 .to. 78, "+
				"a kind of failure such as timeout, missing, signal, system or error, or matching PATTERN", text))
		}
	}
	return nil
}

// matches tells whether a condition needs what commands write to standard error.
func (h *header) matches() bool {
	seeks := func(c condition) bool { return c.pattern != nil }
	return slices.ContainsFunc(h.conditions, seeks) || slices.ContainsFunc(h.unknown, seeks)
}

// worthwhile tells whether a failure is worth another attempt.
func (h *header) worthwhile(failure *Failure) bool {
	if !h.selects {
		return true
	}
	return holds(h.conditions, failure) != h.except
}

// holds tells whether any of the conditions holds.
func holds(list []condition, failure *Failure) bool {
	return slices.ContainsFunc(list, func(c condition) bool { return c.holds(failure) })
}

func (c *condition) holds(failure *Failure) bool {
	switch {
	case c.pattern != nil:
		return failure.Stderr.matches(c.pattern)
	case c.kind != "":
		return failure.Kind == c.kind
	}
	return c.from <= int64(failure.Status) && int64(failure.Status) <= c.to
}
