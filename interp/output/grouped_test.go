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
			g := groupIn(t, new(Store), dir)
			first := openBranch(t, g)
			var failed error
			second, err := g.Open(context.Background(), func(err error) { failed = err })
			if err != nil {
				t.Fatal(err)
			}
			g.Store.disk.giveBack(256<<10, func() {
				fill(t, second, 2<<20)
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

// groupIn makes a group whose output goes nowhere in the end, and is kept in dir until then.
func groupIn(t *testing.T, store *Store, dir string) *Grouped {
	t.Helper()
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = null.Close() })
	g, err := Group(GroupedConfig{Store: store, Clock: clock.New(), Dir: dir, Stdout: int(null.Fd()),
		Stderr: closed, Context: t.Context(), Patience: func() time.Duration { return 0 }})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// openBranch begins a branch that is not to fail.
func openBranch(t *testing.T, g *Grouped) *Branch {
	t.Helper()
	b, err := g.Open(context.Background(), func(err error) { t.Errorf("a branch that lost nothing: %v", err) })
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// fill writes so much as the branch, or as much as there is room for.
func fill(t *testing.T, b *Branch, bytes int) {
	t.Helper()
	fd, _ := b.Descriptor(1)
	for written := 0; written < bytes; written += 4096 {
		if _, err := unix.Write(fd, make([]byte, 4096)); err != nil {
			return
		}
	}
}

// TestRoomOfOthers fills the disk, and then room comes back that is not of the branches: the one that may have lost
// something fails all the same.
func TestRoomOfOthers(t *testing.T) {
	for name, hold := range map[string]func(t *testing.T, store *Store, dir string) (giveBack func()){
		"value": func(_ *testing.T, store *Store, dir string) func() {
			held := store.Hold(dir, string(make([]byte, inMemory+1)))
			return func() { Drop(held) }
		},
		"other branches": func(t *testing.T, store *Store, dir string) func() {
			g := groupIn(t, store, dir)
			b, err := g.Open(context.Background(), func(error) {}) // it may fail, too
			if err != nil {
				t.Fatal(err)
			}
			fill(t, b, 1<<20)
			return func() {
				b.Finish()
				g.Finish()
			}
		},
		"errors": func(t *testing.T, store *Store, dir string) func() {
			fd, err := files.Temporary(dir)
			if err != nil {
				t.Fatal(err)
			}
			c := &Follower{FD: fd, store: store, file: os.NewFile(uintptr(fd), ""), from: room{fd: fd}, stop: func() {}}
			if _, err := c.file.Write(make([]byte, 1<<20)); err != nil {
				t.Fatal(err)
			}
			return c.Stop
		},
	} {
		t.Run(name, func(t *testing.T) {
			store, dir := new(Store), t.TempDir()
			if err := unix.Mount("output_test", dir, "tmpfs", 0, "size=4m"); err != nil {
				skip.Test(t, "needs the right to mount: %v", err)
			}
			defer func() { _ = unix.Unmount(dir, unix.MNT_DETACH) }()
			giveBack := hold(t, store, dir)
			g := groupIn(t, store, dir)
			first := openBranch(t, g) // whose turn it is
			var failed error
			second, err := g.Open(context.Background(), func(err error) { failed = err })
			if err != nil {
				t.Fatal(err)
			}
			fill(t, second, 4<<20)
			giveBack()
			second.Finish()
			first.Finish()
			g.Finish()
			if !errors.Is(failed, unix.ENOSPC) {
				t.Errorf("the branch whose output was cut: %v", failed)
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
