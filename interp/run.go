package interp

import (
	"context"
	"math/rand/v2"
	"time"

	"ftsh/ast"
	"ftsh/interp/durable"
	"ftsh/interp/files"
	"ftsh/interp/value"
	"ftsh/interp/world"
)

// Run runs a script. nil is success; a *[Failure] tells how it failed, an
// *[Exit] that the script ended itself. When ctx is cancelled everything that
// runs is ended and finally groups are run before Run returns, within the kill timeout.
func (r *Runner) Run(ctx context.Context, file *ast.File) error {
	r.takeIn(file)
	defer r.gates.close()
	defer r.aside.put(nil)
	defer context.AfterFunc(ctx, func() { r.cutAt() })()
	if r.durable = r.Config.Durable; r.durable != nil {
		var leave func()
		ctx, leave = r.durable.Open(ctx, r.clock.Now, &r.secret)
		defer leave()
		r.Script.PID = r.durable.PID(r.Script.PID)
	}
	f := r.topFrame(ctx, file)
	var err error
	if r.durable == nil {
		err = f.runScript(ctx, &file.Body)
	} else {
		err = r.runRecorded(f, file, func(g *frame) error { return g.runScript(ctx, &file.Body) })
	}
	return f.endScript(err)
}

// takeIn makes a file the one that runs, with its functions and resources. Most have none.
func (r *Runner) takeIn(file *ast.File) {
	r.names, r.source = file.Names, file.Source
	r.names.Number(pwd) // now: branches may look them up beside each other
	r.names.Number(oldpwd)
	r.watching, r.words = r.watching || file.ReadsStderr, r.words || file.ReadsCommand
	r.signalled.Store(0)
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

// endScript keeps and tells how the script ended.
func (f *frame) endScript(err error) error {
	if failure := asFailure(err); failure != nil {
		f.state.failed = failure // for what the prompt runs next
	}
	f.summarise(err)
	return err
}

// runScript runs a whole script, under the limit of the shell above.
func (f *frame) runScript(ctx context.Context, body *ast.Group) error {
	if f.run.Script.Deadline == 0 {
		return f.runGroup(ctx, body)
	}
	inside, leave := f.underLimit(ctx, f.run.Script.Deadline, "the inherited deadline passed")
	defer leave()
	inside.scope.limit.last = true
	return f.ownCut(inside.runGroup(inside.scope.ctx, body), inside.scope)
}

// topFrame returns the outermost frame, for a file.
func (r *Runner) topFrame(ctx context.Context, file *ast.File) *frame {
	first := r.frame == nil
	if first {
		seed := [2]uint64{r.Seed, 0}
		if r.Seed == 0 {
			seed = [2]uint64{rand.Uint64(), rand.Uint64()}
		}
		files := standardStreams(r.Script.Files)
		r.frame = &frame{run: r,
			state: &state{dice: rand.New(rand.NewPCG(seed[0], seed[1])), dir: openDirectory(r.World, r.Script.Dir)},
			call:  &call{params: parameters{words: r.Script.Args}},
			io:    &descriptors{files: files, stderr: files[2]},
		}
	}
	f := r.frame.inside()
	f.scope = &scope{ctx: ctx}
	f.growVariables()
	if first { // the PWD that is inherited may be another's: who starts us elsewhere need not change it
		if dir, err := f.directory(); err == nil {
			f.assign(r.variableNamed(pwd), value.String(dir))
		}
	}
	if len(file.Secrets) > 0 {
		f.declareSecrets(file.Secrets)
	}
	return f
}

// Undecided lists the units that somebody has to decide about before a durable script can go on: it runs as it would go
// on, but nothing is started, opened or written, and ends at each place that is under way. A unit is undecided if it
// was under way there, and no structure around it makes another attempt, tries an alternative, verifies or catches.
func Undecided(config Config, file *ast.File) []durable.Undecided {
	d := config.Durable.DryRun()
	if !durable.AnyOpen(d.Image) {
		return nil
	}
	dry := config
	hurried := make(chan struct{})
	close(hurried) // no wait lasts
	dry.World = idle{config.World, world.Nothing{}, world.NoJobs{}, hurried}
	dry.Durable, dry.Seed = d, 1
	dry.Observer, dry.View, dry.Secrets = nil, nil, nil
	r := New(dry)
	r.leftOut = &leftOut{}
	err := r.Run(context.Background(), file)
	if r.leftOut.wanted.Load() {
		err = New(dry).Run(context.Background(), file)
	}
	if failure := asFailure(err); failure != nil {
		return d.Undecided(failure.open, config.World.Now())
	}
	return nil
}

// idle is a world around another in which nothing begins, and no try waits.
type idle struct {
	machine
	world.Nothing
	world.NoJobs
	hurried chan struct{}
}

// machine is what idle leaves of the other world.
type machine interface {
	world.Time
	world.Surroundings
	Hold(temporary, text string) value.Value
}

func (idle) Run(context.Context, *world.Command) (world.Status, error) {
	return world.Status{}, context.Canceled
}

func (idle) Find(name, _ string, _ files.Directory) (string, error) { return name, nil }
func (idle) Become(*world.Command) error                            { return world.ErrStays }
func (idle) Go(f func())                                            { f() }
func (idle) Umask(int) error                                        { return nil }
func (idle) Identity() string                                       { return "" }
func (idle) Prepare()                                               {}
func (idle) Await(time.Duration, func() bool)                       {}
func (i idle) Hurried() <-chan struct{}                             { return i.hurried }
func (idle) Enter(_ files.Directory, name string) (files.Directory, error) {
	return files.Directory{Name: name}, nil
}

// Hold implements [world.Streams]: what the journal has of large values need not be in memory.
func (i idle) Hold(temporary, text string) value.Value { return i.machine.Hold(temporary, text) }
