package interp

import (
	"context"

	"ftsh/ast"
	"ftsh/interp/durable"
	"ftsh/interp/event"
	"ftsh/interp/expand"
	"ftsh/interp/value"
)

// runFor runs the group for each item, one after another.
func (f *frame) runFor(ctx context.Context, s *ast.Stmt, n *ast.For) error {
	items, err := f.evaluateItems(ctx, n)
	if err != nil {
		return f.failWith(err, s.Pos)
	}
	o := f.beginStatement(s.Pos, event.ForStart, detail{name: n.Var.Name, count: items.Len()})
	at, err := f.inTurn(ctx, s, n, items, o)
	end := detail{name: n.Var.Name}
	if at < items.Len() {
		end.value, _ = items.At(at).Text()
	}
	asFailure(err).inLoop(end.name, end.value)
	noteLeft(err, items, nil, at)
	f.finishStatement(o, err, event.ForEnd, event.ForFailed, end)
	return err
}

// shownItem is that of the innermost loop as people, and journals, may see it.
func (f *frame) shownItem() string {
	if f.loop == nil {
		return ""
	}
	item, _ := f.loop.items.At(f.loop.at).Text()
	return f.run.secret.Hide(f.run.Secrets.Text(item))
}

// inTurn runs the group of a for once per item, and returns the index of the last that it came to.
func (f *frame) inTurn(
	ctx context.Context, s *ast.Stmt, n *ast.For, items *value.Sequence, o observed,
) (at int, err error) {
	g := f.under(o).inside()
	g.loop = &loopItem{items: items, item: f.item()}
	state := keep(f, &durable.Loop{})
	for first := state.Item; state.Item < items.Len(); state.Item++ {
		f.run.World.Step(s.Pos)
		i, item := state.Item, items.At(state.Item)
		g.loop.at = i
		if ctx.Err() != nil && !f.place.Within(durable.Item.Nth(i)) {
			return i, f.cutOff(ctx, s.Pos)
		}
		if i > first || !f.place.Within(durable.Item.Nth(i)) {
			f.assign(&n.Var, item)
		}
		f.tellItem(o, event.ForItem, n)
		switch err := g.groupIn(ctx, durable.Item.Nth(i), &n.Body); err {
		case nil, errContinue:
		case errBreak:
			return i, nil
		default:
			return i, err
		}
	}
	return max(0, items.Len()-1), nil
}

// evaluateItems is the list of a loop, as an earlier run has evaluated it or as it is now.
func (f *frame) evaluateItems(ctx context.Context, n *ast.For) (*value.Sequence, error) {
	saved := keep(f, new(*durable.Items))
	if *saved != nil {
		return restoreItems(**saved, f), nil
	}
	items, err := expand.List(ctx, f, n.List)
	if err == nil && f.place != nil {
		*saved = f.run.saveItems(n.Var.Name, items)
	}
	return items, err
}

// tellItem announces that a loop has come to an item.
func (f *frame) tellItem(o observed, kind event.Kind, n *ast.For) {
	if f.wantsEvent(kind) {
		f.tellEvent(o, event.Event{Kind: kind, Name: n.Var.Name, Value: f.itemText(n)})
	}
}

// itemText is the value of a loop's variable, for events.
func (f *frame) itemText(n *ast.For) string {
	value, _ := f.Variable(&n.Var)
	text, _ := value.Text()
	return text
}
