package process

import (
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// What Go's runtime polls is there when garbage is collected on the thread, and there is room for files.
func TestWithDescriptors(t *testing.T) {
	withDescriptors(func() {
		runtime.GC()
		fd, err := unix.Open("/proc", unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err != nil || fd != 0 {
			t.Errorf("opened %d, %v; want the first that is free to be 0", fd, err)
		}
	})
	if _, err := unix.FcntlInt(0, unix.F_GETFD, 0); err != nil {
		t.Errorf("the process's own standard input: %v", err)
	}
}
