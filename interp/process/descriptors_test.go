package process

import (
	"cmp"
	"maps"
	"os"
	"runtime"
	"slices"
	"strconv"
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

// TestCloseAllBut has all be closed but what is to be kept; and where it is not known what the runtime's are, just the
// first two.
func TestCloseAllBut(t *testing.T) {
	const last = 50
	onOwnThread(func() {
		if err := unix.Unshare(unix.CLONE_FILES); err != nil {
			t.Error(err)
			return
		}
		isOpen := func(fd int) bool {
			_, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
			return err == nil
		}
		runtimes := runtimeDescriptors() // or it would end this process
		for _, kept := range [][]int{{2}, {last - 4, 2, last - 9, last - 5}, {last, 2, 0}} {
			for fd := range last + 1 {
				if !isOpen(fd) {
					_ = unix.Dup3(2, fd, 0)
				}
			}
			all := kept
			if len(kept) > 1 {
				all = append(slices.Clone(kept), runtimes...)
			}
			closeAllBut(slices.Clone(all))
			for fd := range last + 1 {
				if want := slices.Contains(all, fd) || len(kept) == 1 && fd > 1; isOpen(fd) != want {
					t.Errorf("all closed but %v: %d is open: %v", all, fd, !want)
				}
			}
		}
	})
}

// TestRuntimeDescriptors has the files of Go's runtime be found among those of this process, and no others of their
// kinds: these are opened later.
func TestRuntimeDescriptors(t *testing.T) {
	r, w, err := os.Pipe() // from now on it polls
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	event, err := unix.Eventfd(0, unix.EFD_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	later, err := unix.FcntlInt(uintptr(event), unix.F_DUPFD_CLOEXEC, 100)
	unix.Close(event)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(later)
	found := runtimeDescriptors()
	first := map[string]int{}
	for _, name := range openFiles(t) {
		link, _ := os.Readlink("/proc/self/fd/" + name)
		fd, _ := strconv.Atoi(name)
		if closesOnExec(fd) && (link == "anon_inode:[eventpoll]" || link == "anon_inode:[eventfd]") { // or is inherited
			first[link] = min(fd, cmp.Or(first[link], fd))
		}
	}
	if want := slices.Sorted(maps.Values(first)); !slices.Equal(found, want) || len(want) != 2 {
		t.Errorf("found %v, of %v", found, first)
	}
}
