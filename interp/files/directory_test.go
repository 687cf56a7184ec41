package files

import (
	"encoding/binary"
	"fmt"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/interp/process"
	"ftsh/testdata/skip"
)

// TestTableHangs has directories be opened, shared and left while one is being opened in a file system that does not
// answer: its server here is a descriptor that nobody reads from.
func TestTableHangs(t *testing.T) {
	server, err := unix.Open("/dev/fuse", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		skip.Test(t, "there is no /dev/fuse: %v", err)
	}
	defer unix.Close(server)
	hangs, dir := t.TempDir(), t.TempDir()
	options := fmt.Sprintf("fd=%d,rootmode=40000,user_id=%d,group_id=%d", server, os.Getuid(), os.Getgid())
	if err := unix.Mount("files_test", hangs, "fuse", 0, options); err != nil {
		skip.Test(t, "needs the right to mount: %v", err)
	}
	var table Table
	opened := make(chan error)
	end := func() { _ = unix.Unmount(hangs, unix.MNT_DETACH|unix.MNT_FORCE) } // and what hangs
	late := time.AfterFunc(20*time.Second, func() {
		t.Error("other directories hang, too")
		end()
	})
	defer func() {
		if late.Stop() {
			end()
		}
		if err := <-opened; err == nil {
			t.Error("what does not answer was opened")
		}
	}()
	go func() {
		_, err := table.Open(process.Directory{}, hangs+"/sub")
		opened <- err
	}()
	answerInit(t, server)
	readRequest(t, server) // of the one who opens
	for range 2 {
		d, err := table.Open(process.Directory{}, dir)
		if err != nil {
			t.Fatal(err)
		}
		d.Share().Leave()
		d.Leave()
	}
	if len(table.held) != 0 {
		t.Errorf("%d are held", len(table.held))
	}
}

// answerInit answers the first request of a file system in user space.
func answerInit(t *testing.T, server int) {
	const headerSize, initSize = 16, 64
	request := readRequest(t, server)
	answer := make([]byte, headerSize+initSize)
	binary.NativeEndian.PutUint32(answer, uint32(len(answer)))
	copy(answer[8:16], request[8:16])   // its number
	copy(answer[16:24], request[40:48]) // the version that the kernel speaks
	if _, err := unix.Write(server, answer); err != nil {
		t.Fatal(err)
	}
}

func readRequest(t *testing.T, server int) []byte {
	request := make([]byte, 1<<18)
	n, err := RetryEINTR(func() (int, error) { return unix.Read(server, request) })
	if err != nil {
		t.Fatal(err)
	}
	return request[:n]
}
