package repl

import (
	"cmp"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"ftsh/ast"
	"ftsh/interp"
	"ftsh/parser"
)

// running is what is under way in the foreground, for signals to the shell itself.
type running struct {
	mu      sync.Mutex
	reading bool            // a statement is being read
	stop    func(os.Signal) // nil: nothing is under way
	early   os.Signal       // that came between the prompt and what is to run
}

// cancelled is the cause with which a signal cancels a statement.
type cancelled struct{ signal os.Signal }

func (c cancelled) Error() string {
	if c.signal == syscall.SIGINT {
		return "cancelled by Ctrl-C"
	}
	return "cancelled by a signal: " + c.signal.String()
}

// parseScript reads a text as a script; what it sources is found relative to the directory that the shell is in.
func (s *shell) parseScript(source *ast.Source, names *ast.Names) (*ast.File, error) {
	return parser.Parse(source, parser.Config{
		Names: names, Functions: s.Runner.Functions(), Resources: s.Runner.Resources(), Interactive: true,
		Dir: s.Runner.Directory(),
	})
}

// runFile runs a script in the foreground, and tells how it failed. It reports whether it was cancelled.
func (s *shell) runFile(file *ast.File, text string) (cancelled bool) {
	began := time.Now()
	st := s.launchStatement(file, text)
	s.current = st
	s.setRunning(func(sig os.Signal) { s.stopStatement(st, sig) })
	over, err := s.awaitStatement(st, nil, nil)
	s.setRunning(nil)
	s.forgetSecrets()
	s.elapsed, s.succeeded = time.Since(began), err == nil
	if !over {
		s.setAside(st)
		return false
	}
	s.settleModes(err)
	var exit *interp.Exit
	var failure *interp.Failure
	switch cancelled = s.wasCancelled(st); {
	case errors.As(err, &exit):
		if s.mayLeave() {
			s.result.Status, s.done = exit.Status, true
		}
	case cancelled:
	case errors.As(err, &failure):
		s.reportFailure(failure)
	}
	return cancelled
}

// typedSource is the name of what is typed, in messages.
const typedSource = "prompt"

// runText runs a text as one that was typed.
func (s *shell) runText(text string) {
	if slices.Contains([]string{"?", "man ftsh", "ftsh help"}, strings.TrimSpace(text)) {
		text = "help"
	}
	file, err := s.parseScript(&ast.Source{Name: typedSource, Text: text + "\n", Typed: true}, s.Runner.Names())
	if err != nil {
		s.reportMistake(err)
		return
	}
	s.runFile(file, text)
}

// setRunning says what signals to the shell stop. One that ends the prompt stops all that begins after it, too.
func (s *shell) setRunning(stop func(os.Signal)) {
	s.running.mu.Lock()
	early := cmp.Or(s.running.early, s.result.Signal)
	s.running.stop, s.running.early = stop, nil
	s.running.mu.Unlock()
	if early != nil && stop != nil {
		stop(early)
	}
}

// settleModes gives the terminal its usual modes. What a program has set stays if it succeeded: stty has meant it.
func (s *shell) settleModes(err error) {
	if err == nil {
		s.term.usual = s.term.modesNow()
	} else {
		s.repairTerminal()
	}
}

// repairTerminal undoes what a program has done to the terminal that could not do it itself any more: one that died, or
// was stopped, in the middle of its work. It does not leave another screen by the sequence that programs use, as that
// also moves the cursor where it is not needed.
func (s *shell) repairTerminal() {
	if s.term.modesNow() != s.term.usual && !s.Plain {
		s.term.writeText("\x1b[?1047l\x1b7\x1b[r\x1b8\x1b[?25h\x1b[?1l\x1b>\x1b[?1000;1002;1003;1006l\x1b[<u\x1b[0m")
	}
	_ = s.term.makeUsual()
}

func (s *shell) watchSignals() {
	hungUp := s.term.hungUp
	for {
		select {
		case <-s.stopped:
			return
		case received := <-s.Signals:
			s.receiveSignal(received)
		case <-hungUp:
			hungUp = nil
			if !s.isOver() { // by SIGHUP, which tells of the same
				s.receiveSignal(syscall.SIGHUP)
			}
		}
	}
}

func (s *shell) receiveSignal(received os.Signal) {
	switch received {
	case syscall.SIGINT, syscall.SIGQUIT:
		s.passSignal(received)
	case syscall.SIGTSTP:
		s.refuseStop()
	case syscall.SIGWINCH:
		s.Resized()
		s.term.wakeUp(&s.term.resized)
	case syscall.SIGUSR1, syscall.SIGUSR2:
		s.HandOn(received.(syscall.Signal))
	case syscall.SIGHUP, syscall.SIGTERM, syscall.SIGXCPU:
		if stop := s.endBy(received); stop != nil {
			stop(received)
		}
		s.term.wakeUp(&s.term.gone)
	}
}

// echo is the time after a signal in which the same one counts as that one: when a terminal is closed, the kernel and
// whoever started the shell may both send SIGHUP.
const echo = 100 * time.Millisecond

// endBy notes the signal that ends the prompt, the first if there are several. It returns what stops what is under
// way, unless that was stopped by the same signal just now; nil: nothing is to be stopped.
func (s *shell) endBy(received os.Signal) (stop func(os.Signal)) {
	s.running.mu.Lock()
	defer s.running.mu.Unlock()
	if received == s.result.Signal && time.Since(s.signalled) < echo {
		return nil
	}
	s.result.Signal, s.signalled = cmp.Or(s.result.Signal, received), time.Now()
	return s.running.stop
}

// refuseStop says what Ctrl-Z cannot do: it came to the shell, so that what is under way is a wait, or something else
// that the shell does itself.
func (s *shell) refuseStop() {
	s.running.mu.Lock()
	defer s.running.mu.Unlock()
	if s.running.reading {
		return
	}
	s.Typing(true) // the view draws in the same place
	s.printMessage("\r" + s.inStyle("no program runs that could be stopped; Ctrl-C cancels", styleFaint))
	s.Typing(false)
}

// passSignal stops what is under way, or drops what is being typed.
func (s *shell) passSignal(received os.Signal) {
	s.running.mu.Lock()
	stop, reading := s.running.stop, s.running.reading
	if stop == nil && !reading {
		s.running.early = received
	}
	s.running.mu.Unlock()
	switch {
	case stop != nil:
		stop(received)
	case reading && received == syscall.SIGINT:
		s.term.wakeUp(&s.term.interrupted)
	}
}

// setReading records whether the prompt has the terminal, or a statement. A Ctrl-C that came too late to drop the line,
// right after Enter, cancels the statement.
func (s *shell) setReading(is bool) {
	s.running.mu.Lock()
	s.running.reading, s.running.early = is, nil
	if s.term.interrupted.Swap(false) && !is {
		s.running.early = syscall.SIGINT
	}
	s.running.mu.Unlock()
	s.Typing(is)
}
