package interp

import (
	"context"

	"ftsh/ast"
	"ftsh/interp/event"
	"ftsh/interp/expand"
)

// loop runs for, forany and forall.
func (f *frame) loop(ctx context.Context, s *ast.Stmt, n *ast.For) error {
	switch n.Kind {
	case ast.Any:
		return f.forany(ctx, s, n)
	case ast.All:
		return f.forall(ctx, s, n)
	}
	items, err := f.items(ctx, n)
	if err != nil {
		return f.fail(err, s.Pos)
	}
	o := f.begin(s.Pos, event.ForStart, detail{name: n.Var.Name, count: items.Len()})
	at, err := f.inTurn(ctx, s, n, items, o)
	end := detail{name: n.Var.Name}
	if at < items.Len() {
		end.value, _ = items.At(at).Text()
	}
	asFailure(err).at(end.name, end.value)
	leave(err, items, nil, at)
	f.finish(o, err, event.ForEnd, event.ForFailed, end)
	return err
}

// loopItem is what a loop over items has come to. The zero value is outside of any loop.
type loopItem struct {
	item   expand.Value
	number int // of the item in its list, from 1
}

// inTurn runs the group of a for once per item, and returns the index of the last that it came to.
func (f *frame) inTurn(ctx context.Context, s *ast.Stmt, n *ast.For, items *expand.Sequence, o observed) (at int, err error) {
	defer func(outer loopItem) { f.atItem = outer }(f.atItem)
	first := 0
	f.resumed(keyItem, &first)
	for i := first; i < items.Len(); i++ {
		f.run.step(s.Pos)
		item := items.At(i)
		f.atItem = loopItem{item, i + 1}
		if ctx.Err() != nil && !f.within(step{inItem, i}) {
			return i, f.cutOff(ctx, s.Pos)
		}
		decide(f, keyItem, i)
		if i > first || !f.within(step{inItem, i}) {
			f.assign(&n.Var, item)
		}
		f.tellItem(o, event.ForItem, n)
		switch err := f.groupIn(ctx, step{inItem, i}, &n.Body); err {
		case nil, errContinue:
		case errBreak:
			return i, nil
		default:
			return i, err
		}
	}
	return max(0, items.Len()-1), nil
}

// tellItem announces that a loop has come to an item.
func (f *frame) tellItem(o observed, kind event.Kind, n *ast.For) {
	if f.wants(kind) {
		f.tell(o, event.Event{Kind: kind, Name: n.Var.Name, Value: f.itemText(n)})
	}
}

// itemText is the value of a loop's variable, for events.
func (f *frame) itemText(n *ast.For) string {
	value, _ := f.Variable(&n.Var)
	text, _ := value.Text()
	return text
}
