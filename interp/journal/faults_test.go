package journal_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/interp/journal"
)

// TestFaults has each write, sync, rename and reservation fail once, as a full disk or a broken one does:
// that is told, nothing is tried again, and what was synced before is there afterwards.
func TestFaults(t *testing.T) {
	for _, c := range []struct {
		op  string
		err error
	}{
		{"write", unix.ENOSPC}, {"write", unix.EIO}, {"write", unix.EROFS}, {"sync", unix.EIO}, {"sync", unix.ENOSPC},
		{"reserve", unix.ENOSPC}, {"rename", unix.EIO}, {"create", unix.EACCES}, {"mkdir", unix.EROFS},
	} {
		t.Run(c.op+" "+c.err.Error(), func(t *testing.T) {
			nth := 1
			for ; failing(t, c.op, nth, c.err); nth++ {
				if nth > 200 {
					t.Fatal("it never ends")
				}
			}
			if nth == 1 {
				t.Error("there is no such operation")
			}
			t.Logf("%d times", nth-1)
		})
	}
}

// failing runs a journal whose nth operation fails; false if there was none.
func failing(t *testing.T, op string, nth int, fault error) bool {
	fs := newMemory()
	c := memoryConfig(fs).WithLimits(2000, 100)
	failed, rewriting, after := false, false, 0
	fs.Fault = func(is, at string, length int) (int, error) {
		if failed && (is == "write" || is == "sync") {
			after++
		}
		if is == op {
			if nth--; nth == 0 {
				failed = true
				rewriting = at == path+".new" && fault == unix.ENOSPC && (op == "write" || op == "reserve")
				return length / 2, fault
			}
		}
		return length, nil
	}
	synced, next, err := fill(c)
	fs.Fault = nil
	if !failed {
		return false
	}
	if rewriting && next != nil {
		after = 0 // it went on with the old file
	} else if !errors.Is(err, fault) {
		t.Errorf("the %s that failed: got %v", op, err)
	}
	if after > 0 {
		t.Errorf("%d writes and syncs after the %s had failed", after, op)
	}
	fs.Cut()
	j := mustOpen(t, path, c)
	if got := treeOf(j.Image(), "", tree{}); !maps.Equal(got, synced) && !maps.Equal(got, next) {
		t.Errorf("got %q, want %q or %q", got, synced, next)
	}
	return true
}

// fill opens a journal and writes to it until that fails, and gives the tree that was synced, and the
// one that was to be.
func fill(c journal.Config) (synced, next tree, err error) {
	synced = tree{}
	j, err := journal.Open(path, c)
	if err != nil {
		return synced, nil, err
	}
	defer func() { _ = j.Close() }()
	for n := range 40 {
		value := fmt.Sprint("v", n)
		if n%7 == 0 {
			value = fmt.Sprintf("%0200d", n)
		}
		mark := j.Write(setting(string(rune('a'+n%12)), value))
		next = treeOf(j.Image(), "", tree{})
		if err := j.Sync(context.Background(), mark); err != nil {
			if j.Err() == nil || j.Sync(context.Background(), j.Write(setting("x", "x"))) == nil {
				return synced, next, errors.New("the error did not stay")
			}
			return synced, next, err
		}
		synced = next
	}
	return synced, next, nil
}

// TestOneSync holds that a Sync that is alone is one sync, and that those that come together share one.
func TestOneSync(t *testing.T) {
	fs := newMemory()
	j := mustOpen(t, path, memoryConfig(fs))
	var syncs int
	entered, gate := make(chan bool, 100), make(chan bool)
	fs.Fault = func(op, _ string, length int) (int, error) {
		if op == "sync" {
			syncs++
		}
		return length, nil
	}
	for range 10 {
		j.Write(setting("a", "end"))
		mustSync(t, j, j.Write(setting("a", "begin")))
	}
	if syncs != 10 {
		t.Errorf("%d syncs for 10 commands", syncs)
	}
	fs.Fault = nil
	slow := memoryConfig(fs)
	slow.Hook = func(point string) {
		if point == "before sync "+path {
			entered <- true
			<-gate
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	together(t, slow, entered, gate)
}

func together(t *testing.T, c journal.Config, entered, gate chan bool) {
	go func() { <-entered; gate <- true }() // recovery syncs, too
	j := mustOpen(t, path, c)
	done := make(chan error, 100)
	caller := func(mark journal.Mark) { done <- j.Sync(context.Background(), mark) }
	go caller(j.Write(setting("a", "leader")))
	<-entered
	for n := range 31 {
		go caller(j.Write(setting(fmt.Sprint(n), "follower")))
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	gone := errors.New("gone")
	cancel(gone)
	if err := j.Sync(ctx, 2); err != gone {
		t.Errorf("a wait that is cancelled: %v", err)
	}
	gate <- true
	<-entered
	gate <- true
	for range 32 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if len(entered) > 0 {
		t.Error("more than two syncs for 32 that came together")
	}
	if err := j.Close(); err != nil {
		t.Error(err)
	}
}

// TestTimer holds that what nobody waits for is synced by a timer, that many records have one, and that it does nothing
// where all is on disk.
func TestTimer(t *testing.T) {
	fs := newMemory()
	c := memoryConfig(fs)
	var armed func()
	timers, after := 0, time.Duration(0)
	c.AfterFunc = func(d time.Duration, call func()) func() bool {
		timers, armed, after = timers+1, call, d
		return func() bool { is := armed != nil; armed = nil; return is }
	}
	j := mustOpen(t, path, c)
	j.Write(setting("a", "1"))
	j.Write(setting("a", "2"))
	if timers != 1 || after != 100*time.Millisecond {
		t.Errorf("%d timers, after %v", timers, after)
	}
	call := armed
	armed = nil
	call()
	fs.Cut()
	if i, err := journal.Read(path, c); err != nil || len(i.Keys("a/a")) != 1 {
		t.Errorf("after the timer: %v", err)
	}
	timers = 0
	for range 10 {
		mustSync(t, j, j.Write(setting("a", "3")))
	}
	if timers != 1 {
		t.Errorf("%d timers for 10 records, want 1", timers)
	}
	fs.Fault = func(op, _ string, length int) (int, error) {
		t.Errorf("a %s by a timer, though all is on disk", op)
		return length, nil
	}
	call = armed
	armed = nil
	call()
	fs.Fault = nil
	if j.Write(setting("a", "4")); timers != 2 {
		t.Error("no timer for what was written after that")
	}
	if err := j.Close(); err != nil {
		t.Error(err)
	}
	if armed != nil {
		t.Error("a timer after Close")
	}
}

// TestCasual holds that what nobody needs on disk is in the file at once, and is synced by the way: or by a timer
// when it has taken the room that is kept for the ends of what has begun.
func TestCasual(t *testing.T) {
	fs := newMemory()
	c := memoryConfig(fs)
	var armed func()
	timers := 0
	c.AfterFunc = func(_ time.Duration, call func()) func() bool {
		timers, armed = timers+1, call
		return func() bool { return true }
	}
	j := mustOpen(t, path, c)
	mustSync(t, j, j.Write(setting("a", "1")))
	armed()
	timers = 0
	long := setting("b", strings.Repeat("x", 1000))
	long.Casual = true
	j.Write(long)
	if i, err := journal.Read(path, c); err != nil || len(i.Keys("a/b")) != 1 || timers > 0 {
		t.Errorf("after one record: %v, %d timers", err, timers)
	}
	for range 400 {
		j.Write(long)
	}
	if timers != 1 {
		t.Errorf("%d timers when the room is taken, want 1", timers)
	}
	must(t, j.Close())
}

// TestUnreserved holds that a file system that cannot reserve room is warned of, once.
func TestUnreserved(t *testing.T) {
	fs := newMemory()
	c := memoryConfig(fs)
	var warned []string
	c.Warn = func(text string) { warned = append(warned, text) }
	fs.Fault = func(op, _ string, length int) (int, error) {
		if op == "reserve" {
			return 0, unix.EOPNOTSUPP
		}
		return length, nil
	}
	j := mustOpen(t, path, c)
	for range 3 {
		mustSync(t, j, j.Write(setting("a", "1")))
	}
	if len(warned) != 1 {
		t.Errorf("warned %q", warned)
	}
}

// TestBeginsWithoutRoom: what cannot have room for its end is not in the file, though there is room for itself,
// and what was written before it is.
func TestBeginsWithoutRoom(t *testing.T) {
	fs := newMemory()
	c := memoryConfig(fs)
	j := mustOpen(t, path, c)
	value := []byte(`"` + strings.Repeat("x", 1<<10) + `"`)
	fs.Fault = func(is, at string, length int) (int, error) {
		if is == "reserve" {
			return 0, unix.ENOSPC
		}
		return length, nil
	}
	var err error
	begun := 0
	for ; err == nil && begun < 1000; begun++ {
		begins := journal.Record{Kind: "begin", Begins: true,
			Changes: []journal.Change{{Key: "begun", Value: []byte(strconv.Itoa(begun))}}}
		j.Write(journal.Record{Kind: "end",
			Changes: []journal.Change{{Key: "ended", Value: []byte(strconv.Itoa(begun))}, {Key: "x", Value: value}}})
		err = j.Sync(context.Background(), j.Write(begins))
	}
	var write *journal.WriteError
	if !errors.As(err, &write) || !errors.Is(err, unix.ENOSPC) || begun < 2 {
		t.Fatalf("after %d: got %v, want that the disk is full", begun, err)
	}
	_ = j.Close()
	fs.Fault = nil
	j = mustOpen(t, path, c)
	defer j.Close()
	for key, want := range map[string]string{"begun": strconv.Itoa(begun - 2), "ended": strconv.Itoa(begun - 1)} {
		if got, _ := j.Image().Get("", key); string(got) != want {
			t.Errorf("%s: got %s, want %s", key, got, want)
		}
	}
}
