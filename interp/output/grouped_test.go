package output

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/interp/files"
	"ftsh/interp/process/clock"
	"ftsh/testdata/skip"
)

// TestGiveBack has a branch write in the moment in which room is given back: where that was all there was, it may have
// lost something, and fails, also after it has ended well; where there is more, it has not.
func TestGiveBack(t *testing.T) {
	for _, tt := range []struct {
		name, size string
		fails      bool
	}{{"small disk", "size=1m", true}, {"large disk", "size=64m", false}} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := unix.Mount("output_test", dir, "tmpfs", 0, tt.size); err != nil {
				skip.Test(t, "needs the right to mount: %v", err)
			}
			defer func() { _ = unix.Unmount(dir, unix.MNT_DETACH) }()
			filler := dir + "/filler"
			if err := os.WriteFile(filler, make([]byte, 256<<10), 0o600); err != nil {
				t.Fatal(err)
			}
			null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer null.Close()
			g, err := Group(GroupedConfig{Store: new(Store), Clock: clock.New(), Dir: dir, Stdout: int(null.Fd()),
				Stderr: closed, Context: t.Context(), Patience: func() time.Duration { return 0 }})
			if err != nil {
				t.Fatal(err)
			}
			first, err := g.Open(context.Background(), func(err error) { t.Errorf("the first branch: %v", err) })
			if err != nil {
				t.Fatal(err)
			}
			var failed error
			second, err := g.Open(context.Background(), func(err error) { failed = err })
			if err != nil {
				t.Fatal(err)
			}
			fd, _ := second.Descriptor(1)
			g.giveBack(256<<10, func() {
				for written := 0; written < 2<<20; written += 4096 {
					if _, err := unix.Write(fd, make([]byte, 4096)); err != nil {
						break
					}
				}
				_ = os.Remove(filler)
			})
			second.Finish()
			first.Finish()
			g.Finish()
			if (failed != nil) != tt.fails || tt.fails && !errors.Is(failed, unix.ENOSPC) {
				t.Errorf("it failed: %v; want that it fails: %v", failed, tt.fails)
			}
		})
	}
}

// TestDiscard has a program that is being started hold a copy of the descriptor: the room is given back all the same,
// and not later, when nobody looks who has lost something for want of it.
func TestDiscard(t *testing.T) {
	fd, err := files.Temporary(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	held, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(held)
	taken := func() int64 {
		var info unix.Stat_t
		if err := unix.Fstat(held, &info); err != nil {
			t.Fatal(err)
		}
		return info.Blocks
	}
	if err := unix.Fallocate(fd, unix.FALLOC_FL_KEEP_SIZE, 0, reservedFirst); err != nil || taken() == 0 {
		skip.Test(t, "room cannot be reserved here: %v", err)
	}
	if discard(fd); taken() != 0 {
		t.Errorf("%d blocks are still taken", taken())
	}
}
