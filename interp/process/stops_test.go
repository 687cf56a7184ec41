package process

import (
	"ftsh/interp/world"
	"os"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// forkGroup starts a long sleep in a process group of its own.
func forkGroup(t *testing.T) (pid int) {
	t.Helper()
	pid, err := syscall.ForkExec("/bin/sleep", []string{"sleep", "1000"}, &syscall.ProcAttr{
		Sys: &syscall.SysProcAttr{Setpgid: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// goesOn reports whether a child that was stopped has been continued, and may have ended since: one that is between the
// two is waited for where that is wanted.
func goesOn(t *testing.T, pid int, wanted bool) bool {
	t.Helper()
	look := func() bool {
		var info unix.Siginfo
		err := unix.Waitid(unix.P_PID, pid, &info, unix.WCONTINUED|unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
		return err == nil && pidIn(&info) != 0
	}
	return look() || wanted && until(look)
}

// stoppedCopy starts this program, which only stops.
func stoppedCopy(t *testing.T) (pid int) {
	t.Helper()
	pid, err := syscall.ForkExec("/proc/self/exe", []string{"copy"}, &syscall.ProcAttr{
		Env: append(os.Environ(), "PROCESS_TEST_PLAY=stops"),
	})
	if err != nil {
		t.Fatal(err)
	}
	var info unix.Siginfo
	if err := unix.Waitid(unix.P_PID, pid, &info, unix.WSTOPPED|unix.WNOWAIT, nil); err != nil {
		t.Fatal(err)
	}
	return pid
}

// TestGoOn has a child of ours that is stopped before it has executed its program go on, and no other.
func TestGoOn(t *testing.T) {
	h := openInside(t, Config{Whole: true})
	if waitStop(unix.P_ALL, 0, unix.WNOWAIT) != 0 {
		t.Fatal("something has stopped")
	}
	h.goOn(0)
	for _, tt := range []struct {
		name                 string
		under                int
		noted, goesOn, known bool
	}{
		{"it is being started", 1, true, true, false}, {"nothing is being started", 0, false, false, false},
		{"it is a command", 1, false, false, true},
	} {
		pid := stoppedCopy(t)
		h.forks.under = tt.under
		if tt.known {
			h.running[pid] = &run{cmd: &world.Command{}, pid: pid}
		}
		if found := waitStop(unix.P_ALL, 0, unix.WNOWAIT); found != pid {
			t.Errorf("%s: %d has stopped, and %d is found", tt.name, pid, found)
		}
		h.goOn(pid)
		if noted := waitStop(unix.P_PID, pid, unix.WNOWAIT) == 0; noted != tt.noted {
			t.Errorf("%s: its stop is taken %v", tt.name, noted)
		}
		if got := goesOn(t, pid, tt.goesOn); got != tt.goesOn {
			t.Errorf("%s: it goes on %v", tt.name, got)
		}
		h.forks.under = 0
		delete(h.running, pid)
		reapNow(pid)
	}
	if !h.mu.TryLock() {
		t.Fatal("the lock is held for ever")
	}
	h.mu.Unlock()
}

// TestContinue has the programs of a job that is stopped go on, all of its group.
func TestContinue(t *testing.T) {
	h := openInside(t, Config{Whole: true})
	j := h.NewJob(-1)
	defer j.Close()
	pid := forkGroup(t)
	defer reapNow(pid)
	for _, programs := range []int{1, 0} {
		unix.Kill(pid, unix.SIGSTOP) // which ends the news that it went on
		var info unix.Siginfo
		if err := unix.Waitid(unix.P_PID, pid, &info, unix.WSTOPPED, nil); err != nil {
			t.Fatal(err)
		}
		j.group, j.programs, j.stopped, j.resumed, j.foreground = pid, programs, true, make(chan struct{}), false
		j.Continue()
		if got := goesOn(t, pid, programs > 0); got != (programs > 0) || j.stopped || !j.foreground || !isClosed(j.resumed) {
			t.Errorf("%d programs: they go on %v, the job is stopped %v, in the foreground %v", programs, got, j.stopped,
				j.foreground)
		}
	}
	j.programs = 0
}

// TestHasStopped finds the stop of a command's own process, until it goes on.
func TestHasStopped(t *testing.T) {
	h := openInside(t, Config{Whole: true})
	pid, other := forkGroup(t), forkGroup(t)
	defer reapNow(pid)
	defer reapNow(other)
	h.running[other] = &run{cmd: &world.Command{}, pid: other}
	defer delete(h.running, other)
	for _, sig := range []unix.Signal{unix.SIGSTOP, unix.SIGCONT} {
		unix.Kill(pid, sig)
		var info unix.Siginfo
		if err := unix.Waitid(unix.P_PID, pid, &info, unix.WSTOPPED|unix.WCONTINUED, nil); err != nil {
			t.Fatal(err)
		}
		for _, known := range []bool{false, true} {
			if known {
				h.running[pid] = &run{cmd: &world.Command{}, pid: pid}
			}
			if want := known && sig == unix.SIGSTOP; h.HasStopped() != want {
				t.Errorf("after %v, a command %v: it has stopped %v, want %v", sig, known, !want, want)
			}
			delete(h.running, pid)
		}
	}
}

// A process of which nothing can be seen is not taken for a copy of the shell that is being started.
func TestRunsOurProgram(t *testing.T) {
	h := openInside(t, Config{Whole: true})
	h.forks.under = 1
	gone := forkGroup(t)
	other := forkGroup(t)
	reapNow(gone)
	defer reapNow(other)
	for pid, want := range map[int]bool{gone: false, other: false, h.self: true} {
		if got := h.isStarting(pid); got != want || runsOurProgram(pid) != want {
			t.Errorf("%d: %v, want %v", pid, got, want)
		}
	}
	h.forks.under = 0
}
