package process

import (
	"os"
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"
)

// TestOwnThread has what changes its thread never run on the first one, where a goroutine of a process with one
// processor usually begins.
func TestOwnThread(t *testing.T) {
	const variable = "PROCESS_TEST_THREADS"
	if os.Getenv(variable) == "" {
		c := exec.Command("/proc/self/exe", "-test.run=^TestOwnThread$")
		c.Env = append(os.Environ(), variable+"=1", "GOMAXPROCS=1", "GORACE=atexit_sleep_ms=0")
		if out, err := c.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	for range 100 {
		runs := 0
		onOwnThread(func() {
			if runs++; unix.Gettid() == os.Getpid() {
				t.Error("it runs on the first thread")
			}
		})
		if runs != 1 {
			t.Fatalf("it ran %d times", runs)
		}
	}
}
