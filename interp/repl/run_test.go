package repl

import (
	"io"
	"os"
	"syscall"
	"testing"

	"ftsh/interp"
)

// A Ctrl-C that comes when Enter has ended the line cancels the statement, and
// none after it.
func TestCtrlCRightAfterEnter(t *testing.T) {
	e, _ := newTestEditor(t, interp.Config{}, io.Discard)
	s := e.shell
	var stopped os.Signal
	for _, want := range []os.Signal{syscall.SIGINT, nil} {
		s.setReading(true)
		if want != nil {
			s.receiveSignal(want)
		}
		s.setReading(false)
		stopped = nil
		s.setRunning(func(sig os.Signal) { stopped = sig })
		if stopped != want {
			t.Errorf("cancelled by %v, want %v", stopped, want)
		}
		s.setRunning(nil)
	}
}

// A Ctrl-Z that comes when Enter has ended the line is answered, for the statement may run already before the prompt
// knows how to stop it; while a line is typed it is not for the shell.
func TestCtrlZRightAfterEnter(t *testing.T) {
	e, _ := newTestEditor(t, interp.Config{}, io.Discard)
	s := e.shell
	for _, reading := range []bool{true, false} {
		s.setReading(reading)
		var drawn int
		s.Typing = func(is bool) {
			if is {
				drawn++
			}
		}
		s.receiveSignal(syscall.SIGTSTP)
		if (drawn == 1) == reading {
			t.Errorf("reading %v: answered %d times", reading, drawn)
		}
	}
}
