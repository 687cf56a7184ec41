package interp

import (
	"context"
	"fmt"

	"ftsh/ast"
)

// onStart runs a group `on start`. In a durable script it is no unit, and leaves no records: it must be
// repeatable, and what it sets is for this run only.
func (f *frame) onStart(ctx context.Context, n *ast.On) error {
	if f.run.durable == nil {
		return f.group(ctx, &n.Body)
	}
	defer func(place *place) { f.place, f.secret = place, false }(f.place)
	f.place, f.secret = nil, true
	err := f.group(ctx, &n.Body)
	if err != nil && f.run.durable.continued {
		f.run.durable.cancel(&Suspended{fmt.Errorf("on start failed: %w", err)})
	}
	return err
}

// startAgain runs the groups `on start` that an earlier run has passed, in their order, in
// the state that the script has now.
func (f *frame) startAgain(ctx context.Context, g *ast.Group, past *place) error {
	if !past.resumed {
		return nil
	}
	for i := range g.List[:min(past.at+1, len(g.List))] {
		switch n := g.List[i].Node.(type) {
		case *ast.On:
			if n.Engine != ast.Start || i == past.at {
				continue
			}
			if err := f.onStart(ctx, n); err != nil {
				return err
			}
		case *ast.SourceFile:
			inside := &place{at: len(n.File.Body.List), resumed: true}
			if i == past.at {
				inside = past.enter(step{kind: inSource}, f.run.durable.past)
			}
			if err := f.startAgain(ctx, &n.File.Body, inside); err != nil {
				return err
			}
		}
	}
	return nil
}
