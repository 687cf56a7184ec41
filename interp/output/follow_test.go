package output

import (
	"bytes"
	"io"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"ftsh/interp/process/clock"
)

// TestRewrittenWhileCopied: a program truncates its standard error and writes as much again while what it had is being
// copied. Nothing of it is missing, nor is there too much.
func TestRewrittenWhileCopied(t *testing.T) {
	time := clock.New()
	defer time.Close()
	for _, length := range []int{60000, reserved - 40000} { // the second wants more room on the disk
		read, write, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := unix.FcntlInt(write.Fd(), unix.F_SETPIPE_SZ, 4096); err != nil {
			t.Fatal(err)
		}
		c, err := new(Store).Follow(t.Context(), time, t.TempDir(), int(write.Fd()), nil)
		if err != nil {
			t.Fatal(err)
		}
		begin := func(text []byte) {
			if err := unix.Ftruncate(c.FD, 0); err != nil {
				t.Fatal(err)
			}
			if n, err := unix.Write(c.FD, text); n != len(text) || err != nil {
				t.Fatal(n, err)
			}
		}
		first := bytes.Repeat([]byte("same\n"), length/5)
		begin(first)
		passedOn := make([]byte, len(first)-8000) // the copier stands in the middle of its last part
		if _, err := io.ReadFull(read, passedOn); err != nil {
			t.Fatal(err)
		}
		for before := written(t, c.FD); written(t, c.FD) == before; {
			begin(first)
		}
		go func() {
			c.Stop()
			_ = write.Close()
		}()
		rest, err := io.ReadAll(read)
		if err != nil {
			t.Fatal(err)
		}
		if want := append(first, first...); !bytes.Equal(append(passedOn, rest...), want) {
			t.Errorf("%d bytes were passed on, of twice %d", len(passedOn)+len(rest), len(first))
		}
		_ = read.Close()
	}
}

// written is the time at which a file was written.
func written(t *testing.T, fd int) unix.Timespec {
	var info unix.Stat_t
	if err := unix.Fstat(fd, &info); err != nil {
		t.Fatal(err)
	}
	return info.Mtim
}
