package output

import (
	"context"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/backoff"
	"ftsh/interp/files"
)

// interval is the time between two looks at a growing file.
const interval = 80 * time.Millisecond

// held limits what is held in memory of a command's standard error, in bytes.
const held = 1 << 20

// A Follower copies what a program writes to standard error as it grows. The program writes to a file without a name:
// a pipe would end its life with the shell's.
type Follower struct {
	FD int // what the program writes to

	ctx     context.Context
	store   *Store
	file    *os.File
	from    room
	to      int
	stop    func()
	offset  int64         // of the file, what is before was copied
	room    int64         // up to there the disk surely has room
	changed unix.Timespec // when it was written, as seen at the last copy
	doubted unix.Timespec // a later time at which it had not grown
	total   int64         // that was copied
	kept    int64         // of it, when somebody last kept a line
	end     []byte        // of it, at least as much as is held
	buffer  []byte
}

// Follow makes the file in dir and copies it to a descriptor until Stop is called. What cannot be written after ctx
// was cancelled is dropped. Keep, if it is not nil, is given the last line now and then, and reports whether it took
// it. The error tells why no file can be made that surely does the program no harm.
func (s *Store) Follow(ctx context.Context, clock backoff.Clock, dir string, to int,
	keep func(line string) bool) (*Follower, error) {
	room, err := newRoom(dir)
	if err != nil {
		return nil, err
	}
	_, _ = unix.FcntlInt(uintptr(room.fd), unix.F_SETFL, unix.O_APPEND)
	file := os.NewFile(uintptr(room.fd), "standard error")
	c := &Follower{FD: room.fd, ctx: ctx, store: s, file: file, from: room, to: to, room: reserved}
	until, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		for backoff.Sleep(until, clock, clock.Now()+interval) == nil {
			c.copy(false)
			if keep != nil && c.total != c.kept && keep(c.text().LastLine()) {
				c.kept = c.total
			}
		}
	})
	c.stop = func() {
		cancel()
		wg.Wait()
		c.copy(true)
	}
	return c, nil
}

// Stop copies the rest of what a program wrote that has ended, and forgets it.
func (c *Follower) Stop() {
	c.stop()
	c.close()
}

// StopAndKeep copies the rest of what a program wrote that has ended, and returns all of it.
func (c *Follower) StopAndKeep() Stderr {
	c.stop()
	if c.total > int64(len(c.end)) && c.from.given == 0 {
		text := c.text()
		text.all, text.size = c.file, c.offset
		return text
	}
	c.close()
	return Stderr{end: string(c.end), torn: c.total > int64(len(c.end))}
}

// close gives the room of the file back. Programs that the one has left behind may still write there, for nobody.
func (c *Follower) close() {
	c.store.disk.giveBack(c.offset-c.from.given+reserved, func() {
		_ = unix.Ftruncate(c.FD, 0)
		_ = c.file.Close()
	})
}

// text is the end of what was written up to now.
func (c *Follower) text() Stderr { return Stderr{end: string(c.end[max(0, len(c.end)-maxTail):])} }

// copy copies what is new. Once the program has ended this is the last time.
func (c *Follower) copy(last bool) {
	var info unix.Stat_t
	for unix.Fstat(c.from.fd, &info) == nil && info.Size > 0 && (info.Size != c.offset || info.Mtim != c.changed) {
		if info.Size == c.offset && !last && c.doubted != info.Mtim {
			c.doubted = info.Mtim // a write may be under way: it sets the time first, and then the size
			return
		}
		// Before anything is read: it sets the file's time, as does all that the program writes from here on.
		hasRoom := c.hasRoom(info.Size)
		if unix.Fstat(c.from.fd, &info) != nil || info.Size == 0 {
			return
		}
		if c.rewritten(&info) {
			c.restart()
			continue
		}
		if c.buffer == nil {
			c.buffer = make([]byte, min(info.Size, 64<<10))
		}
		for c.offset < info.Size {
			// Not what was written since: it would look like rewritten the next time.
			part := c.buffer[:min(int64(len(c.buffer)), info.Size-c.offset)]
			n, err := files.RetryEINTR(func() (int, error) { return unix.Pread(c.from.fd, part, c.offset) })
			if n == 0 && err == nil { // it was truncated just now
				c.restart()
			}
			if n <= 0 {
				return
			}
			c.offset += int64(n)
			c.hold(part[:n])
			// Nobody can be told that standard error is gone.
			if files.WritePatiently(c.ctx, c.to, part[:n]) != nil && c.ctx.Err() != nil {
				c.skipTo(info.Size)
			}
		}
		c.changed = info.Mtim
		if !hasRoom {
			c.giveBackRead(info.Size)
		}
	}
}

// hasRoom reports whether there is room for more once the file has that size, and reserves it on disk: seldom, as that
// sets the file's time.
func (c *Follower) hasRoom(size int64) bool {
	switch {
	case c.from.inMemory:
		return size <= held
	case size <= c.room-reserved/2:
		return true
	}
	has := c.from.reserve(size)
	if has {
		c.room = size + reserved
	}
	return has
}

// giveBackRead gives the room back of what was copied, but for the end, which is held in memory. A file that a program
// has written anew within that moment, as long as before, looks as it did.
func (c *Follower) giveBackRead(size int64) {
	c.store.disk.giveBack(size-c.from.given, func() { c.from.giveBack(size) })
	var info unix.Stat_t
	if unix.Fstat(c.from.fd, &info) == nil && info.Size == size {
		c.changed = info.Mtim
	}
}

// rewritten reports whether the file was written, but not at its end: a program
// that opens /dev/stderr for writing truncates it, and begins again.
func (c *Follower) rewritten(info *unix.Stat_t) bool {
	if info.Size <= c.offset {
		return true
	}
	before := c.end[max(0, len(c.end)-compared):]
	before = before[max(0, int64(len(before))-c.offset):]
	return differs(c.from.fd, c.offset, before)
}

// restart copies from the beginning again, at the next look.
func (c *Follower) restart() { c.offset, c.from.given, c.room = 0, 0, 0 }

// skipTo goes on near the end of the file, as nothing can be written any more: a program may have
// written more within its limit than is read in seconds.
func (c *Follower) skipTo(size int64) {
	if next := size - held; next > c.offset {
		c.total += next - c.offset
		c.offset, c.end = next, c.end[:0]
	}
}

// hold keeps the end of what was copied in memory.
func (c *Follower) hold(text []byte) {
	c.total += int64(len(text))
	if c.end = append(c.end, text...); len(c.end) > 2*held {
		c.end = append([]byte(nil), c.end[len(c.end)-held:]...)
	}
}
