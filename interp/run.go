package interp

import (
	"context"
	"math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"ftsh/ast"
	"ftsh/backoff"
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
	// Find looks a program up; nil: process.Find.
	Find func(name, path string, dir process.Directory) (string, error)
	// Keep has somebody who outlives the process hold a descriptor too, until release is
	// called, so that the slot of a resource is not free before the processes of an
	// attempt are gone; nil: nobody does. See [process.Host.Hold].
	Keep func(fd int) (release func())
	// AwaitSlot is told that a slot of that resource is waited for, which is locked in that file, until stop is called:
	// who keeps it for a dead shell may have to be woken; nil: nobody is told.
	AwaitSlot func(name, path string) (stop func())
	// Identity gives what FTSH_PARENT tells programs of this shell; it is asked when
	// that is first needed. Nil: programs are not told of deadlines.
	Identity func() string
	// PID is $$; 0: the process's own.
	PID int
	// Aside has Fork work while Run is under way.
	Aside bool
	// Durable keeps place and state of the script in a journal; nil: it has none.
	Durable *durable.Script
	// For tests: it runs units; nil: run does.
	around func(f *frame, unit *durable.Place, pos ast.Pos, run func() error) error
	// Conductor and Streams run the script in a simulation: in a time of its own, and with nothing that is
	// opened or written. The Clock is then the Conductor's, and the Engine calls its Until. Nil: for real.
	Conductor Conductor
	Streams   output.Streams
	// Jobs opens an engine by its name, for programs that see these variables; nil: there is none.
	Jobs func(engine string, environ []string) (jobs.Engine, error)
	// Gates gives the gates of resources by name; nil: those that all shells of the user share.
	Gates func(name string) Gate
}

// Runner runs scripts one after another with the same variables, functions and
// directory, as the prompt does. Not safe for concurrent use.
type Runner struct {
	Config
	pid         int
	clock       backoff.Clock
	killTimeout time.Duration
	names       *ast.Names
	secretNames map[string]bool // of the variables that are secret
	functions   map[string]*ast.Function
	programs    programs
	patterns    expand.Patterns
	store       output.Store // of what programs write
	signalled   atomic.Int64 // when the script was cut off from outside; 0: it was not
	resources   map[string]*ast.Resource
	sharing     sharing       // the state of resources, once it is needed
	identity    func() string // asked once
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
	blind       sync.Once   // has told that it cannot be read
	frame       *frame
}

// New makes a Runner.
func New(config Config) *Runner {
	r := &Runner{
		Config: config, clock: config.Clock, killTimeout: config.KillTimeout,
	}
	if r.killTimeout == 0 {
		r.killTimeout = 30 * time.Second
	}
	if r.Secrets == nil {
		r.Secrets = &event.Mask{}
	}
	r.store.Streams = r.Streams
	r.secret.mask, r.patterns.Hides = r.Secrets, r.Secrets.Hides
	if r.Config.Find == nil {
		r.Config.Find = process.Find
	}
	r.prepare = func() {}
	if r.Prepare != nil {
		r.prepare = sync.OnceFunc(r.Prepare)
	}
	if r.Identity != nil {
		r.identity = sync.OnceValue(r.Identity)
	}
	if r.pid = config.PID; r.pid == 0 {
		r.pid = os.Getpid()
	}
	for _, level := range []int{event.Summary, event.Failures, event.Commands, event.Structures, event.Processes} {
		if r.Observer != nil && r.Observer.Enabled(level) {
			r.level = level
		}
	}
	return r
}

// Run runs a script. nil is success; a *[Failure] tells how it failed, an
// *[Exit] that the script ended itself. When ctx is cancelled everything that
// runs is ended and finally groups are run before Run returns, within the kill timeout.
func (r *Runner) Run(ctx context.Context, file *ast.File) error {
	r.takeIn(file)
	defer r.sharing.close()
	defer r.aside.put(nil)
	if r.Conductor == nil { // with one no time passes until somebody asks cutAt
		defer context.AfterFunc(ctx, func() { r.cutAt() })()
	}
	if r.durable = r.Config.Durable; r.durable != nil {
		var leave func()
		ctx, leave = r.durable.Open(ctx, r.clock.Now, &r.secret)
		defer leave()
		r.pid = r.durable.PID(r.pid)
	}
	f := r.topFrame(ctx, file)
	var err error
	if r.durable == nil {
		err = f.runScript(ctx, &file.Body)
	} else {
		err = r.runRecorded(f, file, func() error { return f.runScript(ctx, &file.Body) })
	}
	return f.endScript(err)
}

// takeIn makes a file the one that runs.
func (r *Runner) takeIn(file *ast.File) {
	r.names, r.source = file.Names, file.Source
	r.names.Number(pwd) // now: branches may look them up beside each other
	r.names.Number(oldpwd)
	r.watching, r.words = r.watching || file.ReadsStderr, r.words || file.ReadsCommand
	r.define(file)
	r.signalled.Store(0)
}

// variableNamed mentions a variable that the shell itself sets.
func (r *Runner) variableNamed(name string) *ast.Var {
	return &ast.Var{Name: name, Number: r.names.Number(name)}
}

// endScript keeps and tells how the script ended.
func (f *frame) endScript(err error) error {
	if failure := asFailure(err); failure != nil {
		f.failed = failure // for what the prompt runs next
	}
	f.summarise(err)
	return err
}

// define takes in the functions and resources of a file. Most have none.
func (r *Runner) define(file *ast.File) {
	if r.functions == nil && len(file.Functions) > 0 {
		r.functions = map[string]*ast.Function{}
	}
	for _, function := range file.Functions {
		r.functions[function.Name] = function
	}
	if r.resources == nil && len(file.Resources) > 0 {
		r.resources = map[string]*ast.Resource{}
	}
	for _, resource := range file.Resources {
		r.resources[resource.Name] = resource
	}
}

// runScript runs a whole script, under the limit of the shell above.
func (f *frame) runScript(ctx context.Context, body *ast.Group) error {
	if f.run.Deadline == 0 {
		return f.runGroup(ctx, body)
	}
	inside, leave := f.enterLimit(ctx, f.run.Deadline, "the inherited deadline passed")
	defer leave()
	inside.limit.last = true
	return f.ownCut(f.runGroup(inside.ctx, body), inside)
}

// topFrame returns the outermost frame, for a file.
func (r *Runner) topFrame(ctx context.Context, file *ast.File) *frame {
	first := r.frame == nil
	if first {
		seed := [2]uint64{r.Seed, 0}
		if r.Seed == 0 {
			seed = [2]uint64{rand.Uint64(), rand.Uint64()}
		}
		r.frame = &frame{run: r, dice: rand.New(rand.NewPCG(seed[0], seed[1]))}
		r.frame.params.words, r.frame.files = r.Args, standardStreams(r.Files)
		r.frame.stderr = r.frame.files[2]
		r.frame.standIn(r.Dir)
	}
	f := r.frame
	f.scope = &scope{ctx: ctx}
	f.growVariables()
	if first { // the PWD that is inherited may be another's: who starts us elsewhere need not change it
		if dir, err := f.directory(); err == nil {
			f.assign(r.variableNamed(pwd), expand.String(dir))
		}
	}
	f.declareSecrets(file.Secrets)
	return f
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
