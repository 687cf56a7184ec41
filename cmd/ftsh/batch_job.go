package main

import (
	"context"
	"errors"
	"os"

	"golang.org/x/sys/unix"

	"ftsh/ast"
	"ftsh/backoff"
	"ftsh/interp"
	"ftsh/interp/jobs"
	"ftsh/interp/jobs/programs"
	"ftsh/interp/process"
	"ftsh/parser"
)

// runJob does the work of a job of a batch system: it claims its folder, runs what the shell has put
// there as a script of one command, and writes how it ended. A job with nothing to do has succeeded.
func runJob(args []string) int {
	system := newSystem(engineHere(os.Getenv), programs.Config{})
	assignment, err := jobs.Begin(args, system)
	if errors.Is(err, jobs.ErrNotMine) {
		return statusSuccess
	}
	if err != nil {
		return refuseToRun(err, "")
	}
	ending, err := doJobWork(assignment, system)
	if err != nil {
		return refuseToRun(err, "")
	}
	return system.Exit(ending.Status)
}

// worker runs the programs of jobs, one after another.
type worker struct {
	*shell
	ctx     context.Context // ends with the first signal
	signals *signals
	null    *os.File
	meter   meter
	sentry  *jobs.Sentry
}

// doJobWork runs the programs of a job, or is a pilot.
func doJobWork(a *jobs.Assignment, system batchSystem) (ending jobs.Ending, err error) {
	w, err := openWorker(system)
	if err != nil {
		ending = jobs.Ending{Kind: string(interp.KindSystem), Status: statusFailed, Message: err.Error()}
		return ending, a.End(ending)
	}
	defer w.close()
	a.Guard(w.sentry)
	if a.Pilot {
		ending = w.servePilot(a)
		w.sentry.Release()
		return ending, a.End(ending)
	}
	err = a.Carry(w.ctx, w.clock, func(ctx context.Context, a *jobs.Assignment) jobs.Ending {
		ending = w.runPrograms(ctx, a)
		return ending
	}, w.sentry.Release)
	return ending, err
}

// openWorker makes what runs programs, with a sentry beside them.
func openWorker(system batchSystem) (w *worker, err error) {
	w = &worker{}
	s, err := openShell(&options{killTimeout: defaultKillTimeout, progress: "never", reaped: w.meter.addReaped})
	if err != nil {
		return nil, err
	}
	w.shell = s
	w.ctx, w.signals = newSignals(s.log, s.host)
	w.signals.catchSignals()
	if w.null, err = os.Open(os.DevNull); err == nil {
		w.sentry, err = jobs.NewSentry(system, s.clock, func() int { return int(w.signals.first.Load()) }, s.host.Run)
	}
	if err != nil {
		w.close()
		return nil, err
	}
	return w, nil
}

func (w *worker) close() {
	if w.sentry != nil {
		w.sentry.Close()
	}
	_ = w.null.Close()
	_ = w.host.Close()
	w.shell.closeShell()
}

// servePilot runs what the shell hands over.
func (w *worker) servePilot(a *jobs.Assignment) jobs.Ending {
	system := newSystem(engineHere(os.Getenv), programs.Config{Run: w.config.Engine.Run, Environ: os.Environ()})
	config := jobs.PilotConfig{System: system, Clock: w.clock, Left: backoff.Never, Perform: w.runPrograms,
		Sentry: w.sentry}
	number, _ := system.Here(os.Getenv)
	if left, known := system.Left(w.ctx, number); known {
		config.Left = left
	}
	if err := a.Serve(w.ctx, config); err != nil {
		return jobs.Ending{Kind: string(interp.KindSystem), Status: statusFailed, Message: err.Error()}
	}
	return jobs.Ending{}
}

// runPrograms runs the programs of a job.
func (w *worker) runPrograms(ctx context.Context, a *jobs.Assignment) jobs.Ending {
	if err := a.Connect(); err != nil {
		return jobs.Ending{Kind: string(interp.KindSystem), Status: statusFailed, Message: err.Error()}
	}
	file, err := parser.Parse(&ast.Source{Name: "job", Text: a.Script}, parser.Config{})
	if err != nil {
		return jobs.Ending{Kind: string(interp.KindError), Status: statusFailed, Message: err.Error()}
	}
	unix.Umask(a.Umask)
	for i, shown := range a.Shown { // nobody here knows what of them is secret
		if word := a.Words[i]; shown != word {
			secrets.Add(word)
		}
	}
	config := w.config
	config.Name, config.Args, config.Kill, config.ProgramsOnly = a.Folder(), a.Words, w.signals.kill, true
	config.Environ, config.Dir, config.Jobs = a.Environ, a.Dir, nil
	if os.Chdir(a.Dir) == nil { // so that messages name files as the script does; where it fails, interp says why
		config.Dir = ""
	}
	config.Files = []int{int(w.null.Fd()), int(a.Stdout.Fd()), int(a.Stderr.Fd())}
	config.Engine = judging{config.Engine, a}
	w.meter.beginMeter(w.clock.Now())
	ending := endingOf(interp.New(config).Run(ctx, file))
	ending.Used = w.meter.endMeter(w.clock.Now())
	return ending
}

// judging runs programs, and believes how they ended only if nobody was ending the job.
type judging struct {
	interp.Engine
	assignment *jobs.Assignment
}

func (j judging) Run(ctx context.Context, c *process.Command) (process.Status, error) {
	status, err := j.Engine.Run(ctx, c)
	if err == nil && j.assignment.WasBeingEnded() && status.Success() {
		status.Signal = unix.SIGTERM // of which it would have died, but for a trap or for luck
	}
	return status, err
}

// endingOf says how the programs ended.
func endingOf(err error) jobs.Ending {
	var failure *interp.Failure
	if !errors.As(err, &failure) {
		return jobs.Ending{}
	}
	return jobs.Ending{
		Kind: string(failure.Kind), Status: failure.Status, Message: secrets.Text(failure.Message),
		Command: failure.Command, Early: failure.EarlyStage()}
}
