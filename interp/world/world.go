package world

import (
	"context"
	"time"

	"ftsh/ast"
	"ftsh/backoff"
	"ftsh/interp/files"
	"ftsh/interp/value"
)

// World is all that a script touches. Its methods are safe for concurrent use, as far as the world lets anything run
// beside (see Go).
type World interface {
	Time
	Programs
	Streams
	Elsewhere
	Surroundings
}

// Time is the clock of a world, and who gets how much of it.
type Time interface {
	backoff.Clock // where scripts share resources it counts from the boot of the machine
	// Date is the time of day.
	Date() time.Time
	// Step is told of each statement, and each turn of a loop, before it begins.
	Step(pos ast.Pos)
	// Go runs f beside what runs now.
	Go(f func())
	// Await is called before a wait. A world whose time passes by itself returns at once, and the caller waits; any other
	// lets the rest of the world go on, and returns when ready says so or the clock has reached until
	// ([backoff.Never]: no time). Ready must not change anything.
	Await(until time.Duration, ready func() bool)
}

// Programs are those of a world.
type Programs interface {
	// Run runs a program and returns how it ended, when it is gone with whatever has to go with it: nothing but the
	// program itself if it succeeded, everything that it has left behind if it failed, and its whole tree if ctx was
	// cancelled before it ended. The error then is context.Cause(ctx); if it could not be started, a *[StartError].
	Run(ctx context.Context, c *Command) (Status, error)
	// Find looks a program up: in the directories of path, or from dir if there is a slash in its name. The error is a
	// *[StartError].
	Find(name, path string, dir files.Directory) (string, error)
	// Become makes the shell the program. It returns only if that fails; [ErrStays] if this shell cannot: then the
	// program is to be run.
	Become(c *Command) error
	// Umask sets the umask of programs.
	Umask(mask int) error
	// Identity is how this shell is told to its programs, and the deadlines with it; "": they are not told.
	Identity() string
}

// Streams are what a script reads and writes. A stream has a number, like a descriptor.
type Streams interface {
	// Open opens a file with the flags of open(2). To open a FIFO waits for its other end, but not longer than ctx lasts.
	Open(ctx context.Context, dir files.Directory, name string, flags int) (int, error)
	// Named returns the number of the descriptor that a file's name means, such as /dev/stdout; false: it means a file.
	Named(dir files.Directory, name string) (number int, ok bool)
	// Replace begins output that replaces a file as a whole.
	Replace(dir files.Directory, name string) (Draft, error)
	// Pipe makes a pipe: what is written to the second end is read from the first.
	Pipe() (ends [2]int, err error)
	// Text opens a value's exact bytes for reading; again tells that they may be read more than once. Long ones may lie in
	// a file in temporary.
	Text(v value.Value, temporary string, again bool) (int, error)
	// Capture begins to capture output, behind a text. A lot of it may lie in a file in temporary.
	Capture(temporary, text string) (Capture, error)
	// Apart holds back what shall be written to a file, which must be one that can be opened with these flags.
	Apart(temporary string, dir files.Directory, name string, flags int) (Apart, error)
	// Follow begins to copy what a program writes to standard error to a stream, and to keep the end of it. Keep, if it is
	// not nil, is given the last line now and then, and reports whether it took it. The error tells why that cannot be
	// done without harm to the program.
	Follow(ctx context.Context, to int, keep func(line string) bool) (Followed, error)
	// Followable returns why Follow could not be done; nil: it can.
	Followable() error
	// Group keeps the output of branches apart; nil: this world hands it on as it comes.
	Group(c GroupConfig) (Grouped, error)
	// Branches limits the branches that can run at a time with their output kept apart; 0: any number can.
	Branches() int64
	// Write writes everything, unless ctx is cancelled before.
	Write(ctx context.Context, stream int, text string) error
	// ReadLine reads a line, without its newline, and nothing behind it; io.EOF: there is none.
	ReadLine(ctx context.Context, stream int) (string, error)
	// Read reads to the end, but no more than so many bytes.
	Read(ctx context.Context, stream int, most int64) (string, error)
	// Seek moves a stream's offset, as lseek(2) does.
	Seek(stream int, offset int64, whence int) (int64, error)
	// Hold makes a captured value of a text; a long one may lie in a file in temporary.
	Hold(temporary, text string) value.Value
	// Close closes streams.
	Close(streams []int)
}

// Surroundings are what else a script stands in.
type Surroundings interface {
	// Enter opens a directory, by a name relative to another, for a frame to stand in.
	Enter(from files.Directory, name string) (files.Directory, error)
	// Resource opens the way to attempts by a resource, for a script that has inherited these variables. Its errors are
	// those of the machine, such as a full disk.
	Resource(name string, inherited func(name string) (string, bool)) (Gate, error)
	// Key makes a key for a try that names none: a word that no other try has. A world in which all chance follows from a
	// seed takes it from these random numbers.
	Key(random func() uint64) (string, error)
	// Prepare is called before anything begins that must be cleaned up if the script is cut off: a program, a try, a wait,
	// output that replaces a file.
	Prepare()
	// Killed is closed when all that runs is to end at once, finally groups included; nil: that never happens.
	Killed() <-chan struct{}
	// Hurried ends a wait of a try with each thing that is received from it; nil: nothing ever is.
	Hurried() <-chan struct{}
}
