package output

import (
	"bytes"
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
	for c.look(&info) && (info.Size != c.offset || info.Mtim != c.changed) {
		if info.Size == c.offset {
			if !last && c.doubted != info.Mtim {
				c.doubted = info.Mtim // a write may be under way: it sets the time first, and then the size
				return
			}
			c.restart()
		}
		// Before anything is read: it sets the file's time, as does all that the program writes from here on.
		hasRoom := last || c.hasRoom(info.Size)
		if !c.look(&info) {
			return
		}
		if info.Size == c.offset { // it was longer a moment ago
			c.restart()
		}
		if !c.copyTo(info.Size) {
			return
		}
		if c.changed = info.Mtim; !hasRoom && c.offset == info.Size {
			c.giveBackRead()
		}
	}
}

// look looks at the file, which has to be copied from the beginning again if it has become shorter; false: there is
// nothing in it.
func (c *Follower) look(info *unix.Stat_t) bool {
	if unix.Fstat(c.from.fd, info) != nil {
		return false
	}
	if info.Size < c.offset {
		c.restart()
	}
	return info.Size > 0
}

// copyTo copies what is new up to there, and not what was written since: it would look like rewritten the next time.
// Each part is read together with the end of what was copied before: if that is another, a program has truncated the
// file and begun again, and the rest is not what follows. A text that is the same there cannot be told from one that
// goes on. False: nothing can be read.
func (c *Follower) copyTo(size int64) bool {
	for c.offset < size {
		before := c.end[max(0, len(c.end)-compared):]
		before = before[max(0, int64(len(before))-c.offset):]
		length := int64(len(before)) + min(size-c.offset, 64<<10)
		if int64(len(c.buffer)) < length {
			c.buffer = make([]byte, length)
		}
		part := c.buffer[:length]
		n, err := files.RetryEINTR(func() (int, error) {
			return unix.Pread(c.from.fd, part, c.offset-int64(len(before)))
		})
		switch {
		case err != nil:
			return false
		case n <= len(before) || !bytes.Equal(part[:len(before)], before):
			c.restart()
			return n > len(before)
		}
		part = part[len(before):n]
		c.offset += int64(len(part))
		c.hold(part)
		// Nobody can be told that standard error is gone.
		if files.WritePatiently(c.ctx, c.to, part) != nil && c.ctx.Err() != nil {
			c.skipTo(size)
		}
	}
	return true
}

// hasRoom reports whether there is room for more once the file has that size, and reserves it on disk: only when half
// of what was reserved is used up, as that sets the file's time.
func (c *Follower) hasRoom(size int64) bool {
	switch {
	case c.from.inMemory:
		return size <= held
	case size <= c.room-reserved/2:
		return true
	case !c.from.reserve(size):
		return false
	}
	if c.from.allocates {
		c.room = size + reserved
	}
	return true
}

// giveBackRead gives the room back of what was copied, but for the end, which is held in memory; not if the file is
// written anew by now. What is written anew, as long as before, in the moment of that looks as it did.
func (c *Follower) giveBackRead() {
	size := c.offset
	var info unix.Stat_t
	if !c.look(&info) || c.offset == 0 || info.Size == size && info.Mtim != c.changed ||
		differs(c.from.fd, size, c.end[max(0, len(c.end)-compared):]) {
		return
	}
	c.store.disk.giveBack(size-c.from.given, func() { c.from.giveBack(size) })
	if unix.Fstat(c.from.fd, &info) == nil && info.Size == size {
		c.changed = info.Mtim
	}
}

// restart has the file copied from its beginning again.
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
