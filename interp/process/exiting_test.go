package process

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/interp/process/clock"
	"ftsh/interp/process/procfs"
	"ftsh/interp/world"
	"ftsh/testdata/skip"
)

// heldInExit has a process that fails when fail is called, and then stays in its exit until release is: it is the first
// of its PID namespace, and the kernel lets it end only when all others there are reaped, of which one is the child of
// a process that is stopped.
func heldInExit(t *testing.T) (pid int, fail, release func()) {
	t.Helper()
	skip.Without(t, "nsenter")
	first := exec.Command("sh", "-c", "read x; exit 7")
	first.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWPID}
	input, err := first.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Start(); err != nil {
		skip.Test(t, "no PID namespace can be made here: %v", err)
	}
	pid = first.Process.Pid
	second := exec.Command("nsenter", "--target", fmt.Sprint(pid), "--pid", "sh", "-c", "echo; exec sleep 1000")
	output, err := second.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := second.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := output.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	if err := second.Process.Signal(unix.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	var info unix.Siginfo
	if err := unix.Waitid(unix.P_PID, second.Process.Pid, &info, unix.WSTOPPED, nil); err != nil {
		t.Fatal(err)
	}
	fail = func() {
		_, _ = io.WriteString(input, "\n")
		for !inExit(t, pid) {
			clock.Nap(time.Millisecond)
		}
		if peekInto(&info, unix.P_PID, pid, unix.WNOHANG) != nil || pidIn(&info) != 0 {
			t.Fatal("it can be waited for, and the test says nothing")
		}
	}
	return pid, fail, func() {
		_ = second.Process.Signal(unix.SIGCONT)
		_ = second.Wait()
		_ = first.Wait()
	}
}

// TestEndedButNotWaitable has a program that has failed stay in its exit: it has ended by itself all the same.
func TestEndedButNotWaitable(t *testing.T) {
	pid, fail, release := heldInExit(t)
	defer release()
	r := &run{cmd: &world.Command{}, number: 1, pid: pid}
	if got := r.readEnd(); got != underWay {
		t.Errorf("it is under way, and found as %d", got)
	}
	fail()
	if got := r.readEnd(); got != hasFailed {
		t.Errorf("in its exit it is found as %d, want %d", got, hasFailed)
	}
}

// TestDoubtInExit has an orphan stay in its exit: its environment is gone before it is, so that it does not say any
// more whose it is. That is doubtful, and no orphan without a marker.
func TestDoubtInExit(t *testing.T) {
	h, _ := openSwept(t, Config{Whole: true})
	pid, fail, release := heldInExit(t)
	defer release()
	fail()
	p, err := procfs.Open(pid)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	var s procfs.Stat
	for s.Image = 1; s.Image != 0; { // it gives up its memory a little later than it says that it exits
		if err := p.Stat(&s); err != nil {
			t.Fatal(err)
		}
	}
	r := h.newSweep()
	if owner := r.ownerOf(p, found{pid: pid}, &s); owner != nil || !r.doubtful || len(r.hidden) != 0 {
		t.Errorf("its owner is %v, doubtful %v, without a marker %v", owner, r.doubtful, r.hidden)
	}
}

// inExit reports whether a process is in its exit, by the flag of the kernel's.
func inExit(t *testing.T, pid int) bool {
	t.Helper()
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	var flags int
	_, err = fmt.Sscan(strings.Fields(string(line))[8], &flags)
	return err == nil && flags&4 != 0
}
