package output

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/backoff"
	"ftsh/interp/files"
	"ftsh/interp/world"
)

const (
	// interval is the time between two looks at a growing file, and busyInterval that while much is written.
	interval     = 80 * time.Millisecond
	busyInterval = time.Millisecond
	// copiedAtOnce is how much is copied at a time, in bytes.
	copiedAtOnce = 64 << 10
	// held limits what is held in memory of a command's standard error, in bytes.
	held = 1 << 20
	// leastLimit is the limit of file sizes from which on a program's errors surely fit.
	leastLimit = 1 << 30
)

// A follower copies what a program writes to standard error as it grows. The program writes to a file in memory: a pipe
// would end its life with the shell's. What was copied is punched out of the file, and reads as zeros: so a text that
// stands there is that of a program that has truncated the file and begun again.
type follower struct {
	fd int // what the program writes to

	ctx    context.Context
	to     int
	stop   func()
	offset int64  // of the file, what is before was copied
	whole  bool   // nothing can be punched out here
	total  int64  // that was copied
	kept   int64  // of it, when somebody last kept a line
	end    []byte // of it, at least as much as is held
	buffer []byte
}

// Follow makes the file and copies it to a descriptor until Stop is called. What cannot be written after ctx was
// cancelled is dropped. Keep, if it is not nil, is given the last line now and then, and reports whether it took it.
// The error tells why no file can be made that surely does the program no harm.
func (s *Store) Follow(
	ctx context.Context, clock backoff.Clock, to int, keep func(line string) bool) (world.Followed, error) {
	if err := FilesMayGrow(); err != nil {
		return nil, err
	}
	fd, err := unix.MemfdCreate("ftsh-stderr", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	_, _ = unix.FcntlInt(uintptr(fd), unix.F_SETFL, unix.O_APPEND)
	c := &follower{fd: fd, ctx: ctx, to: to}
	until, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		pause := interval
		for backoff.Sleep(until, clock, clock.Now()+pause) == nil {
			if pause = interval; c.copy() >= copiedAtOnce {
				pause = busyInterval
			}
			if keep != nil && c.total != c.kept && keep(c.text().LastLine()) {
				c.kept = c.total
			}
		}
	})
	c.stop = func() {
		cancel()
		wg.Wait()
		c.copy()
	}
	return c, nil
}

// FilesMayGrow returns why files may not become long enough for what a program may write; nil: they may.
func FilesMayGrow() error {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
		return fmt.Errorf("the limit on the size of files (ulimit -f) is unknown: %w", err)
	}
	if limit.Cur < leastLimit { // to exceed it is a deadly signal
		return fmt.Errorf("files are limited to %d bytes (ulimit -f), and a program that writes more "+
			"would be killed; wanted at least %d",
			limit.Cur, leastLimit)
	}
	return nil
}

// Stream implements [world.Followed].
func (c *follower) Stream() int { return c.fd }

// Stop copies the rest of what a program wrote that has ended, and returns the end of it.
func (c *follower) Stop() (end string, torn bool) {
	c.stop()
	_ = unix.Ftruncate(c.fd, 0) // programs that it has left behind may still write there, for nobody
	_ = unix.Close(c.fd)
	return string(c.end), c.total > int64(len(c.end))
}

// text is the end of what was written up to now.
func (c *follower) text() Stderr { return Stderr{end: string(c.end[max(0, len(c.end)-maxTail):])} }

// copy copies what is there by now, but not what is written meanwhile, and returns how much that was.
func (c *follower) copy() (copied int64) {
	var info unix.Stat_t
	for unix.Fstat(c.fd, &info) == nil && copied < max(info.Size, 1) {
		if info.Size < c.offset {
			c.offset = 0
		}
		part := c.read(c.offset)
		if part == nil {
			c.offset, part = 0, c.read(0)
		}
		if len(part) == 0 {
			return copied
		}
		c.offset += int64(len(part))
		copied += int64(len(part))
		c.punch()
		c.hold(part)
		// Nobody can be told that standard error is gone.
		if files.WritePatiently(c.ctx, c.to, part) != nil && c.ctx.Err() != nil {
			c.skipTo(info.Size)
		}
	}
	return copied
}

// read reads what follows an offset; nil: what stands before it was written since it was copied.
func (c *follower) read(offset int64) []byte {
	if c.buffer == nil {
		c.buffer = make([]byte, 1+copiedAtOnce)
	}
	before := min(offset, 1)
	n, err := files.RetryEINTR(func() (int, error) { return unix.Pread(c.fd, c.buffer[1-before:], offset-before) })
	switch {
	case err != nil || int64(n) < before:
		return c.buffer[:0]
	case before == 1 && c.buffer[0] != 0 && !c.whole:
		return nil
	}
	return c.buffer[1 : 1+int64(n)-before]
}

// punch gives the room back of what was copied.
func (c *follower) punch() {
	if unix.Fallocate(c.fd, unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, 0, c.offset) != nil {
		c.whole = true
	}
}

// skipTo goes on near the end of the file, as nothing can be written any more: a program may have
// written more within its limit than is read in seconds.
func (c *follower) skipTo(size int64) {
	if next := size - held; next > c.offset {
		c.total += next - c.offset
		c.offset, c.end = next, c.end[:0]
		c.punch()
	}
}

// hold keeps the end of what was copied in memory.
func (c *follower) hold(text []byte) {
	c.total += int64(len(text))
	if c.end = append(c.end, text...); len(c.end) > 2*held {
		c.end = append([]byte(nil), c.end[len(c.end)-held:]...)
	}
}
