package interp

import (
	"context"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"ftsh/ast"
	"ftsh/backoff"
	"ftsh/interp/durable"
	"ftsh/interp/event"
	"ftsh/interp/expand"
	"ftsh/interp/world"
)

// Config says how a script runs. World must be set; the zero value of every other field works.
type Config struct {
	// World is all that lies outside of the script.
	World world.World
	// Observer hears what happens; nil: nobody.
	Observer event.Observer
	// View hears of events whose kind is Live, whatever their level; nil: nobody.
	View event.Observer
	// Secrets learns what the script's secrets are, and no event shows them; nil: the Runner has its own.
	Secrets *event.Mask
	// Script is what the script is given.
	Script Script
	// Mode says in which ways commands and variables are other than the reference has them.
	Mode Mode
	// Seed makes every random choice repeatable; 0: none is.
	Seed uint64
	// Backoff holds for each try without a backoff clause.
	Backoff backoff.Backoff
	// KillTimeout is the time that commands get to end after they were cut off; 0: 30 s.
	KillTimeout time.Duration
	// Builtin gives what runs a command besides the shell's own builtins; it returns nil for others. Nil: there are none.
	Builtin func(words []string) Builtin
	// Durable keeps place and state of the script in a journal; nil: it has none.
	Durable *durable.Script
}

// Script is what a script is given from outside. The zero value works.
type Script struct {
	Name    string   // $0
	Args    []string // $1 …
	Environ []string // as os.Environ gives it
	Dir     string   // what relative names are relative to; "": the process's own directory
	// Files are descriptors 0 to 9 of the script; -1 is closed. Nil: 0, 1 and 2 of the process.
	Files []int
	// PID is $$; 0: the process's own.
	PID int
	// Deadline is a moment on the clock at which the whole script is cut off; 0: never.
	Deadline time.Duration
}

// Mode says how commands and variables are read.
type Mode struct {
	Lenient      bool // undefined variables have the empty value (--undefined=empty)
	ProgramsOnly bool // every command is a program: there are no functions and builtins
	Aside        bool // Fork works while Run is under way
}

// Builtin is a command that the program around the interpreter adds. It writes
// to the descriptor stdout; its error is a failure of kind exit.
type Builtin func(ctx context.Context, stdout int, args []string) error

// runBuiltin is the builtin for the interpreter.
func (run Builtin) runBuiltin(f *frame, ctx context.Context, c invocation) error {
	return run(ctx, f.io.files[1], c.args[1:])
}

// Runner runs scripts one after another with the same variables, functions and
// directory, as the prompt does. Not safe for concurrent use.
type Runner struct {
	Config
	clock       backoff.Clock // the World's
	names       *ast.Names
	secretNames map[string]bool // of the variables that are secret
	functions   map[string]*ast.Function
	patterns    expand.Patterns
	signalled   atomic.Int64 // when the script was cut off from outside; 0: it was not
	resources   map[string]*ast.Resource
	gates       gates         // of the resources that were used
	executions  atomic.Uint64 // how many were numbered, for events
	branches    atomic.Uint64 // how many forked frames there were, for events
	level       int           // of the events that are wanted
	aside       aside
	durable     *durable.Script // nil: the script has no journal
	leftOut     *leftOut        // of a dry run: it does without large values; nil: they are restored
	secret      secrets
	source      *ast.Source // of the script
	words       bool        // the script reads the words of failed commands
	watching    bool        // the script reads what failing commands write to standard error
	blind       atomic.Bool // has told that it cannot be read
	frame       *frame
	// For tests: it runs units; nil: run does.
	around func(f *frame, unit *durable.Place, pos ast.Pos, run func() error) error
}

// leftOut is the error of a large value that a dry run does without, since hardly any looks at one; it notes that one
// did.
type leftOut struct{ wanted atomic.Bool }

func (l *leftOut) Error() string {
	l.wanted.Store(true)
	return "a large value is left out"
}

// gates are those of the resources that a script has used. The zero value has opened none.
type gates struct {
	mu   sync.Mutex
	open map[string]world.Gate
}

// close closes what is open. No attempt may be under way.
func (g *gates) close() {
	for _, gate := range g.open {
		gate.Close()
	}
	g.open = nil
}

// New makes a Runner.
func New(config Config) *Runner {
	r := &Runner{Config: config, clock: config.World}
	if r.KillTimeout == 0 {
		r.KillTimeout = 30 * time.Second
	}
	if r.Secrets == nil {
		r.Secrets = &event.Mask{}
	}
	r.secret.mask, r.secret.environment, r.patterns.Hides = r.Secrets, r.inherited, r.Secrets.Hides
	if r.Script.PID == 0 {
		r.Script.PID = os.Getpid()
	}
	for _, level := range []int{event.Summary, event.Failures, event.Commands, event.Structures, event.Processes} {
		if r.Observer != nil && r.Observer.Enabled(level) {
			r.level = level
		}
	}
	return r
}

// variableNamed mentions a variable that the shell itself sets.
func (r *Runner) variableNamed(name string) *ast.Var {
	return &ast.Var{Name: name, Number: r.names.Number(name)}
}

// standardStreams is the stream table that a script starts with.
func standardStreams(files []int) (table streams) {
	if files == nil {
		files = []int{0, 1, 2}
	}
	for n := range table {
		table[n] = closed
		if n < len(files) {
			table[n] = files[n]
		}
	}
	return table
}

// inherited returns the value that a variable has from the environment. That is
// looked through from its beginning: few names are asked for, and making a
// map of it would take longer than most scripts ask.
func (r *Runner) inherited(name string) (value string, ok bool) {
	for _, entry := range r.Script.Environ {
		if len(entry) > len(name) && entry[len(name)] == '=' && entry[:len(name)] == name {
			return entry[len(name)+1:], true
		}
	}
	return "", false
}

// cutAt is when the script was cut off from outside.
func (r *Runner) cutAt() time.Duration {
	r.signalled.CompareAndSwap(0, int64(r.clock.Now()))
	return time.Duration(r.signalled.Load())
}
