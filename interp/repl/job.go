package repl

import (
	"context"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/ast"
	"ftsh/ast/diag"
	"ftsh/interp"
	"ftsh/interp/world"
)

// Jobs gives each statement the terminal while it runs.
type Jobs interface {
	// Begin is called before a statement runs. What it returns may call cancel, if a program has ended in a way that
	// ends the statement.
	Begin(cancel func()) Job
}

// Job is a statement as the terminal sees it.
type Job interface {
	// World is the one around, in which the statement's programs run as one job.
	World(around world.World) world.World
	// Signals are those that came from the terminal: SIGINT, SIGQUIT; SIGTSTP tells that all programs are stopped and
	// the terminal is the shell's.
	Signals() <-chan syscall.Signal
	// Interrupt decides whether a SIGINT that came cancels the statement.
	Interrupt() bool
	// Aside is called after SIGTSTP, if the statement is left alone then.
	Aside()
	// Continue goes on with a statement that was left alone.
	Continue()
	// End is called when the statement is over.
	End()
}

type statement struct {
	number int // among the stopped ones, from 1
	text   string
	runner *interp.Runner
	job    Job
	cancel context.CancelCauseFunc
	kill   chan struct{}
	count  int  // of the signals that have cancelled it
	cut    bool // it was cancelled
	done   chan error
	modes  unix.Termios // of the terminal when it was stopped
}

func (s *shell) launchStatement(file *ast.File, text string) *statement {
	ctx, cancel := context.WithCancelCause(context.Background())
	st := &statement{text: text, runner: s.Runner, cancel: cancel, kill: make(chan struct{}), done: make(chan error, 1)}
	around := s.world
	if s.Jobs != nil {
		st.job = s.Jobs.Begin(func() { s.cancelStatement(st, syscall.SIGINT) })
		around = st.job.World(around)
	}
	s.Runner.World = killable{around, st.kill}
	go func() { st.done <- st.runner.Run(ctx, file) }()
	return st
}

// awaitStatement waits until a statement is over or stopped. If cancelled is closed it is cancelled, if killed is, what
// is still there is killed.
func (s *shell) awaitStatement(st *statement, cancelled, killed <-chan struct{}) (over bool, err error) {
	var signals <-chan syscall.Signal
	if st.job != nil {
		signals = st.job.Signals()
	}
	for {
		select {
		case err := <-st.done:
			s.endJob(st)
			return true, err
		case sig := <-signals:
			if sig == syscall.SIGTSTP && len(st.done) == 0 {
				return false, nil
			}
			if sig == syscall.SIGQUIT || sig == syscall.SIGINT && st.job.Interrupt() {
				s.stopStatement(st, sig)
			}
		case <-cancelled:
			s.stopStatement(st, syscall.SIGINT)
			cancelled = nil
		case <-killed:
			s.stopStatement(st, syscall.SIGINT)
			killed = nil
		}
	}
}

// stopStatement cancels a statement for a signal. The second time everything is killed that has not ended by then,
// finally groups included.
func (s *shell) stopStatement(st *statement, why os.Signal) {
	s.running.mu.Lock()
	if st.count++; st.count == 2 {
		close(st.kill)
	}
	s.running.mu.Unlock()
	s.cancelStatement(st, why)
}

func (s *shell) cancelStatement(st *statement, why os.Signal) {
	s.running.mu.Lock()
	defer s.running.mu.Unlock()
	if typed := why == syscall.SIGINT || why == syscall.SIGQUIT; typed && !st.cut {
		s.Typing(true) // the terminal has shown ^C, where the view draws
		s.term.writeText("\r\n")
		s.Typing(false)
	}
	st.cut = true
	st.cancel(cancelled{why})
}

func (s *shell) wasCancelled(st *statement) bool {
	s.running.mu.Lock()
	defer s.running.mu.Unlock()
	return st.cut
}

func (s *shell) endJob(st *statement) {
	st.cancel(nil)
	if st.job != nil {
		st.job.End()
	}
}

// setAside keeps a statement that was stopped, and goes on without it: from the variables as they are now, and what
// it does to them later stays with it.
func (s *shell) setAside(st *statement) {
	st.job.Aside()
	st.modes = s.term.modesNow()
	if st.number == 0 {
		st.number = 1
		for _, other := range s.aside {
			st.number = max(st.number, other.number+1)
		}
		s.aside = append(s.aside, st)
		if s.Runner == st.runner {
			s.Runner = s.Runner.Fork(func(*interp.Config) {})
		}
	}
	s.repairTerminal()
	s.printMessage("\r\n" + s.inStyle(fmt.Sprintf("stopped: %s (fg goes on with it)", oneLine(st.text)), styleFaint))
}

func oneLine(text string) string {
	first, rest, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if rest != "" {
		first += " …"
	}
	return ast.OneLine(first, mostShown)
}

// reportEndedOnes tells of stopped statements that have ended all the same: a time limit has passed, or somebody has
// killed them.
func (s *shell) reportEndedOnes() {
	for _, st := range s.aside {
		if len(st.done) > 0 {
			err := <-st.done
			s.endJob(st)
			s.forgetStopped(st)
			ended := "succeeded"
			if err != nil {
				ended = "failed: " + diag.Visible(err.Error())
			}
			s.printMessage(s.inStyle(fmt.Sprintf("%s, which was stopped, has %s", oneLine(st.text), ended), styleFaint))
		}
	}
}

// mayLeave reports whether the shell may end: not at the first try, if something is stopped.
func (s *shell) mayLeave() bool {
	if len(s.aside) == 0 || s.warned {
		return true
	}
	s.warned = true
	s.printMessage(fmt.Sprintf("%d stopped; fg goes on, leaving once more ends it", len(s.aside)))
	return false
}

// endAll ends what is stopped. It gets a moment before it is killed.
func (s *shell) endAll() {
	const patience = time.Second
	for _, st := range s.aside {
		s.stopStatement(st, syscall.SIGHUP)
	}
	late := time.After(patience)
	for _, st := range s.aside {
		select {
		case err := <-st.done:
			st.done <- err
		case <-late:
			late = time.After(0)
			s.stopStatement(st, syscall.SIGHUP)
		}
		<-st.done
		s.endJob(st)
	}
	s.aside = nil
}
