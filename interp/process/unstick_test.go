package process_test

import (
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// TestStoppedBeforeItStarts has a child stop that nobody knows yet, as Ctrl-Z
// does between fork and exec: it has to go on.
func TestStoppedBeforeItStarts(t *testing.T) {
	h := open(t, whole)
	h.Starting(func() {
		child := exec.Command("/proc/self/exe")
		child.Env = append(os.Environ(), "PROCESS_TEST_PLAY=stops")
		if err := child.Run(); err != nil {
			t.Error(err)
		}
	})
}

// TestStoppedWithItsGroup does so where there are no jobs, and nobody waits for what stops.
func TestStoppedWithItsGroup(t *testing.T) {
	h := open(t, whole)
	h.StartingWithoutJob(func() {
		child := exec.Command("/proc/self/exe")
		child.Env = append(os.Environ(), "PROCESS_TEST_PLAY=stops")
		if err := child.Start(); err != nil {
			t.Error(err)
			return
		}
		ended := make(chan error)
		go func() { ended <- child.Wait() }()
		for {
			select {
			case err := <-ended:
				if err != nil {
					t.Error(err)
				}
				return
			default:
				if !h.Unstick() {
					t.Error("nothing is being started")
				}
			}
		}
	})
	if h.Unstick() {
		t.Error("something is still being started")
	}
}

// playStops is the child.
func playStops() { _ = syscall.Kill(os.Getpid(), syscall.SIGSTOP) }
