package journal_test

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"ftsh/interp/journal"
	"ftsh/interp/journal/memory"
)

// TestHost holds that a journal tells on which host it was begun, also if nobody has said.
func TestHost(t *testing.T) {
	want, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	fs := newMemory()
	j, err := journal.Open("/j", journal.Config{FS: fs})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if got := j.Image().Host(); got != want || got == "" {
		t.Errorf("%q, want %q", got, want)
	}
}

// flawedFS counts how often a file is opened, and reads none of the files whose name is flawed.
type flawedFS struct {
	*memory.FS
	flawed string
	opened int
}

type flawedFile struct{ journal.File }

func (flawedFile) ReadAt([]byte, int64) (int, error) { return 0, unix.EIO }

func (f *flawedFS) Open(path string, flag int) (journal.File, error) {
	file, err := f.FS.Open(path, flag)
	if path == "/j" {
		f.opened++
	}
	if err == nil && path == f.flawed {
		return flawedFile{file}, nil
	}
	return file, err
}

// TestUnreadable holds that a journal that the disk does not give is neither empty nor begun anew, and that one that it
// gives is read once.
func TestUnreadable(t *testing.T) {
	fs := &flawedFS{FS: newMemory()}
	c := journal.Config{FS: fs, Machine: "m", Host: "h"}
	j, err := journal.Open("/j", c)
	if err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	fs.opened = 0
	if _, err := journal.Read("/j", c); err != nil || fs.opened != 1 {
		t.Errorf("%v, opened %d times", err, fs.opened)
	}
	fs.flawed = "/j"
	if _, err := journal.Read("/j", c); !errors.Is(err, unix.EIO) {
		t.Errorf("read: %v", err)
	}
	if j, err := journal.Open("/j", c); !errors.Is(err, unix.EIO) {
		t.Errorf("opened: %v", err)
		_ = j.Close()
	}
}

// TestLeftValues holds that a file of a long value that nothing names any more is removed, whatever its number.
func TestLeftValues(t *testing.T) {
	fs := newMemory()
	c := memoryConfig(fs).WithLimits(1<<20, 100)
	for again := range 2 {
		j, err := journal.Open("/j", c)
		if err != nil {
			t.Fatal(err)
		}
		value := json.RawMessage(journal.Quote(strings.Repeat("v", 200)))
		if again == 0 {
			change := journal.Change{Path: "a", Key: "b", Value: value}
			err = j.Sync(t.Context(), j.Write(journal.Record{Kind: "k", Changes: []journal.Change{change}}))
		}
		if err := errors.Join(err, j.Close()); err != nil {
			t.Fatal(err)
		}
		names, err := fs.List("/j.d")
		if want := "1"; strings.Join(names, " ") != want || err != nil {
			t.Errorf("%q lie beside, want %s; %v", names, want, err)
		}
		for _, number := range []string{"9", "10", "11"} {
			file, err := fs.Open("/j.d/"+number, unix.O_CREAT|unix.O_WRONLY)
			if err != nil {
				t.Fatal(err)
			}
			_ = file.Close()
		}
	}
}
