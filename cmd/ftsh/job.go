package main

import (
	"context"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/interp/process"
	"ftsh/interp/repl"
	"ftsh/interp/world"
)

// promptJobs gives each statement of the prompt a process group on the terminal.
type promptJobs struct {
	engine *machine
	enter  *enter
}

// Begin implements repl.Jobs.
func (js *promptJobs) Begin(cancel func()) repl.Job {
	return &job{jobs: js, group: js.engine.NewJob(terminal), cancel: cancel}
}

// job is a statement's programs, and runs them.
type job struct {
	jobs   *promptJobs
	group  *process.Job
	cancel func()

	mu       sync.Mutex
	programs int  // under way
	aside    bool // it is stopped: its programs do not count for the key Enter
	asked    bool // Ctrl-C was left to a program that handles it
	failed   bool // a program has failed since
}

// World implements [repl.Job].
func (j *job) World(around world.World) world.World { return jobWorld{around, j} }

// Signals implements [repl.Job].
func (j *job) Signals() <-chan syscall.Signal { return j.group.Signals() }

// jobWorld is the world of a statement.
type jobWorld struct {
	world.World
	job *job
}

// Run runs a program of the statement. If it has died of a key, or failed after
// Ctrl-C was left to it, the statement is cancelled before anything is made of that.
func (w jobWorld) Run(ctx context.Context, c *world.Command) (world.Status, error) {
	j := w.job
	j.countPrograms(1)
	c.Job = j.group
	status, err := w.World.Run(ctx, c)
	j.countPrograms(-1)
	interrupted := status.Signal == syscall.SIGINT || status.Signal == syscall.SIGQUIT
	if j.gaveWay(err == nil && !status.Success(), err == nil && interrupted) {
		j.cancel()
		return status, context.Cause(ctx)
	}
	return status, err
}

// gaveWay reports whether all programs have ended that Ctrl-C was left to or that
// have died of it, and one has failed.
func (j *job) gaveWay(failed, died bool) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.failed = j.failed || died || j.asked && failed
	return j.failed && j.programs == 0
}

func (j *job) countPrograms(change int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.programs += change
	if !j.aside {
		j.jobs.enter.noteProgram(change)
	}
}

// Interrupt decides whether Ctrl-C cancels the statement. Its programs have had it,
// and most have ended of it. But one that handles it, as pagers and interpreters
// do, may go on: it is left to that, the first time; always, if it has set the
// terminal to a mode of its own.
func (j *job) Interrupt() bool {
	handled := j.group.Handles(syscall.SIGINT)
	j.mu.Lock()
	leave := handled && (!j.asked || hasOwnModes())
	j.asked = handled
	j.mu.Unlock()
	j.group.Watch()
	return !leave
}

// hasOwnModes reports whether a program has set the terminal to a mode of its own.
func hasOwnModes() bool {
	modes, err := unix.IoctlGetTermios(terminal, unix.TCGETS)
	return err == nil && modes.Lflag&unix.ICANON == 0
}

// Aside is called when it was stopped: others may use the terminal.
func (j *job) Aside() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.aside = true
	j.jobs.enter.noteProgram(-j.programs)
}

// Continue gives it the terminal again.
func (j *job) Continue() {
	j.mu.Lock()
	j.aside, j.asked = false, false
	j.jobs.enter.noteProgram(j.programs)
	j.mu.Unlock()
	j.group.Continue()
}

// End is called when the statement is over.
func (j *job) End() { j.group.Close() }

// takeTerminal makes this shell the one that gives the terminal to others: a
// process group of its own in the foreground. It returns how to give it back, or
// false if the terminal is not the one that the shell was started from.
func takeTerminal() (giveBack func(), ok bool) {
	before, err := unix.IoctlGetInt(terminal, unix.TIOCGPGRP)
	if err != nil {
		return func() {}, false
	}
	for range 100 {
		if before == unix.Getpgrp() {
			break
		}
		_ = unix.Kill(0, unix.SIGTTIN) // started in the background: stop until that changes
		time.Sleep(10 * time.Millisecond)
		before, _ = unix.IoctlGetInt(terminal, unix.TIOCGPGRP)
	}
	if own := unix.Getpid(); before != own && unix.Setpgid(0, 0) == nil {
		process.SetForeground(terminal, own)
		return func() { process.SetForeground(terminal, before) }, true
	}
	return func() {}, true
}
