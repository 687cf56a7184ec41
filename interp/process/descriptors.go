package process

import (
	"runtime"

	"golang.org/x/sys/unix"

	"ftsh/interp/process/guardian"
)

// withDescriptors runs f on a thread of its own with an empty table of
// descriptors, so that it can look into /proc when the shell has none left.
func withDescriptors(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		// Never unlocked: the thread ends with the goroutine, and the table with it.
		runtime.LockOSThread()
		if unix.Unshare(unix.CLONE_FILES) == nil {
			guardian.CloseFrom(0)
		}
		f()
	}()
	<-done
}
