package procfs

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"ftsh/testdata/skip"
)

// Where the clock is another, start times say nothing: a shell that lives must not be taken for dead.
func TestOtherClock(t *testing.T) {
	if process := os.Getenv("PROCFS_TEST_PROCESS"); process != "" {
		if life := (Name{process, os.Getenv("PROCFS_TEST_SPACE")}).Life(); life != Unseen {
			t.Errorf("got %v, want that it cannot be seen", life)
		}
		return
	}
	skip.Without(t, "unshare")
	if out, err := exec.Command("unshare", "--time", "--boottime", "1000", "--fork", "true").CombinedOutput(); err != nil {
		skip.Test(t, "no other clock can be had: %s", out)
	}
	own := OwnName()
	if own.Life() != Alive {
		t.Errorf("this process is not alive to itself: %+v", own)
	}
	c := exec.Command("unshare", "--time", "--boottime", "1000", "--fork", os.Args[0], "-test.run=TestOtherClock",
		"-test.v")
	c.Env = append(os.Environ(), "PROCFS_TEST_PROCESS="+own.Process, "PROCFS_TEST_SPACE="+own.Space)
	if out, err := c.CombinedOutput(); err != nil || !strings.Contains(string(out), "PASS") {
		t.Errorf("%v: %s", err, out)
	}
}
