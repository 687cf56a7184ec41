package world

import (
	"context"
	"time"

	"ftsh/backoff/shared"
	"ftsh/interp/files"
	"ftsh/interp/value"
)

// A Draft is output that replaces a file once it is complete.
type Draft interface {
	// Stream is what is written to.
	Stream() int
	// End puts the draft in the place of the file, or drops it.
	End(keep bool) error
	// Park gives the draft a name, by which another process can end it, and Leave leaves that to it.
	Park() (files.Parked, error)
	Leave()
	// IsNamed reports whether it has a name by now.
	IsNamed() bool
}

// A Capture is output on its way into a variable. Each is ended by Value or Drop.
type Capture interface {
	// Stream is what is written to.
	Stream() int
	// Value ends the capture, and returns all that was captured. The error says why it could not be held.
	Value() (value.Value, error)
	// Drop ends the capture, and forgets what was captured.
	Drop()
	// SoFar returns what was captured up to now.
	SoFar() (string, error)
	// Size returns how much was captured up to now, or -1 if that could not be held.
	Size() int64
	// CutTo forgets what was captured beyond that size, also that it could not be held.
	CutTo(size int64) error
}

// An Apart takes the output of a hedged alternative in place of a file. Each is ended by Drop.
type Apart interface {
	// Stream is what is written to.
	Stream() int
	// Complete ends the writing, and says why what was written cannot be held.
	Complete() error
	// Keep copies what was written to where it should go.
	Keep() error
	// Drop ends the writing, and forgets what was not kept.
	Drop()
}

// Followed is the standard error of a program, while that is copied.
type Followed interface {
	// Stream is what the program writes to.
	Stream() int
	// Stop copies the rest of what a program wrote that has ended, and returns the end of it; torn: that is not all.
	Stop() (end string, torn bool)
}

// GroupConfig says where the output of branches leads. All of it must be set but for Kill.
type GroupConfig struct {
	Temporary string // a directory for a file with what does not fit into memory
	// Stdout and Stderr are where what the branches write leads; -1: nowhere.
	Stdout, Stderr int
	// Context is that of all branches together; once it is cut off, a reader who takes nothing is not waited for.
	Context context.Context
	// Patience is asked then: how long the commands of the branches may still take to end.
	Patience func() time.Duration
	// Kill, once closed, ends all waiting at once.
	Kill <-chan struct{}
}

// Grouped hands on what branches write that run beside each other, so that it does not mix, in the order of Open.
type Grouped interface {
	// Open makes the output of a branch that is cut off with ctx. Fail is told, at most once, why something could not be
	// kept or handed on, and whole that all of it was handed on.
	Open(ctx context.Context, fail func(error), whole func()) (Branch, error)
	// Again hands on what a branch had waiting in an earlier run, by its streams.
	Again(texts []string, fail func(error), whole func())
	// Finish returns when all was handed on, or could not be.
	Finish()
}

// A Branch is the output of one of them.
type Branch interface {
	// Descriptor is what stands for stream 1 or 2; false: the branch writes where all do.
	Descriptor(stream int) (fd int, apart bool)
	// Finish tells that nothing more is to come in this run. If the branch goes on in a later one, what ended branches
	// behind it have waiting is left to that.
	Finish(goesOn bool)
	// Waiting returns what was not handed on, by its streams.
	Waiting() ([]string, error)
}

// A Gate lets attempts by way of a resource begin.
type Gate interface {
	// Enter waits until the attempt may begin.
	Enter(ctx context.Context, v shared.Visit) (Pass, error)
	// Close gives the gate up. No attempt may be under way.
	Close()
}

// A Pass is the permission to make one attempt.
type Pass interface {
	// Leave tells the resource how the attempt ended, and until when others shall wait; 0: they need not.
	Leave(how shared.Ending, floor time.Duration) shared.Change
}
