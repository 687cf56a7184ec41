package journal_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"ftsh/interp/journal"
	"ftsh/interp/journal/memory"
)

const path = "/d/journal"

// memoryConfig is a journal on a file system in memory.
func memoryConfig(fs *memory.FS) journal.Config {
	return journal.Config{
		FS: fs, Machine: "m", Host: "h", Now: func() time.Time { return time.Unix(1e9, 0) },
		AfterFunc: func(time.Duration, func()) func() bool { return func() bool { return true } },
	}
}

func newMemory() *memory.FS { return memory.New(rand.New(rand.NewPCG(1, 2))) }

func mustOpen(t testing.TB, path string, c journal.Config) *journal.Journal {
	t.Helper()
	j, err := journal.Open(path, c)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func mustSync(t testing.TB, j *journal.Journal, mark journal.Mark) {
	t.Helper()
	if err := j.Sync(context.Background(), mark); err != nil {
		t.Fatal(err)
	}
}

func setting(key, value string) journal.Record {
	return journal.Record{Kind: "set", Note: map[string]any{"line": 1}, Changes: []journal.Change{
		{Path: "a/" + key, Key: "k", Value: journal.Quote(value)}}}
}

// sample is the text of a journal of ten lines, some of which were synced before the next, and the tree
// after so many lines.
func sample(t *testing.T, synced ...int) (text []byte, trees []tree) {
	fs := newMemory()
	j := mustOpen(t, path, memoryConfig(fs))
	trees = []tree{{}, {}}
	for n := range 9 {
		mark := j.Write(setting(string(rune('a'+n%4)), fmt.Sprint("v", n)))
		if contains(synced, n+2) {
			mustSync(t, j, mark)
		}
		trees = append(trees, treeOf(j.Image(), "", tree{}))
	}
	return fs.Contents(path), trees
}

// claims says up to which line each says that all was on disk, by the JSON alone.
func claims(t *testing.T, text []byte) (claims []int) {
	for line := range bytes.Lines(text) {
		var l struct{ Synced int }
		if err := json.Unmarshal(line, &l); err != nil {
			t.Fatal(err)
		}
		claims = append(claims, l.Synced)
	}
	return claims
}

// expect opens a journal with that text: the first bad line is the one after so many good ones, and others
// say that all was on disk up to claim.
func expect(t *testing.T, what string, text []byte, good, claim int, trees []tree) {
	t.Helper()
	fs := newMemory()
	fs.Put("/d", 0o40700, nil)
	fs.Put(path, 0o100600, text)
	told := 0
	c := memoryConfig(fs)
	c.Warn = func(string) { told++ }
	j, err := journal.Open(path, c)
	var corrupt *journal.CorruptError
	if good == 0 || claim > good {
		if !errors.As(err, &corrupt) || corrupt.Line != good+1 || !bytes.Equal(fs.Contents(path), text) {
			t.Errorf("%s: got %v, want that line %d is corrupt, and nothing changed", what, err, good+1)
		}
		return
	}
	if err != nil {
		t.Errorf("%s: got %v, want lines after %d to be dropped", what, err, good)
		return
	}
	if got := treeOf(j.Image(), "", tree{}); !maps.Equal(got, trees[good]) {
		t.Errorf("%s: got %q, want %q, after %d lines", what, got, trees[good], good)
	}
	whole := bytes.Count(text, []byte("\n")) == good && bytes.HasSuffix(text, []byte("\n"))
	if told == 1 == whole {
		t.Errorf("%s: warned %d times", what, told)
	}
	mustSync(t, j, j.Write(setting("z", "z")))
	if err := j.Close(); err != nil {
		t.Error(err)
	}
	if _, err := journal.Read(path, c); err != nil {
		t.Errorf("%s: after going on: %v", what, err)
	}
}

// highest gives the highest claim of all lines but some, numbered from 1.
func highest(claims []int, but ...int) (claim int) {
	for n, c := range claims {
		if !contains(but, n+1) {
			claim = max(claim, c)
		}
	}
	return claim
}

func contains(list []int, n int) bool {
	return slices.Contains(list, n)
}

func TestTorn(t *testing.T) {
	text, trees := sample(t, 3, 4, 7)
	all := claims(t, text)
	for cut := range len(text) + 1 {
		good := bytes.Count(text[:cut], []byte("\n"))
		claim := highest(all[:good])
		expect(t, fmt.Sprintf("cut after %d bytes", cut), text[:cut], good, claim, trees)
		zeros := append(bytes.Clone(text[:cut]), make([]byte, len(text)-cut)...)
		expect(t, fmt.Sprintf("zeros after %d bytes", cut), zeros, good, claim, trees)
	}
}

func TestFlippedBits(t *testing.T) {
	for name, synced := range map[string][]int{"some": {3, 4, 7}, "nearly all": {9}} {
		t.Run(name, func(t *testing.T) { flipBits(t, synced...) })
	}
}

func flipBits(t *testing.T, synced ...int) {
	text, trees := sample(t, synced...)
	all := claims(t, text)
	for n := range text {
		flipped := bytes.Clone(text)
		flipped[n] ^= 1 << (n % 8)
		line := bytes.Count(text[:n], []byte("\n")) + 1
		but := []int{line}
		if text[n] == '\n' { // two lines become one
			but = append(but, line+1)
		}
		what := fmt.Sprintf("bit %d of byte %d (%q), in line %d", n%8, n, text[n], line)
		expect(t, what, flipped, line-1, highest(all, but...), trees)
	}
}

func TestLinesMoved(t *testing.T) {
	text, trees := sample(t, 3, 4, 7)
	all := claims(t, text)
	lines := bytes.SplitAfter(text, []byte("\n"))[:len(all)]
	for n := range lines {
		without := bytes.Join(append(append([][]byte{}, lines[:n]...), lines[n+1:]...), nil)
		claim := highest(all, n+1)
		if n+1 == len(lines) {
			claim = highest(all[:n])
		}
		expect(t, fmt.Sprintf("without line %d", n+1), without, n, claim, trees)
		if n > 0 {
			swapped := append([][]byte{}, lines...)
			swapped[n-1], swapped[n] = lines[n], lines[n-1]
			expect(t, fmt.Sprintf("line %d before %d", n+1, n), bytes.Join(swapped, nil), n-1, highest(all, n, n+1), trees)
		}
		twice := append(append(append([][]byte{}, lines[:n+1]...), lines[n]), lines[n+1:]...)
		expect(t, fmt.Sprintf("line %d twice", n+1), bytes.Join(twice, nil), n+1, highest(all[n+1:]), trees)
	}
}

// TestChained holds that a line of another history is no line of this one, which only a check
// that covers the one before can tell.
func TestChained(t *testing.T) {
	for name, c := range map[string]journal.Config{
		"chained": memoryConfig(newMemory()), "fault": memoryConfig(newMemory()).Unchained(),
	} {
		t.Run(name, func(t *testing.T) {
			var texts [2][][]byte
			for n, word := range []string{"v", "w"} {
				fs := newMemory()
				c.FS = fs
				j := mustOpen(t, path, c)
				for range 5 {
					mustSync(t, j, j.Write(setting("a", word)))
				}
				texts[n] = bytes.SplitAfter(fs.Contents(path), []byte("\n"))
			}
			mixed := append(append([][]byte{}, texts[0][:3]...), texts[1][3:]...)
			fs := newMemory()
			fs.Put("/d", 0o40700, nil)
			fs.Put(path, 0o100600, bytes.Join(mixed, nil))
			c.FS = fs
			_, err := journal.Read(path, c)
			var corrupt *journal.CorruptError
			found := errors.As(err, &corrupt) && corrupt.Line == 4
			if found != (name == "chained") {
				t.Errorf("got %v", err)
			}
		})
	}
}
