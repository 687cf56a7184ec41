package process_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"ftsh/interp/process"
	"ftsh/interp/world"
)

// What a failed command leaves goes; what one that succeeded leaves stays.
func TestLeftovers(t *testing.T) {
	for _, tt := range []struct {
		name, script string
		left         int
	}{
		{"success", "setsid SLEEP & (SLEEP &); exit 0", 2},
		{"failure", "setsid SLEEP & (SLEEP &); exit 1", 0},
		{"death", "setsid SLEEP & (SLEEP &); kill -9 $$", 0},
		{"failure, environment cleared",
			"(env -i setsid SLEEP &); env -i sh -c 'echo >&3; SLEEP' TAG & read x <&3; exit 1", 0},
	} {
		for name, cfg := range configs() {
			t.Run(tt.name+"/"+name, func(t *testing.T) {
				h, s := open(t, cfg), newStage(t)
				if tt.name == "failure, environment cleared" && !cfg.Whole {
					t.Skip("nobody can know")
				}
				if _, err := h.Run(context.Background(), s.twoWay(s.sh(tt.script))); err != nil {
					t.Error(err)
				}
				if alive := s.alive(); len(alive) != tt.left {
					t.Errorf("%d left, want %d", len(alive), tt.left)
				}
				s.end()
			})
		}
	}
}

// Commands fail while others are being cleared up after.
func TestManyLeftovers(t *testing.T) {
	for name, cfg := range configs() {
		t.Run(name, func(t *testing.T) {
			h, s := open(t, cfg), newStage(t)
			var all sync.WaitGroup
			for range 4 {
				all.Go(func() {
					for range times(40, 8) {
						h.Run(context.Background(), s.sh("(setsid SLEEP &); SLEEP & exit 1"))
					}
				})
			}
			all.Wait()
			s.none()
		})
	}
}

// Two commands orphan processes at the same time, and only the one that fails
// loses its own.
func TestWhose(t *testing.T) {
	for name, cfg := range configs() {
		t.Run(name, func(t *testing.T) {
			h, good, bad := open(t, cfg), newStage(t), newStage(t)
			release, hold, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer release.Close()
			var both sync.WaitGroup
			both.Go(func() {
				c := good.sh("(SLEEP &); (setsid SLEEP &); echo >&3; read x; exit 0")
				c.Files[0] = int(release.Fd())
				h.Run(context.Background(), c)
			})
			good.wait()
			h.Run(context.Background(), bad.sh("(SLEEP &); (setsid SLEEP &); exit 1"))
			bad.none()
			if n := len(good.alive()); n < 3 {
				t.Errorf("only %d of the other command live", n)
			}
			hold.Close()
			both.Wait()
			if n := len(good.alive()); n != 2 {
				t.Errorf("%d daemons live, want 2", n)
			}
			good.end()
		})
	}
}

// A daemon of an earlier command lives on, whatever happens later, also if it
// hides whose it is.
func TestEarlierDaemon(t *testing.T) {
	h, daemon, s := open(t, whole), newStage(t), newStage(t)
	h.Run(context.Background(), daemon.twoWay(
		daemon.sh("(setsid SLEEP &); (env -i setsid sh -c 'SLEEP & echo up >&3; wait' TAG &); read x <&3; exit 0")))
	want := len(daemon.alive())
	for range 3 {
		h.Run(context.Background(), s.sh("(SLEEP &); exit 1"))
	}
	s.run(h, s.sh("(setsid SLEEP &); echo >&3; SLEEP"), 1)
	s.none()
	if got := len(daemon.alive()); got != want {
		t.Errorf("%d of %d live", got, want)
	}
	daemon.end()
}

// An orphan that hides, at a time when it could be another's, is left alone, and told of
// once, whatever else fails while it lives.
func TestUnclear(t *testing.T) {
	told := 0
	cfg := whole
	cfg.Observe = func(n process.Notice) {
		if n.Happening == process.Unowned {
			told++
		}
	}
	h, other, s := open(t, cfg), newStage(t), newStage(t)
	ctx, cancel := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Go(func() { h.Run(ctx, other.sh("echo >&3; SLEEP")) })
	other.wait()
	h.Run(context.Background(), s.twoWay(
		s.sh("(env -i setsid sh -c 'setsid SLEEP & echo >&3; wait' TAG &); read x <&3; exit 1")))
	first := told
	if n := len(s.alive()); n == 0 || told == 0 {
		t.Errorf("%d live, told of %d", n, told)
	}
	for range 3 {
		h.Run(context.Background(), s.sh("exit 1"))
	}
	if told != first {
		t.Errorf("told of it %d times, want %d", told, first)
	}
	// As soon as all that it can belong to is ended, it goes too.
	cancel()
	done.Wait()
	s.none()
	other.none()
}

// A process carries the marker of a shell within a command: it is that command's too.
func TestNestedMarker(t *testing.T) {
	h, s := open(t, whole), newStage(t)
	got, err := h.Run(context.Background(),
		s.sh("FTSH_COMMAND=$FTSH_COMMAND/inner.1; export FTSH_COMMAND; (setsid SLEEP &); exit 1"))
	if got.Code != 1 || err != nil {
		t.Error(got, err)
	}
	s.none()
	h.Run(context.Background(), s.twoWay(
		s.sh("FTSH_COMMAND=${FTSH_COMMAND}0; export FTSH_COMMAND; (setsid sh -c 'echo >&3; SLEEP; :' TAG &); read x <&3; "+
			"exit 1")))
	if n := len(s.alive()); n == 0 {
		t.Error("one whose marker only begins alike was ended")
	}
	s.end()
}

func TestNotices(t *testing.T) {
	var mu sync.Mutex
	var seen []string
	cfg := whole
	cfg.KillTimeout = 20 * time.Millisecond
	cfg.Observe = func(n process.Notice) {
		mu.Lock()
		defer mu.Unlock()
		line := fmt.Sprint(n.Happening, int(n.Signal), n.Status, n.Command)
		if len(seen) == 0 || seen[len(seen)-1] != line {
			seen = append(seen, line)
		}
	}
	h, s := open(t, cfg), newStage(t)
	s.run(h, s.sh("trap '' TERM; echo >&3; while :; do read x </dev/zero; done"), 1)
	killed := world.Status{Signal: syscall.SIGKILL}
	for _, want := range []string{
		fmt.Sprint(process.Started, 0, world.Status{}, "/bin/sh"),
		fmt.Sprint(process.Signalled, int(syscall.SIGTERM), world.Status{}, "/bin/sh"),
		fmt.Sprint(process.Signalled, int(syscall.SIGKILL), world.Status{}, "/bin/sh"),
		fmt.Sprint(process.Ended, 0, killed, "/bin/sh"),
	} {
		if !slices.Contains(seen, want) {
			t.Errorf("not told: %s; but %q", want, seen)
		}
	}
}
