package process

import (
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"ftsh/interp/process/clock"
	"ftsh/interp/world"
)

// TestStoppedBeforeItIsKnown has Ctrl-Z stop a program that is executed already, but of which the Host does not know
// yet that it was started: the job is stopped once the Host knows.
func TestStoppedBeforeItIsKnown(t *testing.T) {
	h, err := Open(Config{Clock: clock.New(), Whole: true})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	job := h.NewJob(-1)
	defer job.Close()
	r := &run{cmd: &world.Command{Job: job}, number: 1, born: h.born, cancelled: make(chan struct{})}
	h.mu.Lock()
	job.programs++
	fork := h.forks.beginFork()
	h.mu.Unlock()
	r.pid, err = syscall.ForkExec("/bin/sh", []string{"sh", "-c", "kill -STOP $$"}, &syscall.ProcAttr{})
	if err != nil {
		t.Fatal(err)
	}
	var info unix.Siginfo
	if err := unix.Waitid(unix.P_PID, r.pid, &info, unix.WSTOPPED|unix.WNOWAIT, nil); err != nil {
		t.Fatal(err)
	}
	h.noteStop(r.pid)
	h.mu.Lock()
	h.enterStarted(r, fork, true)
	stopped, told := job.stopped, len(job.Signals())
	h.mu.Unlock()
	if !stopped || told != 1 {
		t.Errorf("stopped: %v, told of %d signals, wanted the one that it is stopped", stopped, told)
	}
	if err := unix.Kill(r.pid, unix.SIGCONT); err != nil {
		t.Error(err)
	}
	h.awaitCommand(r)
	job.leaveProgram(r.pid)
}
