package process_test

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/interp/process"
)

// What the shell has locked stays locked until its guardian is done, too.
func TestGuardianHolds(t *testing.T) {
	s := newStage(t)
	lock, err := os.Create(filepath.Join(s.dir, "lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	c := s.shell("trap '' TERM; echo >&3; SLEEP")
	c.Env = append(c.Env, "PROCESS_TEST_HOLD="+lock.Name())
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	s.wait()
	c.Process.Kill()
	c.Wait()
	if unix.FcntlFlock(lock.Fd(), unix.F_OFD_SETLK, &unix.Flock_t{Type: unix.F_WRLCK}) == nil {
		t.Error("the lock is free, and the command lives")
	}
	s.childrenEnd()
	if err := unix.FcntlFlock(lock.Fd(), unix.F_OFD_SETLK, &unix.Flock_t{Type: unix.F_WRLCK}); err != nil {
		t.Error(err)
	}
}

// One that was stopped is found by what it has locked, and woken: it does its work then.
func TestStoppedGuardianHolds(t *testing.T) {
	s := newStage(t)
	lock, err := os.Create(filepath.Join(s.dir, "lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	c := s.shell("echo >&3; SLEEP")
	c.Env = append(c.Env, "PROCESS_TEST_HOLD="+lock.Name())
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	s.wait()
	guardian := 0
	for guardian == 0 { // it has its name when it holds what it is to hold
		guardian = guardianOf(c.Process.Pid)
	}
	if got := process.WakeHolders(s.dir); len(got) > 0 {
		t.Errorf("%v have locked a file that nobody has", got)
	}
	if err := unix.Kill(guardian, unix.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	for state(guardian) != 'T' {
		runtime.Gosched()
	}
	c.Process.Kill()
	c.Wait()
	want := []process.Holder{{PID: guardian, Stopped: true}}
	if got := process.WakeHolders(lock.Name()); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	s.childrenEnd()
}

// A shell within a command goes with it, its guardian and its commands too,
// whether it is asked or killed.
func TestNestedShell(t *testing.T) {
	for _, patience := range []time.Duration{0, time.Second} {
		h, s := open(t, whole), newStage(t)
		c := s.sh("")
		c.Path, c.Args = "/proc/self/exe", []string{"shell",
			strings.ReplaceAll("(setsid SLEEP &); echo >&3; SLEEP", "SLEEP", "sleep "+s.name)}
		c.Env = append(os.Environ(), "PROCESS_TEST_PLAY=shell", "GORACE=atexit_sleep_ms=0")
		c.Patience = func(error) time.Duration { return patience }
		if got, err := s.run(h, c, 1); err != errCut {
			t.Errorf("got %+v, %v", got, err)
		}
		s.none()
	}
}
