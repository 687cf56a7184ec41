package world

import (
	"errors"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/ast"
	"ftsh/interp/files"
)

// ErrStays tells that a shell cannot become another program.
var ErrStays = errors.New("this shell stays what it is")

// Command is a program to be run.
type Command struct {
	Path  string          // the program, as found; "": it is to be looked up
	Args  []string        // beginning with its name
	Env   []string        // what it is given, and others may be given, too; FTSH_COMMAND is added
	Told  []string        // what it alone is told, likewise
	PATH  string          // where it is looked up
	Dir   files.Directory // that it runs in
	Files []int           // its descriptor n is our stream Files[n]; -1 is closed

	// Until is when a limit cuts it off, on the clock; 0: never. If the shell is stopped then, the guardian ends it.
	Until time.Duration
	// Patience is asked once, when the context is cancelled: how long from now
	// until SIGKILL. Nil means the usual kill timeout.
	Patience func(cause error) time.Duration
	// Kill, once closed, has everything killed at once that is being ended.
	Kill <-chan struct{}
	// Job is whose process group it is in; nil: the shell's own.
	Job ProcessGroup
	// Started is called once its program runs, which has its own copies of Files by then; may be nil.
	Started func()
	// Unguarded says that it ends by itself when this process does: it needs no guardian.
	Unguarded bool
	// ID is of the execution in the script that runs it, as events have it; 0: it is not known.
	ID uint64
	// Node is what the script says, and Pos where.
	Node *ast.Command
	Pos  ast.Pos
}

// A ProcessGroup is that of a statement at a prompt.
type ProcessGroup interface {
	// Signals gives the signals that the group was sent by its terminal.
	Signals() <-chan unix.Signal
}

// Status tells how a program ended.
type Status struct {
	Code   int         // its exit status, if Signal is 0
	Signal unix.Signal // what it died of
	Core   bool        // it dumped core
}

// Success reports whether it exited with status 0.
func (s Status) Success() bool { return s == Status{} }

// StartError tells that a program could not be started.
type StartError struct {
	Path        string     // of the Command; or the name that Find was asked for
	Err         unix.Errno // of the system call that failed
	Missing     bool       // kind `missing`: it is not there, or nothing that can be executed
	Interpreter string     // named in its first line, and itself missing
	Dir         string     // the working directory, if that was what could not be entered
}

// System reports whether the machine could not start it, for want of processes,
// memory or descriptors, or since the program is just being written: kind
// `system`, often gone a minute later.
func (e *StartError) System() bool {
	switch e.Err {
	case unix.EAGAIN, unix.ENOMEM, unix.EMFILE, unix.ENFILE, unix.ETXTBSY:
		return true
	}
	return false
}

// Error says what could not be started, and why.
func (e *StartError) Error() string {
	switch {
	case e.Dir != "":
		return "cannot start " + e.Path + " in " + e.Dir + ": " + e.Err.Error()
	case e.Interpreter != "":
		return e.Path + ": its interpreter " + e.Interpreter + " is missing"
	case e.Err == unix.ENOENT && !strings.Contains(e.Path, "/"):
		return e.Path + ": no such program"
	case e.Err == unix.EACCES:
		return e.Path + ": not executable"
	case e.Err == unix.E2BIG:
		return e.Path + ": the arguments and the environment are too long"
	case e.Err == unix.ENOEXEC:
		return e.Path + ": not a program for this machine"
	}
	return e.Path + ": " + e.Err.Error()
}

// Unwrap gives the errno.
func (e *StartError) Unwrap() error { return e.Err }
