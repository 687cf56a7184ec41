package journal_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ftsh/interp/journal"
)

// TestRecent holds that what happened within the last minute is told of, also after the file was rewritten and opened
// again, and nothing older.
func TestRecent(t *testing.T) {
	now := time.Unix(1e9, 0)
	c := memoryConfig(newMemory()).WithLimits(2000, 64<<10)
	c.Now = func() time.Time { return now }
	j := mustOpen(t, path, c)
	for n := range 40 {
		record := setting("a", strings.Repeat("x", 50))
		record.Recent = fmt.Sprint("r", n)
		mustSync(t, j, j.Write(record))
		now = now.Add(3 * time.Second)
	}
	check := func(i *journal.Image) {
		t.Helper()
		var got []string
		for at, text := range i.Recent() {
			got = append(got, fmt.Sprint(text, " ", at.Unix()-1e9))
		}
		if len(got) != 21 || got[0] != "r19 57" || got[20] != "r39 117" {
			t.Errorf("it remembers %q", got)
		}
	}
	check(j.Image())
	if err := j.Close(); err != nil {
		t.Error(err)
	}
	i, err := journal.Read(path, c)
	if err != nil {
		t.Fatal(err)
	}
	check(i)
}

// TestRewritten holds that a journal that is written for ever stays near 1 MiB, and twice its state
// if that is more.
func TestRewritten(t *testing.T) {
	for name, c := range map[string]struct{ keys, length, most int }{
		"small state": {10, 100, 1<<20 + 1<<10},
		"large state": {3000, 1000, 13 << 20 / 2},
	} {
		t.Run(name, func(t *testing.T) {
			fs := newMemory()
			j := mustOpen(t, path, memoryConfig(fs))
			most, shrunk, before := 0, 0, 0
			for n := range 14_000 {
				value := fmt.Sprint(n, strings.Repeat("x", c.length))
				mark := j.Write(journal.Record{Kind: "k", Changes: []journal.Change{
					{Path: fmt.Sprint("loop/", n%c.keys), Key: "k", Value: journal.Quote(value)}}})
				if n%50 == 0 {
					mustSync(t, j, mark)
					size := len(fs.Contents(path))
					most, before, shrunk = max(most, size), size, shrunk+one(size < before)
				}
			}
			if most > c.most+50*(c.length+200) || shrunk == 0 {
				t.Errorf("it had up to %d bytes, want %d, and was rewritten %d times", most, c.most, shrunk)
			}
			want := treeOf(j.Image(), "", tree{})
			must(t, j.Close())
			if got := treeOf(mustOpen(t, path, memoryConfig(fs)).Image(), "", tree{}); !maps.Equal(got, want) {
				t.Error("it is not what it was")
			}
		})
	}
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}

// TestLongValues holds that long values lie beside the journal, and go when nothing names them.
func TestLongValues(t *testing.T) {
	fs := newMemory()
	j := mustOpen(t, path, memoryConfig(fs))
	long := strings.Repeat("v", 65<<10)
	short := strings.Repeat("v", 63<<10)
	write := func(changes ...journal.Change) {
		t.Helper()
		mustSync(t, j, j.Write(journal.Record{Kind: "k", Changes: changes}))
	}
	beside := func(want int) {
		t.Helper()
		if names, _ := fs.List(path + ".d"); len(names) != want {
			t.Errorf("%d files beside: %q, want %d", len(names), names, want)
		}
	}
	write(journal.Change{Path: "a", Key: "s", Value: journal.Quote(short)})
	beside(0)
	write(journal.Change{Path: "a", Key: "l", Value: journal.Quote(long)},
		journal.Change{Path: "b", Key: "l", Value: journal.Quote(long + "b")})
	beside(2)
	write(journal.Change{Path: "b", Key: "l", Value: journal.Quote(long + "c")})
	beside(2)
	must(t, j.Close())
	fs.Cut()
	j = mustOpen(t, path, memoryConfig(fs))
	if v, _ := j.Image().Get("b", "l"); !bytes.Equal(v, journal.Quote(long+"c")) {
		t.Error("it is not what it was")
	}
	write(journal.Change{Path: "b", Drop: true})
	beside(1)
	write(journal.Change{Path: "a", Key: "l"})
	beside(0)
}

// TestRestart holds that a journal put aside can still be read, long values and all, that it need not
// be whole, and that only one is kept.
func TestRestart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	must(t, journal.Restart(path, journal.Config{}))
	for n := range 3 {
		j := mustOpen(t, path, journal.Config{})
		if len(j.Image().Children("")) > 0 {
			t.Error("the new one is not empty")
		}
		mustSync(t, j, j.Write(setting("a", fmt.Sprint(n, strings.Repeat("v", 70_000)))))
		must(t, j.Close())
		must(t, journal.Restart(path, journal.Config{}))
		i, err := journal.Read(path+".old", journal.Config{})
		must(t, err)
		if v, _ := i.Get("a/a", "k"); len(v) < 70_000 || v[1] != byte('0'+n) {
			t.Errorf("the old one has %.20s", v)
		}
		if _, err := journal.Read(path, journal.Config{}); !os.IsNotExist(err) {
			t.Errorf("the new one: %v", err)
		}
	}
	must(t, os.WriteFile(path, []byte("nonsense"), 0o600))
	must(t, journal.Restart(path, journal.Config{}))
	must(t, mustOpen(t, path, journal.Config{}).Close())
}

// TestRestartCutShort holds that the journal is still whole, at one name or the other, when the power is
// cut while it is put aside, and that the next Restart finishes it.
func TestRestartCutShort(t *testing.T) {
	for left, done := 0, false; !done; left++ {
		fs := newMemory()
		c := memoryConfig(fs).WithLimits(1<<20, 10)
		for _, word := range []string{"older-than-that", "that-is-put-aside"} {
			must(t, journal.Restart(path, c))
			j := mustOpen(t, path, c)
			mustSync(t, j, j.Write(setting("a", word)))
			mustSync(t, j, j.Write(setting("b", word)))
			must(t, j.Close())
		}
		count := left
		fs.Fault = func(string, string, int) (int, error) {
			count--
			if count < 0 {
				return 0, errDead
			}
			return 0, nil
		}
		done = journal.Restart(path, c) == nil
		fs.Fault = nil
		fs.Cut()
		if _, err := journal.Read(path, c); done && !errors.Is(err, os.ErrNotExist) {
			t.Errorf("it was put aside, and is there: %v", err)
		}
		must(t, journal.Restart(path, c))
		i, err := journal.Read(path+".old", c)
		if err != nil {
			t.Fatalf("cut after %d changes: %v", left, err)
		}
		if v, _ := i.Get("a/b", "k"); string(v) != `"that-is-put-aside"` {
			t.Errorf("cut after %d changes: it has %s", left, v)
		}
	}
}

// TestInMemory holds that a journal that a reboot takes draws a warning.
func TestInMemory(t *testing.T) {
	folder, err := os.MkdirTemp("/dev/shm", "journal")
	if err != nil {
		t.Skip(err)
	}
	defer func() { _ = os.RemoveAll(folder) }()
	for range 2 {
		var warned []string
		j := mustOpen(t, folder+"/journal", journal.Config{Warn: func(text string) { warned = append(warned, text) }})
		must(t, j.Close())
		if len(warned) != 1 || !strings.Contains(warned[0], "in memory") {
			t.Errorf("warned %q", warned)
		}
	}
}
