package jobs

import (
	"context"
	"ftsh/interp/world"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// newWatch is a sentry whose witness is a process of this test.
func newWatch(t *testing.T) *sentry {
	t.Helper()
	run := func(_ context.Context, c *world.Command) (world.Status, error) {
		cmd := exec.Command(c.Path, c.Args[1:]...)
		output := os.NewFile(uintptr(dup(t, c.Files[1])), "output")
		input := os.NewFile(uintptr(dup(t, c.Files[3])), "input")
		cmd.Stdout, cmd.ExtraFiles = output, []*os.File{input}
		err := cmd.Start()
		_, _ = output.Close(), input.Close()
		if err != nil {
			return world.Status{}, err
		}
		c.Started()
		_ = cmd.Wait()
		return world.Status{}, nil
	}
	s := &sentry{clock: bubble{time.Now()}, signal: func() int { return 0 }, run: run}
	var err error
	if s.witness, err = s.startWitness(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.close)
	return s
}

func dup(t *testing.T, fd int) int {
	fd, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		t.Error(err)
	}
	return fd
}

// TestSentry: a sentry knows of a signal to the witness, to its child and to the runner, and of none if there was
// none; also after the witness was renewed, and after it was released.
func TestSentry(t *testing.T) {
	for name, c := range map[string]struct {
		disturb func(s *sentry)
		signal  int
		swept   bool
	}{
		"nothing":  {disturb: func(*sentry) {}},
		"child":    {disturb: func(s *sentry) { _ = unix.Kill(s.witness.child, unix.SIGTERM) }, swept: true},
		"usr1":     {disturb: func(s *sentry) { _ = unix.Kill(s.witness.child, unix.SIGUSR1) }},
		"runner":   {disturb: func(s *sentry) { s.signal = func() int { return 15 } }, signal: 15},
		"renewed":  {disturb: (*sentry).renew},
		"released": {disturb: (*sentry).release},
		"renewed, then child": {disturb: func(s *sentry) {
			s.renew()
			_ = unix.Kill(s.witness.child, unix.SIGTERM)
		}, swept: true},
		"child, then renewed": {disturb: func(s *sentry) {
			_ = unix.Kill(s.witness.child, unix.SIGTERM)
			s.renew()
		}, swept: true},
		"child, then released": {disturb: func(s *sentry) {
			_ = unix.Kill(s.witness.child, unix.SIGTERM)
			s.release()
		}, swept: true},
	} {
		for _, pilot := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				s := newWatch(t)
				c.disturb(s)
				if signal, swept := s.settle(pilot); signal != c.signal || swept != c.swept {
					t.Errorf("signal %d, swept %v; want %d, %v", signal, swept, c.signal, c.swept)
				}
			})
		}
	}
}

// TestPeak: the memory of a job is that of its own group, in each version of these; without one it is not known.
func TestPeak(t *testing.T) {
	for name, c := range map[string]struct {
		kills, file, text string
		want              int64
	}{
		"none":         {"", "memory.peak", "1\n", 0},
		"two":          {"memory.events", "memory.peak", "1048576\n", 1 << 20},
		"one":          {"memory.oom_control", "memory.max_usage_in_bytes", "4096\n", 4096},
		"old kernel":   {"memory.events", "memory.current", "4096\n", 0},
		"not a number": {"memory.events", "memory.peak", "max\n", 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := &sentry{}
			dir := t.TempDir()
			if c.kills != "" {
				s.kills = filepath.Join(dir, c.kills)
			}
			if err := os.WriteFile(filepath.Join(dir, c.file), []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			if got := s.peak(); got != c.want {
				t.Errorf("%d, want %d", got, c.want)
			}
		})
	}
}
