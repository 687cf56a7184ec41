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

// playStops is the child.
func playStops() { _ = syscall.Kill(os.Getpid(), syscall.SIGSTOP) }
