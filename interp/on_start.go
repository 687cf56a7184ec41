package interp

import (
	"context"
	"fmt"

	"ftsh/ast"
	"ftsh/interp/durable"
)

// onStart runs a group `on start`. In a durable script it is no unit, and leaves no records: it must be
// repeatable, and what it sets is for this run only.
func (f *frame) onStart(ctx context.Context, n *ast.On) error {
	if f.run.durable == nil {
		return f.runGroup(ctx, &n.Body)
	}
	defer func(place *durable.Place) {
		f.place, f.secret = place, false
		f.environ = nil // programs in it did without secrets that it did not set
	}(f.place)
	f.place, f.secret = nil, true
	err := f.runGroup(ctx, &n.Body)
	if err != nil && f.run.durable.Continued() {
		f.run.durable.Suspend(fmt.Errorf("on start failed: %w", err))
	}
	return err
}

// startAgain runs the groups `on start` that an earlier run has passed, in their order, in the state that the script
// has now. The place says how far that was in the group; nil: it has passed all of it.
func (f *frame) startAgain(ctx context.Context, g *ast.Group, past *durable.Place) error {
	at := len(g.List)
	if past != nil {
		at = past.First(g)
	}
	for i := range g.List[:min(at+1, len(g.List))] {
		var err error
		switch n := g.List[i].Node.(type) {
		case *ast.On:
			if n.Engine == ast.Start && i < at {
				err = f.onStart(ctx, n)
			}
		case *ast.SourceFile:
			var inside *durable.Place
			if i == at {
				if inside = past.Enter(durable.Source.Only()); !inside.Resumed() {
					continue
				}
			}
			err = f.startAgain(ctx, &n.File.Body, inside)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
