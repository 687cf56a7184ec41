package local

import (
	"context"
	"errors"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/ast"
	"ftsh/backoff"
	"ftsh/interp/files"
	"ftsh/interp/output"
	"ftsh/interp/process"
	"ftsh/interp/world"
)

// Programs runs programs. *[process.Host] is the one that runs them on this machine.
type Programs interface {
	// Run runs a program to its end; see [process.Host.Run].
	Run(ctx context.Context, c *world.Command) (world.Status, error)
	// Rest is called before a long wait during which nothing runs.
	Rest()
}

// Config says what a World is made of. Programs and Clock must be set; the zero value of every other field works.
type Config struct {
	Programs Programs
	Clock    backoff.Clock // where scripts share resources it counts from the boot of the machine
	// Prepared is called once, before the first thing that must be cleaned up if the script is cut off. What needs the
	// context of the script to be cancelled by signals can see to it now.
	Prepared func()
	// Kill, once closed, ends at once what is still running, finally groups included.
	Kill <-chan struct{}
	// Hurry ends the waits of tries: each thing sent ends one. Send without blocking.
	Hurry <-chan struct{}
	// Exec replaces the process by a program. It returns only if that fails. Nil: this process stays what it is.
	Exec func(c *world.Command) error
	// SetUmask sets the umask of the process; nil: that fails.
	SetUmask func(mask int)
	// Self gives what FTSH_PARENT tells programs of this shell. Nil: programs are not told of deadlines.
	Self func() string
	// Keep has somebody who outlives the process hold a descriptor too, until release is
	// called, so that the slot of a resource is not free before the processes of an
	// attempt are gone; nil: nobody does. See [process.Host.Hold].
	Keep func(fd int) (release func())
	// AwaitSlot is told that a slot of that resource is waited for, which is locked in that file, until stop is called:
	// who keeps it for a dead shell may have to be woken; nil: nobody is told.
	AwaitSlot func(name, path string) (stop func())
	// Jobs is where programs run as jobs; nil: nowhere.
	Jobs world.Elsewhere
}

// World is this machine. It is safe for concurrent use, by several scripts.
type World struct {
	backoff.Clock
	output.Store
	world.Elsewhere
	process.Finder // of programs
	config         Config
	getrandom      func(buffer []byte, flags int) (int, error) // unix.Getrandom, but in tests
	directories    files.Table
}

// New makes a World.
func New(config Config) *World {
	w := &World{Clock: config.Clock, Elsewhere: config.Jobs, config: config, getrandom: unix.Getrandom}
	if config.Jobs == nil {
		w.Elsewhere = world.NoJobs{}
	}
	w.Look = process.Find
	if config.Prepared != nil {
		w.config.Prepared = sync.OnceFunc(config.Prepared)
	}
	return w
}

// Date implements [world.Time].
func (w *World) Date() time.Time { return time.Now() }

// Step implements [world.Time].
func (w *World) Step(ast.Pos) {}

// Go implements [world.Time].
func (w *World) Go(f func()) { go f() }

// longWait is from when on a wait is worth being prepared for.
const longWait = 2 * time.Second

// Await implements [world.Time]. Before a long wait programs may rest.
func (w *World) Await(until time.Duration, _ func() bool) {
	if until != backoff.Never && until-w.Now() >= longWait {
		w.config.Programs.Rest()
	}
}

// Prepare implements [world.World].
func (w *World) Prepare() {
	if w.config.Prepared != nil {
		w.config.Prepared()
	}
}

// Killed implements [world.World].
func (w *World) Killed() <-chan struct{} { return w.config.Kill }

// Hurried implements [world.World].
func (w *World) Hurried() <-chan struct{} { return w.config.Hurry }

// Enter implements [world.World].
func (w *World) Enter(from files.Directory, name string) (files.Directory, error) {
	return w.directories.Open(from, name)
}

// Run implements [world.Programs].
func (w *World) Run(ctx context.Context, c *world.Command) (world.Status, error) {
	status, err := w.config.Programs.Run(ctx, c)
	if start, failed := errors.AsType[*world.StartError](err); failed && start.Missing {
		w.Forget(c.Args[0]) // it may have moved to another place on PATH
	}
	return status, err
}

// Become implements [world.Programs].
func (w *World) Become(c *world.Command) error {
	if w.config.Exec == nil {
		return world.ErrStays
	}
	return w.config.Exec(c)
}

// Umask implements [world.Programs].
func (w *World) Umask(mask int) error {
	if w.config.SetUmask == nil {
		return errors.New("the program that runs this script does not let it set one")
	}
	w.config.SetUmask(mask)
	return nil
}

// Identity implements [world.Programs].
func (w *World) Identity() string {
	if w.config.Self == nil {
		return ""
	}
	return w.config.Self()
}

var _ world.World = (*World)(nil)
