package output

import (
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/interp/files"
	"ftsh/interp/value"
)

// A Capture is output on its way into a variable: a pipe that a goroutine of ours
// empties. It ends when the command ends and not when the pipe is closed, since
// a daemon may keep it open. Each is ended by Value or Drop.
//
// Measured: an unlinked file instead of the pipe costs the same, but a program
// that opens /dev/stdout would truncate what was written before.
type Capture struct {
	Input int // what programs write to

	pipe  *os.File // what we read
	spool spool
	mu    sync.Mutex    // of who looks at what was captured before it ends
	idle  chan struct{} // closed when the goroutine has ended
}

// Capture begins capturing, behind the text. A lot of it lies in a file in dir.
func (s *Store) Capture(dir, text string) (*Capture, error) {
	c := &Capture{spool: spool{dir: dir, store: s}}
	err := c.spool.write([]byte(text))
	if err == nil {
		err = c.connect()
	}
	if err != nil {
		c.spool.dropText()
		return nil, err
	}
	return c, nil
}

// connect makes the pipe, and begins to empty it.
func (c *Capture) connect() error {
	store := c.spool.store
	if store.Streams != nil {
		c.Input = store.Streams.New("")
		return nil
	}
	ends, err := store.Pipe()
	if err != nil {
		return fmt.Errorf("cannot make a pipe: %w", err)
	}
	_ = unix.SetNonblock(ends[0], true)
	if err := store.poller.start(8); err != nil {
		closeAll(ends[:])
		return fmt.Errorf("cannot make a pipe: %w", err)
	}
	c.Input, c.pipe = ends[1], os.NewFile(uintptr(ends[0]), "|")
	c.resume()
	return nil
}

// resume begins to empty the pipe.
func (c *Capture) resume() {
	_ = c.pipe.SetReadDeadline(time.Time{})
	c.idle = make(chan struct{})
	go c.readUntilClosed()
}

// readUntilClosed reads until the pipe is closed or pause stops it.
func (c *Capture) readUntilClosed() {
	defer close(c.idle)
	buffer := make([]byte, 4096)
	for {
		n, err := c.pipe.Read(buffer)
		if n > 0 {
			_ = c.spool.write(buffer[:n]) // it keeps its error
		}
		if err != nil {
			return
		}
		if n == len(buffer) && n < 64<<10 {
			buffer = make([]byte, 64<<10)
		}
	}
}

// stop ends the goroutine; what is in the pipe by now is read, and the pipe closed.
func (c *Capture) stop() {
	if streams := c.spool.store.Streams; streams != nil {
		_ = c.spool.write([]byte(streams.Read(c.Input)))
		streams.Close(c.Input)
		return
	}
	_ = unix.Close(c.Input)
	c.pause()
	_ = c.pipe.Close()
}

// pause stops emptying the pipe, once what is in it by now is read.
func (c *Capture) pause() {
	_ = c.pipe.SetReadDeadline(time.Unix(1, 0))
	<-c.idle
	if raw, err := c.pipe.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { c.readRest(int(fd)) })
	}
}

// readRest reads what the pipe holds now, and not what a daemon may add.
func (c *Capture) readRest(fd int) {
	left, err := unix.IoctlGetInt(fd, unix.TIOCINQ)
	for buffer := make([]byte, min(left, 64<<10)); err == nil && left > 0; {
		var n int
		n, err = files.RetryEINTR(func() (int, error) { return unix.Read(fd, buffer[:min(left, len(buffer))]) })
		if n <= 0 {
			return
		}
		_ = c.spool.write(buffer[:n])
		left -= n
	}
}

// Value ends the capture, and returns all that was captured. The error says why it could not be held.
func (c *Capture) Value() (value.Value, error) {
	c.stop()
	return c.spool.value()
}

// Drop ends the capture, and forgets what was captured.
func (c *Capture) Drop() {
	c.stop()
	c.spool.dropText()
}

// SoFar returns what was captured up to now. The capture goes on.
func (c *Capture) SoFar() (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if streams := c.spool.store.Streams; streams != nil {
		return string(c.spool.memory) + streams.Read(c.Input), nil
	}
	c.pause()
	defer c.resume()
	switch {
	case c.spool.err != nil:
		return "", c.spool.err
	case c.spool.file != nil:
		return c.spool.file.Bytes() // not the file itself, to which more is written once the capture goes on
	}
	return string(c.spool.memory), nil
}

// Size returns how much was captured up to now, or -1 if that could not be held. The capture goes on.
func (c *Capture) Size() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if streams := c.spool.store.Streams; streams != nil {
		return int64(len(c.spool.memory) + len(streams.Read(c.Input)))
	}
	c.pause()
	defer c.resume()
	return c.spool.size()
}

// CutTo forgets what was captured beyond that size, also that it could not be held. The capture goes on.
func (c *Capture) CutTo(size int64) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if streams := c.spool.store.Streams; streams != nil {
		c.spool.memory = append(c.spool.memory, streams.Read(c.Input)...)
		for more := true; more; {
			_, more = streams.Line(c.Input)
		}
		return c.spool.cutTo(size)
	}
	c.pause()
	defer c.resume()
	return c.spool.cutTo(size)
}

// An Apart takes the output of a hedged alternative in place of a file. It goes through the shell, which sees whether
// all of it could be held: a program may not say that it could not write. Each is ended by Drop.
type Apart struct {
	Input int // what programs write to

	capture *Capture
	dir     files.Directory // in which the name is meant
	name    string
	flags   int
	stopped bool
}

// Apart begins to hold what shall be written to a file, which must be one that can be opened with these flags. A lot of
// it lies in a file in the directory temporary.
func (s *Store) Apart(temporary string, dir files.Directory, name string, flags int) (*Apart, error) {
	if err := files.CheckWritable(dir, name); err != nil {
		return nil, err
	}
	c, err := s.Capture(temporary, "")
	if err != nil {
		return nil, err
	}
	return &Apart{Input: c.Input, capture: c, dir: dir.Share(), name: name, flags: flags}, nil
}

// Complete ends the writing, and says why what was written cannot be held.
func (a *Apart) Complete() error {
	if !a.stopped {
		a.stopped = true
		a.capture.stop()
	}
	if err := a.capture.spool.err; err != nil {
		name := a.dir.Show(a.name)
		return fmt.Errorf("cannot hold what is written to %s until the alternative has won: %w", name, err)
	}
	return nil
}

// Keep copies what the winner wrote to where it should go.
func (a *Apart) Keep() error {
	if err := a.Complete(); err != nil {
		return err
	}
	fd, err := files.Open(context.Background(), a.dir, a.name, a.flags)
	if err != nil {
		return err
	}
	spool := &a.capture.spool
	if err = files.WriteAll(fd, spool.memory); err == nil && spool.file != nil {
		err = files.CopyAll(fd, int(spool.file.file.Fd()))
	}
	if err != nil {
		_ = unix.Close(fd)
		return fmt.Errorf("cannot write %s: %w", a.dir.Show(a.name), err)
	}
	return unix.Close(fd)
}

// Drop ends the writing, and forgets what was not kept.
func (a *Apart) Drop() {
	_ = a.Complete() // what failed has been told
	a.capture.spool.dropText()
	a.dir.Leave()
}
