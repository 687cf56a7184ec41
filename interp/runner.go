package interp

import (
	"context"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"ftsh/ast"
	"ftsh/backoff"
	"ftsh/backoff/shared"
	"ftsh/backoff/shared/locked"
	"ftsh/interp/durable"
	"ftsh/interp/event"
	"ftsh/interp/expand"
	"ftsh/interp/files"
	"ftsh/interp/jobs"
	"ftsh/interp/output"
	"ftsh/interp/process"
)

// Engine runs external commands. *[process.Host] is the one that runs them on this machine.
type Engine interface {
	// Run runs a command to its end; see [process.Host.Run].
	Run(ctx context.Context, c *process.Command) (process.Status, error)
	// Rest is called before a long wait during which nothing runs.
	Rest()
}

// Config says how a script runs. Engine and Clock must be set (see the package comment for the Clock); the zero value
// of every other field works.
type Config struct {
	Engine Engine
	Clock  backoff.Clock
	// Observer hears what happens; nil: nobody.
	Observer event.Observer
	// View hears of events whose kind is Live, whatever their level; nil: nobody.
	View event.Observer

	// Secrets learns what the script's secrets are, and no event shows them; nil: the Runner has its own.
	Secrets *event.Mask

	Name    string   // $0
	Args    []string // $1 …
	Environ []string // as os.Environ gives it
	Dir     string   // what relative names are relative to; "": the process's own directory
	// Files are descriptors 0 to 9 of the script; -1 is closed. Nil: 0, 1 and 2 of the process.
	Files []int

	// Seed makes every random choice repeatable; 0: none is.
	Seed uint64
	// Backoff holds for each try without a backoff clause.
	Backoff backoff.Backoff
	// KillTimeout is the time that commands get to end after they were cut off; 0: 30 s.
	KillTimeout time.Duration
	// Deadline is a moment on the clock at which the whole script is cut off; 0: never.
	Deadline time.Duration
	// Lenient gives undefined variables the empty value (--undefined=empty).
	Lenient bool
	// ProgramsOnly has every command be a program: there are no functions and builtins.
	ProgramsOnly bool
	// Aside has Fork work while Run is under way.
	Aside bool
	// Prepare is called once, before anything begins that must be cleaned up if the script is cut off: a
	// program, a try, a wait, atomic output. What needs ctx to be cancelled by signals can see to it now.
	Prepare func()
	// Kill, once closed, ends at once what is still running, finally groups included.
	Kill <-chan struct{}
	// Exec replaces the process by a program, for the builtin exec. It returns only if that
	// fails. Nil: the program is run, and the script ends as it did.
	Exec func(c *process.Command) error
	// Builtins are commands besides those of the shell itself, by name.
	Builtins map[string]Builtin
	// Declines reports whether the one of Builtins that a command names leaves it to the program of that name; nil:
	// none ever does.
	Declines func(words []string) bool
	// Hurry ends the waits of tries: each thing sent ends one. Send without blocking.
	Hurry <-chan struct{}
	// Umask sets the umask of the process, for the builtin umask; nil: that fails.
	Umask func(mask int)
	// Find looks a program up; nil: process.Find.
	Find func(name, path string, dir process.Directory) (string, error)
	// Keep has somebody who outlives the process hold a descriptor too, until release is
	// called, so that the slot of a resource is not free before the processes of an
	// attempt are gone; nil: nobody does. See [process.Host.Hold].
	Keep func(fd int) (release func())
	// AwaitSlot is told that a slot of that resource is waited for, which is locked in that file, until stop is called:
	// who keeps it for a dead shell may have to be woken; nil: nobody is told.
	AwaitSlot func(name, path string) (stop func())
	// Identity gives what FTSH_PARENT tells programs of this shell; it is asked for each program that is told of a
	// limit. Nil: programs are not told of deadlines.
	Identity func() string
	// PID is $$; 0: the process's own.
	PID int
	// Durable keeps place and state of the script in a journal; nil: it has none.
	Durable *durable.Script
	// For tests: it runs units; nil: run does.
	around func(f *frame, unit *durable.Place, pos ast.Pos, run func() error) error
	// Conductor and Streams run the script in a simulation: in a time of its own, and with nothing that is
	// opened or written. The Clock is then the Conductor's, and the Engine calls its Until. Nil: for real.
	Conductor Conductor
	Streams   output.Streams
	// Jobs opens the cluster of an engine by its name, for programs that see these variables; nil: there is none. It
	// waits for the batch system until ctx ends, and says why each time that it gets no answer.
	Jobs func(ctx context.Context, engine string, environ []string, waits func(why string)) (*jobs.Cluster, error)
	// Gates gives the gates of resources by name; nil: those that all shells of the user share.
	Gates func(name string) Gate
}

// Builtin is a command that the program around the interpreter adds. It writes
// to the descriptor stdout; its error is a failure of kind exit.
type Builtin func(ctx context.Context, stdout int, args []string) error

// runBuiltin is the builtin for the interpreter.
func (run Builtin) runBuiltin(f *frame, ctx context.Context, c invocation) error {
	return run(ctx, f.files[1], c.args[1:])
}

// Conductor runs scripts in a time that is not the machine's. What a script does
// at the same time then runs one after the other: something runs until it ends
// or calls Until. Nothing of this is safe for concurrent use, nor has to be.
type Conductor interface {
	// Go runs f beside what runs now. f has not begun when Go returns.
	Go(f func())
	// Attempt makes an attempt of a try. What that needs, such as a stack, is not kept until the next one.
	Attempt(ctx context.Context, number int, attempt attempt) backoff.Outcome
	// Until lets the rest go on, and returns when ready says so or the clock has
	// reached at ([backoff.Never]: no time). ready must not change anything.
	Until(at time.Duration, ready func() bool)
	// Step is told of each statement, and each turn of a loop, before it begins: what never calls
	// Until would run for ever, and can be stopped here by cancelling the script's context.
	Step(pos ast.Pos)
}

// Gate lets attempts by way of a resource begin, as [locked.Resource] does.
type Gate interface {
	Enter(ctx context.Context, q shared.Visit) (Pass, error)
}

// Pass is the permission to make one attempt; see [locked.Pass].
type Pass interface {
	Leave(how shared.Ending, floor time.Duration) shared.Change
}

// Runner runs scripts one after another with the same variables, functions and
// directory, as the prompt does. Not safe for concurrent use.
type Runner struct {
	Config
	clock       backoff.Clock
	names       *ast.Names
	secretNames map[string]bool // of the variables that are secret
	functions   map[string]*ast.Function
	programs    process.Finder
	patterns    expand.Patterns
	store       output.Store // of what programs write
	signalled   atomic.Int64 // when the script was cut off from outside; 0: it was not
	resources   map[string]*ast.Resource
	sharing     sharing       // the state of resources, once it is needed
	prepare     func()        // called once
	executions  atomic.Uint64 // how many were numbered, for events
	branches    atomic.Uint64 // how many forked frames there were, for events
	level       int           // of the events that are wanted
	aside       aside
	directories files.Table
	durable     *durable.Script // nil: the script has no journal
	leftOut     *leftOut        // of a dry run: it does without large values; nil: they are restored
	secret      secrets
	source      *ast.Source // of the script
	words       bool        // the script reads the words of failed commands
	watching    bool        // the script reads what failing commands write to standard error
	blind       atomic.Bool // has told that it cannot be read
	frame       *frame
}

// leftOut is the error of a large value that a dry run does without, since hardly any looks at one; it notes that one
// did.
type leftOut struct{ wanted atomic.Bool }

func (l *leftOut) Error() string {
	l.wanted.Store(true)
	return "a large value is left out"
}

// sharing holds the resources that a script shares with others. Its zero
// value has opened nothing.
type sharing struct {
	mu     sync.Mutex
	folder *locked.Folder
	open   map[string]*locked.Resource
}

// close closes what is open. No attempt may be under way.
func (s *sharing) close() {
	for _, resource := range s.open {
		resource.Close()
	}
	s.folder, s.open = nil, nil
}

// New makes a Runner.
func New(config Config) *Runner {
	r := &Runner{Config: config, clock: config.Clock}
	if r.KillTimeout == 0 {
		r.KillTimeout = 30 * time.Second
	}
	if r.Secrets == nil {
		r.Secrets = &event.Mask{}
	}
	r.store.Streams = r.Streams
	r.secret.mask, r.secret.environment, r.patterns.Hides = r.Secrets, r.inherited, r.Secrets.Hides
	if r.Config.Find == nil {
		r.Config.Find = process.Find
	}
	r.programs.Look = r.Config.Find
	r.prepare = func() {}
	if r.Prepare != nil {
		r.prepare = sync.OnceFunc(r.Prepare)
	}
	if r.PID == 0 {
		r.PID = os.Getpid()
	}
	for _, level := range []int{event.Summary, event.Failures, event.Commands, event.Structures, event.Processes} {
		if r.Observer != nil && r.Observer.Enabled(level) {
			r.level = level
		}
	}
	return r
}

// waitUntil waits for what somebody else does, where a Conductor decides who does
// something. What then waits for the same does not block any more.
func (r *Runner) waitUntil(at time.Duration, ready func() bool) {
	if r.Conductor != nil {
		r.Conductor.Until(at, ready)
	}
}

// wallClock is the date and time: where a Conductor decides about time, that since the
// beginning of 1970.
func (r *Runner) wallClock() time.Time {
	if r.Conductor != nil {
		return time.Unix(0, int64(r.clock.Now()))
	}
	return time.Now()
}

// stepSimulation announces a statement or a turn of a loop.
func (r *Runner) stepSimulation(pos ast.Pos) {
	if r.Conductor != nil {
		r.Conductor.Step(pos)
	}
}

// spawnBranch runs something on a goroutine of its own, or as a Conductor does.
func (r *Runner) spawnBranch(run func()) {
	if r.Conductor != nil {
		r.Conductor.Go(run)
		return
	}
	go run()
}

// attempt makes the attempt of a try with that number. The context is the one outside of the try.
type attempt = func(ctx context.Context, number int) backoff.Outcome

// conducted has a Conductor make the attempts: a try that waits for the next one holds little then.
func (r *Runner) conducted(make attempt) attempt {
	if r.Conductor == nil {
		return make
	}
	return func(ctx context.Context, number int) backoff.Outcome { return r.Conductor.Attempt(ctx, number, make) }
}

// company counts what runs beside a statement, which waits for all of it.
type company struct {
	wg    sync.WaitGroup
	under int // what has not ended; counted where there is a Conductor
}

func (c *company) start(r *Runner, run func()) {
	switch {
	case r.durable.IsDry(): // nothing waits in it
		run()
	case r.Conductor == nil:
		c.wg.Go(run)
	default:
		c.under++
		r.Conductor.Go(func() {
			run()
			c.under--
		})
	}
}

func (c *company) wait(r *Runner) {
	r.waitUntil(backoff.Never, func() bool { return c.under == 0 })
	c.wg.Wait()
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
	for _, entry := range r.Environ {
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
