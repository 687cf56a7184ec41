package interp

import (
	"context"
	"fmt"
	"time"

	"ftsh/ast"
	"ftsh/backoff"
	"ftsh/interp/expand"
)

// evaluate evaluates the clauses of the try in the order of the table: a new clause is a row. If one fails, the try has
// failed before its first attempt.
func (t *try) evaluate(ctx context.Context) error {
	n := t.node
	plan := backoff.Plan{Deadline: backoff.Never, Attempts: 1, Backoff: t.frame.run.Backoff}
	t.header = header{Plan: plan, Allowed: 1}
	for _, clause := range [...]struct {
		applies  bool
		evaluate func(context.Context) error
	}{
		{n.Key == nil, t.makeKey},
		{n.Key != nil, t.evaluateKey},
		{n.Limited(), t.evaluateLimits},
		{n.Each != nil, func(ctx context.Context) error { return t.frame.evaluatePeriod(ctx, n.Each, &t.header.Each) }},
		{n.Every != nil || n.Backoff != nil, t.evaluatePace},
		{n.On != nil, t.evaluateOn},
		{n.Unknown != nil, t.evaluateUnknown},
		{n.Via != nil, t.evaluateVia},
	} {
		if !clause.applies {
			continue
		}
		if err := clause.evaluate(ctx); err != nil {
			t.header.Plan, t.header.Allowed = backoff.Plan{Deadline: backoff.Never}, 0
			return t.frame.failWith(err, t.pos)
		}
	}
	return nil
}

// unattempted adds the reason to the failure of a clause: rejected in a try with limits, which does not repeat it; in
// any other the failure counts as that of its one attempt.
func (t *try) unattempted(err error) error {
	failure := asFailure(err)
	switch {
	case failure == nil || failure.cut != nil:
		return err
	case t.node.Limited():
		return failure.withReason(backoff.Rejected)
	case failure.Reason == "":
		return failure.withReason(backoff.Attempts)
	}
	return err
}

// canSee returns the failure of a try that says matching where the standard error of programs cannot be read. It is
// asked before anything of the try runs.
func (t *try) canSee() error {
	f := t.frame
	err := f.run.World.Followable()
	if err == nil {
		return nil
	}
	failure := unseenFailure(err)
	failure.Pos = t.pos
	return t.unattempted(t.groups.announceFailure(failure))
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

// saturatingAdd returns now + d, at most Never. now is negative if it was before the boot.
func saturatingAdd(now, d time.Duration) time.Duration {
	if d > 0 && now > backoff.Never-d {
		return backoff.Never
	}
	return now + d
}

// evaluatePeriod stores the length of a period in d, if the period is written.
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

// evaluateWait stores the length of a wait in d, if the wait is written: never less than backoff.Shortest.
func (f *frame) evaluateWait(ctx context.Context, p *ast.Period, d *time.Duration) error {
	if p == nil {
		return nil
	}
	err := f.evaluatePeriod(ctx, p, d)
	*d = max(*d, backoff.Shortest)
	return err
}

// factorBounds holds the word of a number in a backoff clause, its least value and its default.
type factorBounds struct {
	word  string
	least float64
	usual float64
}

// evaluateFactor evaluates a number of a backoff clause. It returns -1 for 0, as backoff.Backoff wants it, where 0
// stands for the default.
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

// evaluateKey evaluates the key clause. An empty key is an error: other work could have it, too.
func (t *try) evaluateKey(context.Context) (err error) {
	n := t.node.Key
	if t.header.Key, err = expand.Word(t.frame, n); err == nil && t.header.Key == "" {
		err = t.frame.faultAt(n.Pos, "the key is empty; wanted a name that belongs to this piece of work alone")
	}
	return err
}

// makeKey makes the key of a try that names none.
func (t *try) makeKey(context.Context) (err error) {
	if t.header.Key, err = t.frame.run.World.Key(t.frame.state.dice.Uint64); err != nil {
		err = t.frame.announceFailure(newFailure(KindSystem, t.pos, err.Error()))
	}
	return err
}
