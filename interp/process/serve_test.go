package process

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/interp/process/procfs"
	"ftsh/testdata/write"
)

// TestSeesOneStarting holds that a process is seen that was forked and cannot execute its program yet: of that a lease
// is held, and the kernel does not open it before that is given back.
func TestSeesOneStarting(t *testing.T) {
	file := filepath.Join(t.TempDir(), "program")
	text, err := os.ReadFile("/bin/true")
	if err != nil {
		t.Fatal(err)
	}
	write.Program(t, file, text)
	held, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	if _, err := unix.FcntlInt(held.Fd(), unix.F_SETLEASE, unix.F_WRLCK); err != nil {
		t.Skip("SKIPPED: the file system grants no lease: ", err)
	}
	h := &Host{self: os.Getpid(), born: procfs.Now() - 1}
	cmd := exec.Command(file)
	started := make(chan error)
	go func() { started <- cmd.Start() }()
	for !h.seesOneStarting() {
		select {
		case err := <-started:
			t.Fatal("the program was executed nevertheless: ", err)
		case <-time.After(time.Millisecond):
		}
	}
	if h.born += 1 << 40; h.seesOneStarting() {
		t.Error("one is seen that is older than the shell")
	}
	h.born -= 1 << 40
	if _, err := unix.FcntlInt(held.Fd(), unix.F_SETLEASE, unix.F_UNLCK); err != nil {
		t.Fatal(err)
	}
	if err := <-started; err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	for h.seesOneStarting() { // others of these tests may be starting programs
		time.Sleep(time.Millisecond)
	}
}
