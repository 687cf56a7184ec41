package interp

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ftsh/ast"
	"ftsh/interp/expand"
	"ftsh/interp/value"
)

// evaluateOn evaluates only on and except on.
func (t *try) evaluateOn(ctx context.Context) error {
	t.frame.place.Clause(1)
	t.header.Selects, t.header.Except = true, t.node.On.Except
	return t.evaluateConditions(ctx, t.node.On, &t.header.Conditions)
}

// evaluateUnknown evaluates unknown on.
func (t *try) evaluateUnknown(ctx context.Context) error {
	t.frame.place.Clause(2)
	return t.evaluateConditions(ctx, t.node.Unknown, &t.header.Unknown)
}

// evaluateConditions appends what a clause lists to list.
func (t *try) evaluateConditions(ctx context.Context, n *ast.Conditions, list *[]condition) error {
	for i := range n.List {
		further, err := t.evaluateCondition(ctx, &n.List[i])
		if err != nil {
			return err
		}
		*list = append(*list, further...)
	}
	return nil
}

// evaluateCondition evaluates one condition as it is written: a variable may hold several.
func (t *try) evaluateCondition(ctx context.Context, n *ast.Condition) ([]condition, error) {
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

// readConditions parses values as exit statuses and kinds of failure.
func (f *frame) readConditions(n *ast.Condition, values *value.Sequence) (list []condition, err error) {
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

// worthwhile reports whether a failure is worth another attempt, by only on or except on. Without either, all
// failures are but mistakes of the script itself, which another attempt would only repeat.
func (h *header) worthwhile(failure *Failure) bool {
	if !h.Selects {
		return !failure.isMistake()
	}
	return anyHolds(h.Conditions, failure, h.Except) != h.Except
}

// anyHolds reports whether any of the conditions holds. Where a part of standard error was not kept, unseen is the
// answer for a pattern that is not in the rest.
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

// compilePatterns compiles the patterns of conditions that were read from a journal.
func (f *frame) compilePatterns(list []condition) (err error) {
	for i := range list {
		if c := &list[i]; c.Pattern != "" {
			if c.compiled, err = f.run.patterns.Get(c.Pattern); err != nil {
				return err
			}
		}
	}
	return nil
}
