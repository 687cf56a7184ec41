package interp

import (
	"slices"

	"ftsh/ast"
	"ftsh/interp/durable"
	"ftsh/interp/expand"
)

// leave notes in the failure of a loop which of its items have not succeeded: those at these indexes, in any
// order, and all from an index on. What a loop within had left was its own.
func leave(err error, items *expand.Sequence, indexes []int, from int) {
	failure := asFailure(err)
	if failure == nil {
		return
	}
	items.Share()
	rest := items.From(min(from, items.Len()))
	if len(indexes) == 0 {
		failure.left = rest
		return
	}
	slices.Sort(indexes)
	left := make([]expand.Value, 0, len(indexes)+rest.Len())
	for _, i := range indexes {
		left = append(left, items.At(i))
	}
	for i := range rest.Len() {
		left = append(left, rest.At(i))
	}
	failure.left = expand.Items(left)
}

// List returns ${error.items}; nil: nothing is left to do.
func (f *frame) List(ast.Dotted) *expand.Sequence {
	if f.failed == nil {
		return nil
	}
	return f.failed.left
}

// saveLeft gives what a loop has left to do for the journal; nil: nothing.
func (r *Runner) saveLeft(left *expand.Sequence) *durable.Items {
	if left.Len() == 0 {
		return nil
	}
	saved := r.saveItems("", left)
	for i, value := range saved.Values {
		if r.secret.hides(value.Text()) {
			saved.Values[i] = durable.Value{Secret: true}
		}
	}
	return &saved
}
