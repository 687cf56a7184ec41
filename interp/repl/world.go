package repl

import "ftsh/interp/world"

// killable is the world of a statement: all that runs in it ends at once when the channel is closed.
type killable struct {
	world.World
	killed <-chan struct{}
}

// Killed implements [world.World].
func (k killable) Killed() <-chan struct{} { return k.killed }
