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
