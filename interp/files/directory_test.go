package files

import (
	"encoding/binary"
	"fmt"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/testdata/skip"
)

// TestTableHangs has directories be opened, shared and left while one is being opened in a file system that does not
// answer: its server here is a descriptor that nobody reads from. It may have told before what is there.
func TestTableHangs(t *testing.T) {
	t.Run("at first", func(t *testing.T) { openBesideHanging(t, false) })
	t.Run("between", func(t *testing.T) { openBesideHanging(t, true) })
}

func openBesideHanging(t *testing.T, tells bool) {
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
	late := time.AfterFunc(2*time.Minute, func() {
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
		_, err := table.Open(Directory{}, hangs+"/sub")
		opened <- err
	}()
	answerInit(t, server)
	request := readRequest(t, server) // of the one who opens
	if tells {
		answerLookup(t, server, request)
		readRequest(t, server) // once more: it was told to forget that
	}
	for range 2 {
		d, err := table.Open(Directory{}, dir)
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
	request := readRequest(t, server)
	body := make([]byte, 64)
	copy(body, request[40:48]) // the version that the kernel speaks
	answer(t, server, request, body)
}

// answerLookup says that there is a directory: whether it still is has to be asked the next time.
func answerLookup(t *testing.T, server int, request []byte) {
	body := make([]byte, 128)
	binary.NativeEndian.PutUint64(body, 7)        // its node
	binary.NativeEndian.PutUint64(body[24:], 100) // how long that holds which follows, in seconds
	binary.NativeEndian.PutUint64(body[40:], 7)   // its inode
	binary.NativeEndian.PutUint32(body[100:], unix.S_IFDIR|0o755)
	binary.NativeEndian.PutUint32(body[104:], 2) // links to it
	answer(t, server, request, body)
}

func answer(t *testing.T, server int, request, body []byte) {
	header := make([]byte, 16)
	binary.NativeEndian.PutUint32(header, uint32(len(header)+len(body)))
	copy(header[8:], request[8:16]) // its number
	if _, err := unix.Write(server, append(header, body...)); err != nil {
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
