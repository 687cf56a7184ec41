package interp

import (
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

// header is what the clauses of a try say, evaluated.
type header struct {
	plan       backoff.Plan
	allowed    int           // attempts, for events; 0: any number
	limit      time.Duration // for T; it begins with the try
	each       time.Duration
	why        string // what the time limit says when it cuts off
	selects    bool   // there is an only on or except on
	except     bool
	conditions []condition
	unknown    []condition // unknown on
	watches    bool        // a condition needs what commands write to standard error
	key        string
	via        *passage // nil: no resource
}

// evaluate evaluates the clauses of the try. A new clause has a line here.
func (t *try) evaluate(ctx context.Context) error {
	n := t.node
	t.header = header{plan: backoff.Plan{Deadline: backoff.Never, Attempts: 1, Backoff: t.frame.run.Backoff}, allowed: 1}
	for _, clause := range [...]struct {
		written  bool
		evaluate func(context.Context) error
	}{
		{n.Key == nil, t.makeKey},
		{n.Key != nil, t.nameKey},
		{n.Limited(), t.limits},
		{n.Each != nil, func(ctx context.Context) error { return t.frame.period(ctx, n.Each, &t.header.each) }},
		{n.Every != nil || n.Backoff != nil, t.pace},
		{n.On != nil, t.selection},
		{n.Unknown != nil, func(ctx context.Context) error { return t.conditions(ctx, n.Unknown, &t.header.unknown) }},
		{n.Via != nil, t.describeResource},
	} {
		if !clause.written {
			continue
		}
		if err := clause.evaluate(ctx); err != nil {
			t.header.plan, t.header.allowed = backoff.Plan{Deadline: backoff.Never}, 0
			return t.frame.fail(err, t.pos)
		}
	}
	return nil
}

// limits evaluates LIMITS.
func (t *try) limits(ctx context.Context) error {
	f, n, h := t.frame, t.node, &t.header
	if n.For != nil {
		var err error
		if h.limit, err = expand.Duration(ctx, f, n.For); err != nil {
			return err
		}
		h.plan.Attempts, h.allowed = backoff.Unlimited, 0
		h.why = "the limit of " + h.limit.String() + " passed"
	}
	if n.Times == nil {
		return nil
	}
	times, err := expand.Integer(ctx, f, n.Times)
	if err == nil && times < 0 {
		err = f.fault(n.Times.At(), fmt.Sprintf("a try cannot make %d attempts; wanted 0 or more", times))
	}
	h.plan.Attempts, h.allowed = int(times), int(times)
	return err
}

// after is d later than a moment, at most Never. The moment is negative if it was before the boot.
func after(now, d time.Duration) time.Duration {
	if d > 0 && now > backoff.Never-d {
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
func (t *try) pace(ctx context.Context) error {
	f, n, plan := t.frame, t.node, &t.header.plan
	if n.Every != nil {
		plan.HasEvery = true
		return f.wait(ctx, n.Every, &plan.Every)
	}
	b := &plan.Backoff
	b.Policy, _ = backoff.ParsePolicy(n.Backoff.Policy)
	if err := f.wait(ctx, n.Backoff.From, &b.Initial); err != nil {
		return err
	}
	if err := f.wait(ctx, n.Backoff.To, &b.Max); err != nil {
		return err
	}
	var err error
	if b.Factor, err = f.factor(ctx, n.Backoff.By, factorBounds{"by", 1, b.Factor}); err != nil {
		return err
	}
	b.Jitter, err = f.factor(ctx, n.Backoff.Jitter, factorBounds{"jitter", 0, b.Jitter})
	return err
}

// wait evaluates a wait, if there is one.
func (f *frame) wait(ctx context.Context, p *ast.Period, d *time.Duration) error {
	if p == nil {
		return nil
	}
	err := f.period(ctx, p, d)
	*d = max(*d, backoff.Shortest)
	return err
}

// factorBounds is what a number of a backoff clause is called, and may be.
type factorBounds struct {
	word  string
	least float64
	usual float64 // if it is not written
}

// factor evaluates a number of a backoff clause, in the terms of backoff.Backoff: -1 for 0.
func (f *frame) factor(ctx context.Context, e ast.Expr, b factorBounds) (float64, error) {
	if e == nil {
		return b.usual, nil
	}
	value, err := expand.Decimal(ctx, f, e)
	switch {
	case err != nil:
		return 0, err
	case !(value >= b.least):
		return 0, f.fault(e.At(), fmt.Sprintf("%s %v: wanted a number of at least %v", b.word, value, b.least))
	case value == 0:
		return -1, nil
	}
	return value, nil
}

// nameKey evaluates the key clause. An empty key would be that of everything else, too.
func (t *try) nameKey(context.Context) (err error) {
	n := t.node.Key
	if t.header.key, err = expand.Word(t.frame, n); err == nil && t.header.key == "" {
		err = t.frame.fault(n.Pos, "the key is empty; wanted a name that belongs to this piece of work alone")
	}
	return err
}

// makeKey makes the key of a try that names none.
func (t *try) makeKey(context.Context) (err error) {
	if t.frame.run.Conductor != nil {
		t.header.key = simulatedKey(t.frame.dice)
		return nil
	}
	if t.header.key, err = randomKey(unix.Getrandom); err != nil {
		err = t.frame.announce(failed(KindSystem, t.pos, err.Error()))
	}
	return err
}

// condition is one condition of only on, except on or unknown on.
type condition struct {
	from, to int64          // exit statuses, if kind and pattern are not set
	kind     Kind           // a kind of failure
	pattern  *regexp.Regexp // sought in standard error
}

// selection evaluates only on and except on.
func (t *try) selection(ctx context.Context) error {
	t.header.selects, t.header.except = true, t.node.On.Except
	return t.conditions(ctx, t.node.On, &t.header.conditions)
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
			return nil, f.fault(n.Matching.Pos, fmt.Sprintf("matching %q: %v", text, err))
		}
		t.header.watches = true
		return []condition{{pattern: pattern}}, nil
	}
	if r, ok := n.Value.(*ast.Range); ok {
		from, err := expand.Integer(ctx, f, r.From)
		if err != nil {
			return nil, err
		}
		to, err := expand.Integer(ctx, f, r.To)
		return []condition{{from: min(from, to), to: max(from, to)}}, err
	}
	values, err := expand.List(ctx, f, []ast.Expr{n.Value})
	if err != nil {
		return nil, err
	}
	return f.words(n, values)
}

// words reads conditions that are words: exit statuses and kinds.
func (f *frame) words(n *ast.Condition, values *expand.Sequence) (list []condition, err error) {
	for i := range values.Len() {
		text, err := values.At(i).Text()
		if err != nil {
			return nil, err
		}
		text = strings.TrimSuffix(text, ",")
		if status, err := strconv.ParseInt(text, 10, 64); err == nil {
			list = append(list, condition{from: status, to: status})
		} else if kind := Kind(text); kind.valid() {
			list = append(list, condition{kind: kind})
		} else {
			return nil, f.fault(n.Value.At(), fmt.Sprintf("%q is no condition; wanted an exit status, "+
				"a range such as 64 .to. 78, "+
				"a kind of failure such as timeout, missing, signal, system or error, or matching PATTERN", text))
		}
	}
	return list, nil
}

// worthwhile reports whether a failure is worth another attempt. Where the script does not
// say, a mistake in the script itself is not: it stays wrong.
func (h *header) worthwhile(failure *Failure) bool {
	if !h.selects {
		return !failure.isMistake()
	}
	return holds(h.conditions, failure, h.except) != h.except
}

// holds reports whether any of the conditions holds; unseen is the answer for a pattern that may have stood in what is
// no longer known of standard error.
func holds(list []condition, failure *Failure, unseen bool) bool {
	return slices.ContainsFunc(list, func(c condition) bool { return c.holds(failure, unseen) })
}

func (c *condition) holds(failure *Failure, unseen bool) bool {
	switch {
	case c.pattern != nil:
		return failure.Stderr.matches(c.pattern) || unseen && failure.Stderr.torn
	case c.kind != "":
		return failure.Kind == c.kind
	}
	return c.from <= int64(failure.Status) && int64(failure.Status) <= c.to
}
