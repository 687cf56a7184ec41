package process_test

import (
	"context"
	"ftsh/interp/world"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Everything below a command that is cut off goes, whatever it has done to get away.
func TestCancel(t *testing.T) {
	for _, tt := range []struct {
		name, script string
		reports      int
	}{
		{"one", "echo >&3; exec SLEEP", 1},
		{"child", "SLEEP & echo >&3; wait", 1},
		{"session", "setsid SLEEP & echo >&3; wait", 1},
		{"daemon", "(setsid SLEEP &); echo >&3; SLEEP", 1},
		{"group", "set -m; SLEEP & (SLEEP &); echo >&3; wait", 1},
		{"stopped", "SLEEP & kill -STOP $!; (setsid sh -c 'kill -STOP $$; SLEEP' TAG &); echo >&3; kill -STOP $$", 1},
		{"environment cleared", "env -i SLEEP & env -i setsid sh -c 'SLEEP & wait' TAG & echo >&3; wait", 1},
		{"daemon, environment cleared", "(env -i setsid sh -c 'SLEEP & echo >&3; SLEEP' TAG &); SLEEP", 1},
		{"daemon, environment forged", "(FTSH_COMMAND=/else.1/2 setsid sh -c 'SLEEP & echo >&3; SLEEP' TAG &); " +
			"(FTSH_COMMAND=$FTSH_COMMAND/x/y SLEEP &); SLEEP", 1},
		{"forks when asked to end", "trap 'SLEEP & (setsid SLEEP &)' TERM; echo >&3; SLEEP & wait; wait; SLEEP", 1},
		{"chain", "n=0; echo >&3; exec sh -c 'hop() { n=$((n+1)); [ $n -lt 3000 ] && (hop &); }; hop; SLEEP' TAG", 1},
		{"deep", "deep() { if [ $1 -gt 0 ]; then (deep $(($1-1))); else echo >&3; SLEEP; fi; }; deep 60; :", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			soon := whole
			soon.KillTimeout = 500 * time.Millisecond
			h, s := open(t, soon), newStage(t)
			if got, err := s.run(h, s.sh(tt.script), tt.reports); err != errCut {
				t.Errorf("got %+v, %v", got, err)
			}
			s.none()
		})
	}
}

// What ignores SIGTERM is killed after the kill timeout.
func TestCancelStubborn(t *testing.T) {
	for _, tt := range []struct{ name, script string }{
		{"ignores", "trap '' TERM; SLEEP & setsid SLEEP & (setsid SLEEP &); echo >&3; SLEEP; SLEEP"},
		{"stopped again", "trap 'kill -STOP $$' TERM; echo >&3; while :; do sleep 0.01; done"},
		{"bomb", `trap '' TERM
			bomb() { if [ $1 -gt 0 ]; then bomb $(($1-1)) & (bomb $(($1-1)) &) ; fi; }
			bomb 7; echo >&3; bomb 7; while :; do bomb 2; done`},
	} {
		for name, cfg := range configs() {
			t.Run(tt.name+"/"+name, func(t *testing.T) {
				cfg.KillTimeout = 50 * time.Millisecond
				h, s := open(t, cfg), newStage(t)
				if got, err := s.run(h, s.sh(tt.script), 1); err != errCut {
					t.Errorf("got %+v, %v", got, err)
				}
				s.none()
			})
		}
	}
}

// In every mode, also where orphans do not come back to us.
func TestCancelModes(t *testing.T) {
	for name, cfg := range configs() {
		t.Run(name, func(t *testing.T) {
			h, s := open(t, cfg), newStage(t)
			if got, err := s.run(h, s.sh("SLEEP & setsid SLEEP & (setsid SLEEP &) ; (SLEEP &); echo >&3; SLEEP"),
				1); err != errCut {
				t.Errorf("got %+v, %v", got, err)
			}
			s.none()
		})
	}
}

// Also on a kernel that does not list a process's children.
func TestCancelUnlistedChildren(t *testing.T) {
	for name, cfg := range configs() {
		t.Run(name, func(t *testing.T) {
			h, s := open(t, cfg), newStage(t)
			h.Unlisted()
			if got, err := s.run(h, s.sh("env -i setsid SLEEP & (setsid SLEEP &) ; (SLEEP &); echo >&3; SLEEP"),
				1); err != errCut {
				t.Errorf("got %+v, %v", got, err)
			}
			s.none()
		})
	}
}

func TestPatience(t *testing.T) {
	h, s := open(t, whole), newStage(t)
	c := s.sh("trap '' TERM; echo >&3; while :; do sleep 0.01; done")
	var asked []error
	c.Patience = func(cause error) time.Duration {
		asked = append(asked, cause)
		return 30 * time.Millisecond
	}
	began := time.Now()
	s.run(h, c, 1)
	if len(asked) != 1 || asked[0] != errCut {
		t.Errorf("asked %v", asked)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("took %v", took)
	}
}

func TestKillAtOnce(t *testing.T) {
	h, s := open(t, whole), newStage(t)
	ctx, cancel := context.WithCancel(context.Background())
	kill := make(chan struct{})
	const three = 3
	var all sync.WaitGroup
	for range three {
		all.Go(func() {
			c := s.sh("trap 'echo >&3' TERM; echo >&3; while :; do sleep 0.01; done")
			c.Kill = kill
			if got, _ := h.Run(ctx, c); got.Signal != syscall.SIGKILL {
				t.Errorf("got %+v", got)
			}
		})
	}
	for range three {
		s.wait()
	}
	cancel()
	for range three { // each has survived SIGTERM
		s.wait()
	}
	close(kill)
	all.Wait()
	s.none()
}

func TestCancelledBefore(t *testing.T) {
	h, s := open(t, whole), newStage(t)
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errCut)
	if got, err := h.Run(ctx, s.sh("echo >&3")); err != errCut || got != (world.Status{}) {
		t.Error(got, err)
	}
}

// A thousand processes that got away in all ways.
func TestCancelThousand(t *testing.T) {
	h, s := open(t, whole), newStage(t)
	if got, err := s.run(h, s.sh(strings.ReplaceAll(tree, "SIZE", "1000")), 1); err != errCut {
		t.Errorf("got %+v, %v", got, err)
	}
	s.none()
}

// Many commands cut off at once.
func TestCancelMany(t *testing.T) {
	h, s := open(t, whole), newStage(t)
	const many = 200
	ctx, cancel := context.WithCancelCause(context.Background())
	var all sync.WaitGroup
	for range many {
		all.Go(func() {
			if _, err := h.Run(ctx, s.sh("(SLEEP &); echo >&3; exec SLEEP")); err != errCut {
				t.Error(err)
			}
		})
	}
	for range many {
		s.wait()
	}
	cancel(errCut)
	all.Wait()
	s.none()
}
