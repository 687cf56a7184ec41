package process

import (
	"os"
	"os/exec"
	"runtime"
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

// TestInheritedDescriptors: a shell that has inherited an epoll instance and an eventfd keeps those of its own
// runtime, too: without them Go ends the process as soon as garbage is collected on that thread.
func TestInheritedDescriptors(t *testing.T) {
	if os.Getenv("PROCESS_TEST_INHERITED") != "" {
		withDescriptors(runtime.GC)
		return
	}
	epoll, err := unix.EpollCreate1(0)
	if err != nil {
		t.Fatal(err)
	}
	event, err := unix.Eventfd(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command("/proc/self/exe", "-test.run=^TestInheritedDescriptors$")
	c.Env = append(os.Environ(), "PROCESS_TEST_INHERITED=1")
	c.ExtraFiles = []*os.File{os.NewFile(uintptr(epoll), "epoll"), os.NewFile(uintptr(event), "event")}
	out, err := c.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%.300s", err, out)
	}
	for _, file := range c.ExtraFiles {
		file.Close()
	}
}
