package interp

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/backoff"
	"ftsh/interp/process"
)

// kept is how much of a failed command's standard error is kept to be searched by `matching`.
const kept = 1 << 20

// watched runs a command whose standard error is wanted. It writes to an
// unlinked file, which is copied to the script's standard error as it grows: a
// pipe would end the program's life with the shell's.
func (f *frame) watched(ctx context.Context, c *process.Command) *Failure {
	fd, err := temporary(f.temporaryDir())
	if err != nil {
		return &Failure{Kind: KindRedirect, Status: 1, Message: err.Error()}
	}
	defer func() { _ = unix.Close(fd) }()
	_, _ = unix.FcntlInt(uintptr(fd), unix.F_SETFL, unix.O_APPEND)
	files := f.files
	files[2] = fd
	c.Files = files.open()
	stop := f.follow(fd, f.files[2])
	failure := f.status(ctx, c)
	stop()
	if failure != nil {
		failure.Stderr = end(fd)
	}
	return failure
}

// follow copies a file as it grows, until the function returned is called, which copies the rest.
func (f *frame) follow(from, to int) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	copied := &follower{from: from, to: to, buffer: make([]byte, 4096)}
	var wg sync.WaitGroup
	wg.Go(func() {
		for backoff.Sleep(ctx, f.run.clock, f.run.clock.Now()+interval) == nil {
			copied.copy()
		}
	})
	return func() {
		cancel()
		wg.Wait()
		copied.copy()
	}
}

// interval is how often a growing file is looked at.
const interval = 80 * time.Millisecond

type follower struct {
	from, to int
	offset   int64
	buffer   []byte
}

// copy copies what is new.
func (c *follower) copy() {
	for {
		n, err := retryEINTR(func() (int, error) { return unix.Pread(c.from, c.buffer, c.offset) })
		if n <= 0 || err != nil {
			return
		}
		c.offset += int64(n)
		_ = writeAll(c.to, c.buffer[:n]) // nobody can be told that standard error is gone
	}
}

// end is the end of a file.
func end(fd int) string {
	var info unix.Stat_t
	if unix.Fstat(fd, &info) != nil {
		return ""
	}
	size := min(info.Size, kept)
	text := make([]byte, size)
	n, _ := retryEINTR(func() (int, error) { return unix.Pread(fd, text, info.Size-size) })
	return string(text[:max(0, n)])
}
