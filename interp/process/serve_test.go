package process

import (
	"os"
	"os/exec"
	"testing"
	"time"

	"ftsh/interp/process/cgroup"
	"ftsh/interp/process/procfs"
)

// startHung has this process fork one that cannot execute its program before release is called, which returns when it
// has ended. h sees it by then.
func startHung(t *testing.T, h *Host) (release func()) {
	t.Helper()
	program, letGo := hangExec(t, "true")
	cmd := exec.Command(program)
	started := make(chan error)
	go func() { started <- cmd.Start() }()
	for !h.seesOneStarting() {
		select {
		case err := <-started:
			t.Fatal("the program was executed nevertheless: ", err)
		case <-time.After(time.Millisecond):
		}
	}
	return func() {
		letGo()
		if err := <-started; err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSeesOneStarting holds that a process is seen that was forked and cannot execute its program yet, and that this
// does not last.
func TestSeesOneStarting(t *testing.T) {
	h := &Host{self: os.Getpid(), born: procfs.Now() - 1}
	release := startHung(t, h)
	if h.born += 1 << 40; h.seesOneStarting() {
		t.Error("one is seen that is older than the shell")
	}
	h.born -= 1 << 40
	release()
	for h.seesOneStarting() { // others of these tests may be starting programs
		time.Sleep(time.Millisecond)
	}
}

// steppedClock goes on by so much whenever somebody looks.
type steppedClock struct {
	stoppedClock
	now, step time.Duration
}

func (c *steppedClock) Now() time.Duration {
	c.now += c.step
	return c.now
}

// TestSearchesOn has a guardian search as long as it sees one that has not executed its program yet, and its time
// lasts: SIGKILL is due an eighth of the kill timeout before that is over.
func TestSearchesOn(t *testing.T) {
	clock := &steppedClock{step: 4 * time.Second}
	h := openInside(t, Config{Clock: clock, KillTimeout: 8 * time.Second})
	h.groups = cgroup.OpenLeft("", h.prefix)
	release := startHung(t, h)
	clock.now = 0
	_ = (&leftovers{host: h}).endCommands(nil) // due at 11 s: it looks at 4 s, and after five searches at 8 s and at 12 s
	if clock.now != 12*time.Second {
		t.Errorf("it searched until %v", clock.now)
	}
	release()
}
