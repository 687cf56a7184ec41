package process_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/interp/process"
)

// playShell is a shell that runs its arguments as scripts, all at once, after
// telling its guardian's process id where scripts report. Its standard input
// says what to do then: "rest", or one more script.
func playShell() {
	clock := process.NewClock()
	h, err := process.Open(process.Config{
		Clock: clock, Whole: true, Sessions: true, Guardian: true, KillTimeout: 300 * time.Millisecond,
		Marker: os.Getenv("FTSH_COMMAND"), Observe: func(n process.Notice) {
			if n.Happening == process.Unguarded {
				fmt.Fprintln(os.NewFile(3, ""), "unguarded")
			}
		},
	})
	if err != nil {
		panic(err)
	}
	var all sync.WaitGroup
	for _, script := range os.Args[1:] {
		all.Go(func() { playScript(h, script) })
	}
	all.Wait()
	for line := range lines(os.Stdin) {
		switch {
		case line == "rest":
			h.Rest()
			fmt.Fprintln(os.NewFile(3, ""), "rested")
		case line == "close":
			h.Close()
			clock.Close()
			return
		default:
			playScript(h, line)
		}
	}
}

func playScript(h *process.Host, script string) {
	h.Run(context.Background(), &process.Command{
		Path: "/bin/sh", Args: []string{"sh", "-c", script}, Env: os.Environ(), Files: []int{0, 1, 2, 3},
	})
}

func lines(r io.Reader) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		data, _ := io.ReadAll(r)
		for line := range strings.Lines(string(data)) {
			if !yield(strings.TrimSpace(line)) {
				return
			}
		}
	}
}

// shell starts the test binary as such a shell, with this process as the one
// that its orphans come to.
func (s *stage) shell(scripts ...string) *exec.Cmd {
	s.t.Helper()
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0) })
	for i, script := range scripts {
		scripts[i] = strings.NewReplacer("SLEEP", "sleep "+s.name, "TAG", s.name).Replace(script)
	}
	c := exec.Command("/proc/self/exe", scripts...)
	c.Env = append(os.Environ(), "PROCESS_TEST_PLAY=shell", "PROCESS_TEST_STAGE="+s.name)
	c.ExtraFiles = []*os.File{s.in}
	c.Stderr = os.Stderr
	return c
}

// childrenEnd returns when this process has no children any more, and how long
// that took; after a while it fails the test and kills them.
func (s *stage) childrenEnd() time.Duration {
	s.t.Helper()
	began := time.Now()
	for {
		pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
		switch {
		case err == syscall.ECHILD:
			return time.Since(began)
		case time.Since(began) > 10*time.Second:
			s.none()
			s.t.Fatal("something lives on")
		case pid == 0:
			syscall.Select(0, nil, nil, nil, &syscall.Timeval{Usec: 1000})
		}
	}
}

// A shell that is killed takes everything with it that was under way, and
// nothing else.
func TestGuardian(t *testing.T) {
	for _, tt := range []struct {
		name    string
		scripts []string
	}{
		{"one", []string{"echo >&3; SLEEP"}},
		{"daemons", []string{"SLEEP & setsid SLEEP & (SLEEP &); (setsid SLEEP &); echo >&3; SLEEP"}},
		{"stubborn", []string{"trap '' TERM; setsid SLEEP & (setsid SLEEP &); echo >&3; SLEEP"}},
		{"environment cleared", []string{"(env -i SLEEP &) ; env -i setsid sh -c 'setsid SLEEP & wait' TAG & sleep 0.1; echo >&3; SLEEP"}},
		{"many", []string{"echo >&3; SLEEP", "(setsid SLEEP &); echo >&3; SLEEP", "setsid SLEEP & echo >&3; wait"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newStage(t)
			c := s.shell(tt.scripts...)
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			for range tt.scripts {
				s.wait()
			}
			c.Process.Kill()
			c.Wait()
			took := s.childrenEnd()
			s.none()
			t.Logf("took %v", took)
		})
	}
}
