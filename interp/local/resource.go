package local

import (
	"context"

	"ftsh/backoff"
	"ftsh/backoff/shared"
	"ftsh/backoff/shared/locked"
	"ftsh/interp/world"
)

// gate is the way to a resource that all shells of the user share.
type gate struct {
	*locked.Resource
	world *World
	name  string
}

// Resource implements [world.World]: its state lies in locked files.
func (w *World) Resource(name string, inherited func(name string) (string, bool)) (world.Gate, error) {
	said, _ := inherited("FTSH_STATE_DIR")
	runtime, _ := inherited("XDG_RUNTIME_DIR")
	folder, err := locked.Open(locked.Path(said, runtime), w.Clock)
	if err != nil {
		return nil, err
	}
	resource, err := folder.Resource(name, w.config.Keep)
	if err != nil {
		return nil, err
	}
	return &gate{resource, w, name}, nil
}

// Enter implements [world.Gate]. During a long wait programs rest, and whoever holds a slot is looked after.
func (g *gate) Enter(ctx context.Context, v shared.Visit) (world.Pass, error) {
	var rest backoff.Timer
	var awaited func()
	told, config := v.Told, &g.world.config
	v.Told = func(w shared.Wait) {
		if rest == nil {
			rest = g.world.AfterFunc(g.world.Now()+longWait, config.Programs.Rest)
		}
		if w.For == shared.ForSlot && awaited == nil && config.AwaitSlot != nil {
			awaited = config.AwaitSlot(g.name, g.Path())
		}
		told(w)
	}
	pass, err := g.Resource.Enter(ctx, v)
	if awaited != nil {
		awaited()
	}
	if rest != nil {
		rest.Stop()
	}
	if err != nil {
		return nil, err
	}
	return pass, nil
}
