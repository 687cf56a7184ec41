package interp

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/ast"
	"ftsh/backoff"
	"ftsh/interp/durable"
	"ftsh/interp/event"
	"ftsh/interp/files"
	"ftsh/interp/process"
)

// watched runs a command whose standard error is wanted. It writes to a file
// without a name, which is copied to the script's standard error as it grows: a
// pipe would end the program's life with the shell's. Where there can be no such
// file it writes where it would otherwise: its work matters more. But not within a try that
// says matching: what was not seen is not "no match".
func (f *frame) watched(ctx context.Context, c *process.Command) *Failure {
	if f.run.Streams != nil {
		return f.overheard(ctx, c)
	}
	room, err := newRoom(f.temporaryDir())
	switch {
	case err != nil && f.try != nil && f.try.watching:
		return unseenFailure(err)
	case err != nil:
		f.run.blind.Do(func() { f.tellEvent(observed{}, event.Event{Kind: event.StderrUnseen, Message: err.Error()}) })
		return f.awaitProgram(ctx, c)
	}
	file := os.NewFile(uintptr(room.fd), "standard error")
	_, _ = unix.FcntlInt(uintptr(room.fd), unix.F_SETFL, unix.O_APPEND)
	files := f.files
	for n := range files {
		if files[n] == f.stderr {
			files[n] = room.fd
		}
	}
	c.Files = files.upToLastOpen()
	copied, stop := f.followStderr(ctx, room, f.stderr)
	failure := f.awaitProgram(ctx, c)
	stop()
	if failure == nil {
		_ = file.Close()
		return nil
	}
	failure.Stderr = copied.text(file)
	return failure
}

// unseenFailure is the failure of what depends on what programs write to standard error, where nobody can see that.
func unseenFailure(err error) *Failure {
	return newFailure(KindSystem, ast.Pos{}, "cannot see standard error, which a try wants for matching: "+err.Error())
}

// canSee fails a try that says matching where no program's standard error can be seen, before anything of it runs.
func (t *try) canSee() error {
	f := t.frame
	if !t.header.Watches || f.run.Streams != nil {
		return nil
	}
	err := filesMayGrow()
	if err == nil {
		return nil
	}
	failure := unseenFailure(err)
	failure.Pos = t.pos
	return t.unattempted(f.announceFailure(failure))
}

// followStderr copies a file as it grows, until the function returned is called, which copies the rest.
// What cannot be written after outer was cancelled is dropped.
func (f *frame) followStderr(outer context.Context, from room, to int) (copied *follower, stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	copied = &follower{ctx: outer, from: from, to: to}
	var wg sync.WaitGroup
	unit := f.said
	wg.Go(func() {
		for backoff.Sleep(ctx, f.run.clock, f.run.clock.Now()+interval) == nil {
			copied.copy(false)
			copied.tellLastLine(unit)
		}
	})
	return copied, func() {
		cancel()
		wg.Wait()
		copied.copy(true)
	}
}

// interval is the time between two looks at a growing file.
const interval = 80 * time.Millisecond

// held limits what is held in memory of a command's standard error, in bytes.
const held = 1 << 20

// follower copies a file as it grows.
type follower struct {
	ctx     context.Context
	from    room
	to      int
	offset  int64         // of the file, what is before was copied
	changed unix.Timespec // when it was written, as seen at the last copy
	doubted unix.Timespec // a later time at which it had not grown
	total   int64         // that was copied
	told    int64         // of it, when the journal last got a line
	end     []byte        // of it, at least as much as is held
	buffer  []byte
}

// copy copies what is new. Once the program has ended this is the last time.
func (c *follower) copy(last bool) {
	var info unix.Stat_t
	for unix.Fstat(c.from.fd, &info) == nil && info.Size > 0 && (info.Size != c.offset || info.Mtim != c.changed) {
		if info.Size == c.offset && !last && c.doubted != info.Mtim {
			c.doubted = info.Mtim // a write may be under way: it sets the time first, and then the size
			return
		}
		if c.rewritten(&info) {
			c.offset, c.from.given = 0, 0
		}
		if c.buffer == nil {
			c.buffer = make([]byte, min(info.Size, 64<<10))
		}
		for c.offset < info.Size {
			// Not what was written since: it would look like rewritten the next time.
			part := c.buffer[:min(int64(len(c.buffer)), info.Size-c.offset)]
			n, err := files.RetryEINTR(func() (int, error) { return unix.Pread(c.from.fd, part, c.offset) })
			if n <= 0 || err != nil {
				return
			}
			c.offset += int64(n)
			c.keep(part[:n])
			// Nobody can be told that standard error is gone.
			if files.WritePatiently(c.ctx, c.to, part[:n]) != nil && c.ctx.Err() != nil {
				c.skipTo(info.Size)
			}
		}
		c.from.giveBackRead(info.Size)
		c.changed = info.Mtim
		if size := info.Size; unix.Fstat(c.from.fd, &info) == nil && info.Size == size {
			c.changed = info.Mtim // the look has changed it, too
		}
	}
}

// rewritten reports whether the file was written, but not at its end: a program
// that opens /dev/stderr for writing truncates it, and begins again.
func (c *follower) rewritten(info *unix.Stat_t) bool {
	if info.Size <= c.offset {
		return true
	}
	before := c.end[max(0, len(c.end)-compared):]
	before = before[max(0, int64(len(before))-c.offset):]
	now := make([]byte, len(before))
	n, err := files.RetryEINTR(func() (int, error) { return unix.Pread(c.from.fd, now, c.offset-int64(len(now))) })
	return err == nil && !bytes.Equal(now[:max(0, n)], before)
}

// skipTo goes on near the end of the file, as nothing can be written any more: a program may have
// written more within its limit than is read in seconds.
func (c *follower) skipTo(size int64) {
	if next := size - held; next > c.offset {
		c.total += next - c.offset
		c.offset, c.end = next, c.end[:0]
	}
}

func (c *follower) keep(text []byte) {
	c.total += int64(len(text))
	if c.end = append(c.end, text...); len(c.end) > 2*held {
		c.end = append([]byte(nil), c.end[len(c.end)-held:]...)
	}
}

// tellLastLine has the journal keep the last line, if there is something new.
func (c *follower) tellLastLine(unit *durable.LastLine) {
	if unit == nil || c.total == c.told {
		return
	}
	if end := c.end[max(0, len(c.end)-tail):]; unit.Keep(Stderr{end: string(end)}.LastLine()) {
		c.told = c.total
	}
}

// text returns what was written to the file, which it keeps or closes.
func (c *follower) text(file *os.File) Stderr {
	if c.total <= int64(len(c.end)) || c.from.given > 0 {
		_ = file.Close()
		return Stderr{end: string(c.end), torn: c.total > int64(len(c.end))}
	}
	return Stderr{end: string(c.end[max(0, len(c.end)-tail):]), all: &blob{file: file, size: c.offset}}
}

// Stderr holds what a failed command wrote to standard error.
type Stderr struct {
	end   string // all of it, or its end if that is long
	all   *blob  // nil: it is not long
	torn  bool   // its end is all that is known: there was no room for more
	ofJob bool   // it was written far away, where nobody watched
}

// String is the end of it, without newlines there.
func (s Stderr) String() string { return strings.TrimRight(s.end[max(0, len(s.end)-tail):], "\n") }

// isLong reports whether it is more than String gives.
func (s Stderr) isLong() bool { return s.torn || s.all != nil || len(s.end) > tail }

// LastLine is the last line of it that is not blank, without what the lines of a
// progress bar have overwritten.
func (s Stderr) LastLine() string {
	text := strings.TrimRight(s.end[max(0, len(s.end)-tail):], " \t\r\n")
	return strings.TrimSpace(text[strings.LastIndexAny(text, "\r\n")+1:])
}

// The most lines and bytes that a report shows of what a job wrote.
const (
	mostLines     = 3
	mostLineBytes = 300
)

// toldPart returns the part that a report shows: the last line; of a job, which nobody watched, a few more if they are
// short.
func (s Stderr) toldPart() string {
	text := s.LastLine()
	if !s.ofJob {
		return text
	}
	lines := strings.Split(strings.TrimRight(s.String(), " \t\r\n"), "\n")
	shown := 1
	for _, line := range slices.Backward(lines[:len(lines)-1]) {
		line = Stderr{end: line}.LastLine()
		if shown == mostLines || len(line)+1+len(text) > mostLineBytes {
			break
		}
		if line != "" {
			text = line + "\n" + text
			shown++
		}
	}
	return text
}

// matches seeks a pattern in all of it.
func (s Stderr) matches(pattern *regexp.Regexp) bool {
	if s.all == nil {
		return pattern.MatchString(s.end)
	}
	return pattern.MatchReader(bufio.NewReader(io.NewSectionReader(s.all.file, 0, s.all.size)))
}
