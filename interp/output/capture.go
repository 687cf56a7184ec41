package output

import (
	"context"
	"fmt"
	"sync"

	"golang.org/x/sys/unix"

	"ftsh/interp/files"
	"ftsh/interp/value"
)

// A Capture is output on its way into a variable. Each is ended by Value or Drop.
//
// Measured: an unlinked file instead of the pipe costs the same, but a program
// that opens /dev/stdout would truncate what was written before.
type Capture struct {
	Input int // what programs write to

	drain *drain // nil: in a simulation
	spool spool
	mu    sync.Mutex // of who looks at what was captured before it ends
}

// Capture begins capturing, behind the text. A lot of it lies in a file in dir.
func (s *Store) Capture(dir, text string) (*Capture, error) {
	c := &Capture{spool: spool{dir: dir, store: s}}
	err := c.spool.write([]byte(text))
	switch {
	case err != nil:
	case s.Streams != nil:
		c.Input = s.Streams.New("")
	default:
		if c.drain, err = s.newDrain(func(text []byte) { _ = c.spool.write(text) }); err == nil { // it keeps its error
			c.Input = c.drain.input
		}
	}
	if err != nil {
		c.spool.dropText()
		return nil, err
	}
	return c, nil
}

// stop ends the capture; what was written by now is captured.
func (c *Capture) stop() {
	if streams := c.spool.store.Streams; streams != nil {
		_ = c.spool.write([]byte(streams.Read(c.Input)))
		streams.Close(c.Input)
		return
	}
	c.drain.stop()
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
	c.drain.pause()
	defer c.drain.resume()
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
	c.drain.pause()
	defer c.drain.resume()
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
	c.drain.pause()
	defer c.drain.resume()
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
		return fmt.Errorf("cannot hold what is written to %s until the alternative has won: %w", a.name, err)
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
		return fmt.Errorf("cannot write %s: %w", a.name, err)
	}
	return unix.Close(fd)
}

// Drop ends the writing, and forgets what was not kept.
func (a *Apart) Drop() {
	_ = a.Complete() // what failed has been told
	a.capture.spool.dropText()
	a.dir.Leave()
}
