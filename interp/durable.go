package interp

import (
	"context"

	"ftsh/ast"
	"ftsh/interp/durable"
	"ftsh/interp/process"
)

// runRecorded runs a script with its journal.
func (r *Runner) runRecorded(f *frame, file *ast.File, run func() error) error {
	d := r.durable
	files := f.files[:]
	if r.Streams != nil {
		files = nil
	}
	top, leave, err := d.Begin(f, func() { f.beginKept("", false) }, files, r.pid, r.Args)
	defer leave()
	f.place = top
	if err == nil && !d.IsDry() && d.Continued() {
		err = f.startAgain(d.Context(), &file.Body, top)
	} else if err != nil {
		return err
	}
	if err == nil {
		err = run()
	}
	return d.End(top, f, file, func() any { return r.saveEnding(err) }, err)
}

// Finished gives what a finished journal says of how the script ended; false: it has not.
// The error is nil, a *[Failure] or an *[Exit].
func Finished(image *durable.Image) (err error, finished bool) {
	var e savedEnding
	finished = durable.Result(image, &e)
	return e.restoreError(nil), finished
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

func (idle) Rest() {}

func (idle) Open(string, bool) (int, error) { return closed, nil }

func (idle) New(string) int { return closed }

func (idle) Read(int) string { return "" }

func (idle) Line(int) (line string, ok bool) { return "", false }

func (idle) Write(int, string) {}

func (idle) Close(int) {}
