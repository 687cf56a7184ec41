package journal_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/interp/journal"
	"ftsh/interp/journal/memory"
)

// counted is a file system that knows how many files are open.
type counted struct {
	*memory.FS
	open map[string]int
}

type countedFile struct {
	journal.File
	fs   *counted
	path string
}

func (c *counted) Open(path string, flag int) (journal.File, error) {
	file, err := c.FS.Open(path, flag)
	if err != nil {
		return nil, err
	}
	c.open[path]++
	return &countedFile{file, c, path}, nil
}

func (f *countedFile) Close() error {
	if f.fs.open[f.path]--; f.fs.open[f.path] == 0 {
		delete(f.fs.open, f.path)
	}
	return f.File.Close()
}

// TestNothingStaysOpen holds that each file is closed once, with long values, rewritings, and whatever fails.
func TestNothingStaysOpen(t *testing.T) {
	for _, op := range []string{"nothing", "write", "sync", "reserve", "rename", "create", "mkdir", "unlink"} {
		failed := true
		for nth := 1; failed && nth < 200; nth++ {
			fs := &counted{newMemory(), map[string]int{}}
			c := memoryConfig(fs.FS).WithLimits(2000, 100)
			c.FS = fs
			at := 0
			fs.Fault = func(is, _ string, length int) (int, error) {
				if is == op {
					if at++; at == nth {
						return length / 2, unix.EIO
					}
				}
				return length, nil
			}
			_, _, _ = fill(c)
			_, _ = journal.Read(path, c)
			_ = journal.Restart(path, c)
			if j, err := journal.Open(path, c); err == nil {
				_ = j.Close()
			}
			_ = journal.Restart(path, c) // removes what the first has put aside
			if failed = at >= nth; len(fs.open) > 0 {
				t.Fatalf("%s %d fails: %v stay open", op, nth, fs.open)
			}
		}
	}
}

// TestTree has changes of a tree, one after the other, and what it holds then.
func TestTree(t *testing.T) {
	fs := newMemory()
	c := memoryConfig(fs).WithLimits(1<<20, 100)
	j := mustOpen(t, path, c)
	long := func(s string) string { return strings.Repeat(s, 101) }
	for _, step := range []struct{ change, want string }{
		{"a/b k 1", "a/b.k=1"},
		{"a k 2", "a.k=2 a/b.k=1"},
		{"a/b l 3", "a.k=2 a/b.k=1 a/b.l=3"},
		{"none k", "a.k=2 a/b.k=1 a/b.l=3"},
		{"a/none/k k", "a.k=2 a/b.k=1 a/b.l=3"},
		{"a/b none", "a.k=2 a/b.k=1 a/b.l=3"},
		{"none", "a.k=2 a/b.k=1 a/b.l=3"},
		{"a/b/c/d e 4", "a.k=2 a/b.k=1 a/b.l=3 a/b/c/d.e=4"},
		{"a/b/c/d e", "a.k=2 a/b.k=1 a/b.l=3"},
		{"a/b/c/d e 4", "a.k=2 a/b.k=1 a/b.l=3 a/b/c/d.e=4"},
		{"a/b/c", "a.k=2 a/b.k=1 a/b.l=3"},
		{"a/b l", "a.k=2 a/b.k=1"},
		{"a/b k", "a.k=2"},
		{"x/y k " + long("1"), "a.k=2 x/y.k=" + long("1")},
		{"x/y l " + long("2"), "a.k=2 x/y.k=" + long("1") + " x/y.l=" + long("2")},
		{"x", "a.k=2"},
		{" top 1", ".top=1 a.k=2"},
		{"a", ".top=1"},
		{" top", ""},
		{"b k 1", "b.k=1"},
		{"", ""},
	} {
		words := strings.SplitN(step.change, " ", 3)
		change := journal.Change{Path: words[0], Drop: len(words) == 1}
		if len(words) > 1 {
			change.Key = words[1]
		}
		if len(words) > 2 {
			change.Value = json.RawMessage(words[2])
		}
		mustSync(t, j, j.Write(journal.Record{Kind: "k", Changes: []journal.Change{change}}))
		for again := range 2 {
			var got []string
			walk(j.Image(), "", &got)
			if s := strings.Join(got, " "); s != step.want {
				t.Fatalf("after %.20q, opened again %d times: %q, wanted %q", step.change, again, s, step.want)
			}
			names, _ := fs.List(path + ".d")
			if want := strings.Count(step.want, long("1")) + strings.Count(step.want, long("2")); len(names) != want {
				t.Fatalf("after %.20q: %q lie beside, wanted %d", step.change, names, want)
			}
			must(t, j.Close())
			j = mustOpen(t, path, c)
		}
	}
	must(t, j.Close())
}

// walk lists what an image has below a node; none of them is empty.
func walk(i *journal.Image, at string, list *[]string) {
	for _, key := range i.Keys(at) {
		v, _ := i.Get(at, key)
		*list = append(*list, fmt.Sprintf("%s.%s=%s", at, key, v))
	}
	for _, name := range i.Children(at) {
		below := name
		if at != "" {
			below = at + "/" + name
		}
		before := len(*list)
		if walk(i, below, list); len(*list) == before {
			*list = append(*list, below+" is empty")
		}
	}
}

// TestImage has what an image tells of its journal: when and where it began, and when it was last written to. None of
// it keeps a record from being written.
func TestImage(t *testing.T) {
	now := time.Unix(1e9, 0)
	c := memoryConfig(newMemory())
	c.Now = func() time.Time { return now }
	j := mustOpen(t, path, c)
	for range 3 {
		i := j.Image()
		if !i.Began().Equal(time.Unix(1e9, 0)) || i.Host() != "h" || !i.Last().Equal(now) {
			t.Errorf("began %v on %s, last %v, wanted %v", i.Began(), i.Host(), i.Last(), now)
		}
		if i.Children("none") != nil || i.Keys("none") != nil || i.Size() != 0 {
			t.Errorf("%q, %q, %d", i.Children("none"), i.Keys("none"), i.Size())
		}
		for at, text := range i.Recent() {
			t.Errorf("%q happened at %v", text, at)
		}
		if _, found := i.Get("a", "none"); found {
			t.Error("there is a key that nobody wrote")
		}
		now = now.Add(time.Second)
		mustSync(t, j, j.Write(setting("a", "1")))
		must(t, j.Close())
		j = mustOpen(t, path, c)
	}
	must(t, j.Close())
}
