package journal_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/interp/journal"
	"ftsh/interp/journal/memory"
	"ftsh/testdata/skip"
)

// tree holds the values that an image should have, by path and key.
type tree map[string]string

func at(path, key string) string { return path + "\x00" + key }

// change does to a tree what a journal does.
func (t tree) change(c journal.Change) {
	switch {
	case c.Drop:
		for place := range t {
			path, _, _ := strings.Cut(place, "\x00")
			if path == c.Path || c.Path == "" || strings.HasPrefix(path, c.Path+"/") {
				delete(t, place)
			}
		}
	case c.Value == nil:
		delete(t, at(c.Path, c.Key))
	default:
		t[at(c.Path, c.Key)] = string(c.Value)
	}
}

// treeOf gives the tree of an image.
func treeOf(i *journal.Image, path string, to tree) tree {
	for _, key := range i.Keys(path) {
		value, _ := i.Get(path, key)
		to[at(path, key)] = string(value)
	}
	for _, name := range i.Children(path) {
		treeOf(i, strings.TrimPrefix(path+"/"+name, "/"), to)
	}
	return to
}

// history is one life of a journal, through crashes.
type history struct {
	dice   *rand.Rand
	fs     *memory.FS
	config journal.Config
	states []tree               // after so many records
	synced int                  // so many must be there
	lines  int                  // so many lines of the file must be there
	marks  map[int]journal.Mark // of the records of this life

	open   *journal.Journal // nil: not now
	within bool             // somebody writes while another writes or syncs

	left   int // changes of the file system until the process dies
	dead   bool
	faulty bool // a sync or write failed, though nothing died
	timers []func()
	told   bool // whether what happens is kept in log
	log    []string
}

var errDead = errors.New("the process is dead")

// fault lets the process die, or a write or sync fail.
func (h *history) fault(op, path string, length int) (int, error) {
	h.left--
	if h.left < 0 || h.dead {
		done := 0
		if !h.dead && length > 0 {
			done = h.dice.IntN(length + 1)
		}
		h.dead = true
		return done, errDead
	}
	if h.dice.IntN(150) == 0 {
		h.faulty = true
		switch {
		case op == "sync":
			return 0, unix.EIO
		case op == "write":
			return h.dice.IntN(length + 1), unix.ENOSPC
		}
		return 0, unix.EIO
	}
	return length, nil
}

func newHistory(seed uint64, change func(*history)) *history {
	dice := rand.New(rand.NewPCG(seed, 1))
	h := &history{dice: dice, fs: memory.New(dice), states: []tree{{}}, left: 1 << 30}
	h.config = journal.Config{
		FS: h.fs, Machine: "m", Host: "h",
		Now: func() time.Time { return time.Unix(1e9, 0) },
		AfterFunc: func(_ time.Duration, call func()) func() bool {
			h.timers = append(h.timers, call)
			n := len(h.timers) - 1
			return func() bool {
				is := n < len(h.timers) && h.timers[n] != nil
				if is {
					h.timers[n] = nil
				}
				return is
			}
		},
		Synced: func(lines int) {
			if !h.dead {
				h.lines = lines
			}
		},
		OnDisk: func(journal.FileID) (int, error) { return h.lines, nil },
	}.WithLimits(2500, 150)
	h.config.Hook = func(string) {
		if h.open != nil && !h.within && dice.IntN(30) == 0 {
			h.within = true
			h.write(h.open)
			h.within = false
		}
	}
	h.fs.Fault = h.fault
	if change != nil {
		change(h)
	}
	return h
}

func (h *history) note(format string, args ...any) {
	if h.told {
		h.log = append(h.log, fmt.Sprintf(format, args...))
	}
}

// run lives some lives, each until a crash or an end.
func (h *history) run() error {
	for range 2 + h.dice.IntN(3) {
		h.left, h.dead, h.faulty, h.timers = h.dice.IntN(45), false, false, nil
		if err := h.live(); err != nil {
			return err
		}
		switch h.dice.IntN(3) {
		case 0:
			h.note("killed")
			h.fs.Kill()
		default:
			h.note("power cut")
			h.fs.Cut()
		}
	}
	h.left, h.dead, h.timers = 1<<30, false, nil // the dead write nothing
	h.fs.Fault = nil
	return h.live()
}

// live opens the journal, sees what it has, and goes on until something fails.
func (h *history) live() error {
	j, err := journal.Open("/d/journal", h.config)
	if err != nil && !h.dead && !h.faulty {
		return fmt.Errorf("it cannot be opened: %w", err)
	}
	if err != nil {
		h.note("open: %v", err)
		return nil
	}
	if err := h.compare(j.Image()); err != nil {
		return err
	}
	h.open = j
	for range h.dice.IntN(24) {
		if h.dice.IntN(4) > 0 {
			h.write(j)
		} else if err := h.sync(j); err != nil {
			return err
		}
		if h.dice.IntN(10) == 0 {
			h.fire()
		}
	}
	h.open = nil
	if h.dice.IntN(2) == 0 || len(h.marks) == 0 {
		return nil
	}
	if err := j.Close(); err == nil && !h.dead {
		h.synced = len(h.states) - 1
		h.note("closed")
	}
	return nil
}

// fire lets a timer pass.
func (h *history) fire() {
	for n, call := range h.timers {
		if call != nil {
			h.timers[n] = nil
			call()
		}
	}
}

// compare sees that some prefix of the records makes this image, with all that were synced.
func (h *history) compare(i *journal.Image) error {
	last := 0
	if value, found := i.Get("", "last"); found {
		last, _ = strconv.Atoi(string(value))
	}
	if last < h.synced || last >= len(h.states) {
		return fmt.Errorf("record %d is the last, of %d, and %d were synced", last, len(h.states)-1, h.synced)
	}
	if got := treeOf(i, "", tree{}); !maps.Equal(got, h.states[last]) {
		return fmt.Errorf("after record %d the tree is %q, want %q", last, got, h.states[last])
	}
	var recent []string
	for n := 1; n <= last; n++ {
		if n%3 > 0 {
			recent = append(recent, recentText(n))
		}
	}
	var got []string
	for _, text := range i.Recent() {
		got = append(got, text)
	}
	if !slices.Equal(got, recent[max(0, len(recent)-100):]) {
		return fmt.Errorf("after record %d it remembers %q, want the last 100 of %q", last, got, recent)
	}
	h.note("opened with %d of %d", last, len(h.states)-1)
	h.states, h.synced, h.marks = h.states[:last+1], last, map[int]journal.Mark{}
	return nil
}

// recentText returns what people are told of record n.
func recentText(n int) string { return fmt.Sprint("record \xff", n) }

var paths = []string{"a", "a/b", "a/b/c", "a/d", "e", "e/\xff", "f/g"}

func (h *history) write(j *journal.Journal) {
	n := len(h.states)
	last := journal.Change{Key: "last", Value: json.RawMessage(strconv.Itoa(n))}
	record := journal.Record{Kind: "k", Casual: n%4 == 0}
	for range 1 + h.dice.IntN(3) {
		c := journal.Change{Path: paths[h.dice.IntN(len(paths))], Key: string(rune('p' + h.dice.IntN(3)))}
		switch h.dice.IntN(8) {
		case 0:
			c.Drop = true
		case 1:
		case 2:
			c.Value = journal.Quote(strings.Repeat(strconv.Itoa(n)+",", 60+h.dice.IntN(300)))
		default:
			c.Value = journal.Quote(fmt.Sprint(n, strings.Repeat("x", h.dice.IntN(80))))
		}
		record.Changes = append(record.Changes, c)
	}
	record.Changes = append(record.Changes, last)
	if n%3 > 0 {
		record.Recent = recentText(n)
	}
	next := maps.Clone(h.states[n-1])
	for _, c := range record.Changes {
		next.change(c)
	}
	h.states = append(h.states, next)
	h.marks[n] = 0 // it comes before what is written within
	h.marks[n] = j.Write(record)
	h.note("wrote %d", n)
}

func (h *history) sync(j *journal.Journal) error {
	if len(h.marks) == 0 {
		return nil
	}
	n := len(h.states) - 1 - h.dice.IntN(min(3, len(h.marks)))
	err := j.Sync(context.Background(), h.marks[n])
	h.note("synced %d: %v", n, err)
	if err == nil {
		h.synced = max(h.synced, n)
	} else if !h.dead && !h.faulty {
		return fmt.Errorf("sync: %w", err)
	}
	return nil
}

// histories runs so many, from a seed on, and gives one that goes wrong, with what happened in it.
func histories(count uint64, change func(*history)) (seed uint64, log []string, err error) {
	var next, wrong atomic.Uint64
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for n := next.Add(1); n <= count && wrong.Load() == 0; n = next.Add(1) {
				if newHistory(n, change).run() != nil {
					wrong.Store(n)
				}
			}
		})
	}
	all.Wait()
	if seed = wrong.Load(); seed == 0 {
		return 0, nil, nil
	}
	h := newHistory(seed, change)
	h.told = true
	err = h.run()
	return seed, h.log, err
}

// TestHistories lets journals live through crashes, power cuts and faults of the disk: what was
// synced is there, in order, and records are whole. FTSH_JOURNAL_HISTORIES says how many; the long tests have more.
func TestHistories(t *testing.T) {
	count := uint64(skip.Times(20_000, 4_000))
	if said := os.Getenv("FTSH_JOURNAL_HISTORIES"); said != "" {
		count, _ = strconv.ParseUint(said, 10, 64)
	}
	if seed, log, err := histories(count, nil); err != nil {
		t.Errorf("history %d: %v\n%s", seed, err, strings.Join(log, "\n"))
	}
	t.Logf("%d histories", count)
}
