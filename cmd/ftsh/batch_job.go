package main

import (
	"context"
	"errors"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/ast"
	"ftsh/interp"
	"ftsh/interp/jobs"
	"ftsh/interp/jobs/batch"
	"ftsh/interp/jobs/programs"
	"ftsh/interp/world"
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
	w, err := openWorker()
	var ending jobs.Ending
	if err != nil {
		ending, err = assignment.Fail(err)
	} else {
		ending, err = assignment.Work(w.ctx, jobs.Worker{System: w.system, Clock: w.clock, Perform: w.runPrograms,
			Signal: func() int { return int(w.signals.first.Load()) }, Run: w.host.Run})
		w.close()
	}
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
	system  batch.System
}

// openWorker makes what runs programs.
func openWorker() (w *worker, err error) {
	w = &worker{}
	s, err := openShell(&options{killTimeout: defaultKillTimeout, progress: "never", reaped: w.meter.addReaped})
	if err != nil {
		return nil, err
	}
	w.shell = s
	w.ctx, w.signals = newSignals(s.log, s.host)
	w.signals.catchSignals()
	s.local.Kill, s.local.Jobs = w.signals.kill, nil
	s.openWorld()
	w.system = newSystem(engineHere(os.Getenv), programs.Config{Run: s.host.Run, Environ: os.Environ()})
	if w.null, err = os.Open(os.DevNull); err != nil {
		w.close()
		return nil, err
	}
	return w, nil
}

func (w *worker) close() {
	_ = w.null.Close()
	_ = w.host.Close()
	w.shell.closeShell()
}

// runPrograms runs the programs of a job.
func (w *worker) runPrograms(ctx context.Context, a *jobs.Assignment) jobs.Ending {
	if err := a.Connect(); err != nil {
		return jobs.Ending{Kind: batch.Kind(interp.KindSystem), Status: statusFailed, Message: err.Error()}
	}
	file, err := parser.Parse(&ast.Source{Name: "job", Text: a.Script}, parser.Config{})
	if err != nil {
		return jobs.Ending{Kind: batch.Kind(interp.KindError), Status: statusFailed, Message: err.Error()}
	}
	unix.Umask(a.Umask)
	for i, shown := range a.Shown { // nobody here knows what of them is secret
		if word := a.Words[i]; shown != word {
			secrets.Add(word)
		}
	}
	config := w.config
	config.Mode.ProgramsOnly = true
	config.Script.Name, config.Script.Args = a.Folder(), a.Words
	config.Script.Environ, config.Script.Dir = a.Environ, string(a.Dir)
	if os.Chdir(string(a.Dir)) == nil { // so that messages name files as the script does; where it fails, interp says why
		config.Script.Dir = ""
	}
	config.Script.Files = []int{int(w.null.Fd()), a.Stdout, a.Stderr}
	config.World = judging{config.World, a}
	began := w.clock.Now()
	w.meter.take()
	ending := endingOf(interp.New(config).Run(ctx, file))
	ending.Used.CPU, ending.Used.Memory = w.meter.take()
	ending.Used.Elapsed = w.clock.Now() - began
	return ending
}

// judging runs programs, and believes how they ended only if nobody was ending the job.
type judging struct {
	world.World
	assignment *jobs.Assignment
}

func (j judging) Run(ctx context.Context, c *world.Command) (world.Status, error) {
	status, err := j.World.Run(ctx, c)
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
		Kind: batch.Kind(failure.Kind), Status: failure.Status, Message: secrets.Text(failure.Message),
		Command: failure.Command, Early: failure.EarlyStage()}
}

// meter measures what the programs of a job use. The processes that they leave behind are reaped
// by the runner, too, and count.
type meter struct {
	mu     sync.Mutex
	cpu    time.Duration
	memory int64
}

// addReaped counts a process that was reaped, with those that it has reaped itself.
func (m *meter) addReaped(u *syscall.Rusage) {
	const unit = 1024 // of Maxrss, on Linux
	m.mu.Lock()
	defer m.mu.Unlock()
	m.cpu += time.Duration(u.Utime.Nano() + u.Stime.Nano())
	m.memory = max(m.memory, int64(u.Maxrss)*unit)
}

// take gives what was used since it was taken last.
func (m *meter) take() (cpu time.Duration, memory int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	cpu, memory, m.cpu, m.memory = m.cpu, m.memory, 0, 0
	return cpu, memory
}
