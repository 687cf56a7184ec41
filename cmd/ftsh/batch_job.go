package main

import (
	"context"
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/ast"
	"ftsh/backoff"
	"ftsh/interp"
	"ftsh/interp/engine"
	"ftsh/interp/engine/programs"
	"ftsh/parser"
)

// runJob is what a job of a batch system does: it claims its folder, runs what the shell has put
// there as a script of one command, and writes how it ended. A job with nothing to do has succeeded.
func runJob(args []string) int {
	system := newSystem(engineHere(os.Getenv), programs.Config{})
	assignment, err := engine.Begin(args, system)
	if errors.Is(err, engine.ErrNotMine) {
		return statusSuccess
	}
	if err != nil {
		return refuseToRun(err, "")
	}
	ending := doJobWork(assignment)
	if err := assignment.End(ending); err != nil {
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
}

// doJobWork runs the programs of a job, or is a pilot.
func doJobWork(a *engine.Assignment) (ending engine.Ending) {
	w := &worker{}
	s, err := openShell(&options{killTimeout: defaultKillTimeout, progress: "never", reaped: w.meter.addReaped})
	if err != nil {
		return engine.Ending{Kind: string(interp.KindSystem), Status: statusFailed, Message: err.Error()}
	}
	defer s.closeShell()
	null, err := os.Open(os.DevNull)
	if err != nil {
		return engine.Ending{Kind: string(interp.KindSystem), Status: statusFailed, Message: err.Error()}
	}
	defer null.Close()
	w.shell, w.null = s, null
	w.ctx, w.signals = newSignals(s.log, s.host)
	w.signals.catchSignals()
	if a.Pilot {
		ending = w.servePilot(a)
	} else {
		ending = w.runPrograms(w.ctx, a)
	}
	_ = s.host.Close()
	ending.Signal = int(w.signals.first.Load())
	if ending.Signal != 0 {
		ending.Message = context.Cause(w.ctx).Error()
	}
	return ending
}

// servePilot runs what the shell hands over.
func (w *worker) servePilot(a *engine.Assignment) engine.Ending {
	system := newSystem(engineHere(os.Getenv), programs.Config{Run: w.config.Engine.Run, Environ: os.Environ()})
	config := engine.PilotConfig{System: system, Clock: w.clock, Left: backoff.Never, Perform: w.runAssigned}
	number, _ := system.Here(os.Getenv)
	if left, known := system.Left(w.ctx, number); known {
		config.Left = left
	}
	if err := a.Serve(w.ctx, config); err != nil {
		return engine.Ending{Kind: string(interp.KindSystem), Status: statusFailed, Message: err.Error()}
	}
	return engine.Ending{}
}

// runAssigned runs a program that was handed over.
func (w *worker) runAssigned(ctx context.Context, a *engine.Assignment) engine.Ending {
	ending := w.runPrograms(ctx, a)
	if ending.Signal = int(w.signals.first.Load()); ending.Signal != 0 {
		ending.Message = "its pilot was ended: " + context.Cause(w.ctx).Error()
	}
	return ending
}

// runPrograms runs the programs of a job.
func (w *worker) runPrograms(ctx context.Context, a *engine.Assignment) engine.Ending {
	file, err := parser.Parse(&ast.Source{Name: "job", Text: a.Script}, parser.Config{})
	if err != nil {
		return engine.Ending{Kind: string(interp.KindError), Status: statusFailed, Message: err.Error()}
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
	config.Files = []int{int(w.null.Fd()), int(a.Stdout.Fd()), int(a.Stderr.Fd())}
	w.meter.beginMeter(w.clock.Now())
	ending := endingOf(interp.New(config).Run(ctx, file))
	ending.Used = w.meter.endMeter(w.clock.Now())
	if signal := ending.Status - 128; signal > 0 && signal <= lastSignal {
		_ = backoff.Sleep(ctx, w.clock, w.clock.Now()+ownTurn)
	}
	return ending
}

// A batch system that ends a job sends its signal to one process after another, and the runner may be the last.
// So a program's death of a signal counts as its own only when the runner has not had one for so long.
const (
	ownTurn    = time.Second
	lastSignal = 64
)

// endingOf says how the programs ended.
func endingOf(err error) engine.Ending {
	var failure *interp.Failure
	if !errors.As(err, &failure) {
		return engine.Ending{}
	}
	return engine.Ending{
		Kind: string(failure.Kind), Status: failure.Status, Message: secrets.Text(failure.Message),
		Command: failure.Command, Early: failure.EarlyStage()}
}
