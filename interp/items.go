package interp

import (
	"slices"

	"ftsh/ast"
	"ftsh/interp/durable"
	"ftsh/interp/event"
	"ftsh/interp/expand"
)

// noteLeft notes in the failure of a loop which of its items have not succeeded: those at these indexes, in any
// order, and all from an index on. What a loop within had left was its own.
func noteLeft(err error, items *expand.Sequence, indexes []int, from int) {
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

// failedItems is which items of a forall that kept going have failed.
type failedItems struct {
	first []string // at most mostOthers
	count int
	of    int
}

// countFailed notes in the failure of a forall that several branches have failed, where all others succeeded.
func (a *allBranches) countFailed(err error) {
	failure := asFailure(err)
	if count := 1 + len(a.lost); failure != nil && count > 1 && failure.left.Len() == count {
		failure.story.failed = &failedItems{count: count, of: a.items.Len()}
		for i := range min(count, mostOthers) {
			text, _ := failure.left.At(i).Text()
			failure.story.failed.first = append(failure.story.failed.first, text)
		}
	}
}

// describe adds to an event which items have failed.
func (i *failedItems) describe(e event.Event) event.Event {
	if i != nil {
		e.Items, e.Left, e.Count = i.first, i.count, i.of
	}
	return e
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
