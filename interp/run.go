package interp

import (
	"context"
	"math/rand/v2"
	"time"

	"ftsh/ast"
	"ftsh/backoff"
	"ftsh/interp/durable"
	"ftsh/interp/event"
	"ftsh/interp/process"
	"ftsh/interp/value"
)

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
		r.PID = r.durable.PID(r.PID)
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
			f.assign(r.variableNamed(pwd), value.String(dir))
		}
	}
	f.declareSecrets(file.Secrets)
	return f
}

// A Course is a script that runs in parts: while an outermost try waits for its next attempt, nothing of the script is
// on a stack. Of a million simulated clients nearly all wait there, and a stack for each would take most of the memory.
type Course struct {
	ctx    context.Context
	frame  *frame
	body   *ast.Group
	next   int           // the statement that is to run, or is under way
	try    *try          // that is under way and waits; nil: none is
	paces  backoff.State // of its attempts
	before error         // of the attempt before; nil: there was none
}

// Begin is Run for a simulation: the Course runs what Run would. There is a Conductor, and neither a Deadline nor a
// journal. Another script may begin when this one has ended.
func (r *Runner) Begin(ctx context.Context, file *ast.File) *Course {
	r.takeIn(file)
	return &Course{ctx: ctx, frame: r.topFrame(ctx, file), body: &file.Body}
}

// Continue goes on with the script, up to its end or to the wait of an outermost try, and returns until when that
// waits: then, or when ctx is cancelled, Continue is to be called again. Once the script has ended, err is what Run
// returns.
func (c *Course) Continue() (until time.Duration, ended bool, err error) {
	for ; c.next < len(c.body.List) && err == nil; c.next++ {
		s := &c.body.List[c.next]
		n, tries := s.Node.(*ast.Try)
		if !tries {
			err = c.frame.statement(c.ctx, s)
			continue
		}
		until, ended, err = c.continueTry(s, n)
		if !ended {
			return until, false, nil
		}
	}
	c.frame.run.sharing.close()
	return 0, true, c.frame.endScript(err)
}

// continueTry begins a try, or makes its next attempt; ended tells that no other follows.
func (c *Course) continueTry(s *ast.Stmt, n *ast.Try) (until time.Duration, ended bool, err error) {
	f := c.frame
	if c.try == nil {
		if err := f.mayBegin(c.ctx, s); err != nil {
			return 0, true, err
		}
		t, err := f.beginTry(c.ctx, s, n)
		decided := err != nil
		if !decided {
			decided, err = t.enterAttempts(c.ctx)
		}
		if decided {
			return 0, true, t.endTry(c.ctx, err)
		}
		c.try, c.paces, c.before = t, backoff.State{}, nil
	}
	t, clock := c.try, f.run.clock
	for {
		loop := backoff.Resume(t.header.Plan, f.dice, c.paces)
		result, at := loop.Once(c.ctx, clock, c.before, t.makeAttempt)
		if result.Over() {
			c.try = nil
			return 0, true, t.endTry(c.ctx, t.leaveAttempts(result))
		}
		c.paces, c.before = loop.State, result.Err
		if now := clock.Now(); now < at {
			t.beginWait(event.TryWait, t.header.Allowed, now, at, t.last)
			return at, false, nil
		}
	}
}

// Undecided lists the units that somebody has to decide about before a durable script can go on: it runs as it would go
// on, but nothing is started, opened or written, and ends at each place that is under way. A unit is undecided if it
// was under way there, and no structure around it makes another attempt, tries an alternative, verifies or catches.
func Undecided(config Config, file *ast.File) []durable.Undecided {
	d := config.Durable.DryRun()
	if !durable.AnyOpen(d.Image) {
		return nil
	}
	hurry := make(chan struct{})
	close(hurry) // no wait lasts
	dry := Config{
		Engine: idle{}, Streams: idle{}, Clock: config.Clock, Durable: d, Hurry: hurry,
		Name: config.Name, Args: config.Args, Environ: config.Environ, Dir: config.Dir, Files: config.Files,
		Backoff: config.Backoff, Deadline: config.Deadline, Lenient: config.Lenient, Builtins: config.Builtins,
		PID: config.PID, Seed: 1,
	}
	r := New(dry)
	r.leftOut = &leftOut{}
	err := r.Run(context.Background(), file)
	if r.leftOut.wanted.Load() {
		err = New(dry).Run(context.Background(), file)
	}
	if failure := asFailure(err); failure != nil {
		return d.Undecided(failure.open, config.Clock.Now())
	}
	return nil
}

// idle is an engine that runs nothing, and streams that hold nothing.
type idle struct{}

func (idle) Run(ctx context.Context, _ *process.Command) (process.Status, error) {
	return process.Status{}, context.Canceled
}

func (idle) Rest()                           {}
func (idle) Open(string, bool) (int, error)  { return closed, nil }
func (idle) New(string) int                  { return closed }
func (idle) Read(int) string                 { return "" }
func (idle) Line(int) (line string, ok bool) { return "", false }
func (idle) Write(int, string)               {}
func (idle) Close(int)                       {}
