package process

import (
	"os"
	"runtime"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// onOwnThread runs f on a thread that ends with it, so that f may change what the kernel keeps for each
// thread. The first thread is never it: Go cannot end that one, and others take what is its for the process's.
func onOwnThread(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // for good: the thread ends with the goroutine
		if unix.Gettid() == os.Getpid() {
			onOwnThread(f)
			runtime.UnlockOSThread()
			return
		}
		f()
	}()
	<-done
}

// withDescriptors runs f on a thread with a table of descriptors of its own that has room, so that it can
// look into /proc when the shell has none left.
func withDescriptors(f func()) {
	onOwnThread(func() {
		if unix.Unshare(unix.CLONE_FILES) == nil {
			closeAllBut(append(runtimeDescriptors(), 2))
		}
		f()
	})
}

// runtimeDescriptors are those of Go's runtime, which polls its epoll instance on any thread that has
// collected garbage, and ends the process where that fails. Others of their kinds may be inherited: no program
// that is executed inherits the runtime's.
func runtimeDescriptors() (found []int) {
	const last = 1 << 12 // they are among the first that a process opens
	kinds := map[string]bool{"anon_inode:[eventpoll]": false, "anon_inode:[eventfd]": false}
	for fd := range last {
		link, err := os.Readlink("/proc/thread-self/fd/" + strconv.Itoa(fd))
		if _, is := kinds[link]; err == nil && is && closesOnExec(fd) {
			kinds[link] = true
			found = append(found, fd)
		}
		if kinds["anon_inode:[eventpoll]"] && kinds["anon_inode:[eventfd]"] {
			break
		}
	}
	return found
}

func closesOnExec(fd int) bool {
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
	return err == nil && flags&unix.FD_CLOEXEC != 0
}

// closeAllBut closes all descriptors but those, in any order; where /proc does not tell which are the
// runtime's (there is only standard error to be kept), it closes just the first two, which no runtime uses.
func closeAllBut(kept []int) {
	if len(kept) == 1 {
		unix.Close(0)
		unix.Close(1)
		return
	}
	slices.Sort(kept)
	next := 0
	for _, fd := range kept {
		closeRange(next, fd-1)
		next = fd + 1
	}
	closeRange(next, lastDescriptor)
}

// lastDescriptor is higher than any descriptor.
const lastDescriptor = 1<<31 - 1

// closeRange closes the descriptors from first to last, if any; before Linux 5.9 one by one, as far as
// there usually are any.
func closeRange(first, last int) {
	const usual = 1 << 16
	if first > last || unix.CloseRange(uint(first), uint(last), 0) == nil {
		return
	}
	for fd := first; fd <= min(last, usual); fd++ {
		unix.Close(fd)
	}
}
