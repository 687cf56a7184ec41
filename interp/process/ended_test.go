package process

import (
	"errors"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"ftsh/interp/process/clock"
)

// A command that has ended when its cancelling begins was not cut off, also if nobody has reaped it yet.
func TestEndedBeforeCut(t *testing.T) {
	for _, tt := range []struct {
		name, script string
		cut          bool
	}{
		{"success", "exit 0", false}, {"failure", "exit 7", false}, {"signal", "kill -9 $$", false},
		{"alive", "sleep 60", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			real := clock.New()
			defer real.Close()
			h, err := Open(Config{Clock: real, Whole: true})
			if err != nil {
				t.Fatal(err)
			}
			defer h.Close()
			r := &run{cmd: &Command{}, number: 1, born: h.born, cancelled: make(chan struct{})}
			r.pid, err = syscall.ForkExec("/bin/sh", []string{"sh", "-c", tt.script}, &syscall.ProcAttr{})
			if err != nil {
				t.Fatal(err)
			}
			h.running[r.pid] = r
			if !tt.cut {
				if _, err := peekChild(unix.P_PID, r.pid, 0); err != nil {
					t.Fatal(err)
				}
			}
			h.cancelCommand(r, errors.New("the limit passed"))
			h.awaitCommand(r)
			if r.cut != tt.cut {
				t.Errorf("cut off: %v, want %v", r.cut, tt.cut)
			}
		})
	}
}
