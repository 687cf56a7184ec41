package output

import (
	"context"
	"fmt"
	"sync"

	"golang.org/x/sys/unix"

	"ftsh/interp/files"
	"ftsh/interp/value"
	"ftsh/interp/world"
)

// A capture is output on its way into a variable.
//
// Measured: an unlinked file instead of the pipe costs the same, but a program
// that opens /dev/stdout would truncate what was written before.
type capture struct {
	drain *Drain
	spool spool
	mu    sync.Mutex // of who looks at what was captured before it ends
}

// Capture begins capturing, behind the text. A lot of it lies in a file in dir.
func (s *Store) Capture(dir, text string) (world.Capture, error) {
	c, err := s.capture(dir, text)
	if err != nil {
		return nil, err
	}
	return c, nil
}

func (s *Store) capture(dir, text string) (*capture, error) {
	c := &capture{spool: spool{dir: dir, store: s}}
	err := c.spool.write([]byte(text))
	if err == nil {
		c.drain, err = s.Drain(func(text []byte) { _ = c.spool.write(text) }) // it keeps its error
	}
	if err != nil {
		c.spool.dropText()
		return nil, err
	}
	return c, nil
}

// Stream implements [world.Capture].
func (c *capture) Stream() int { return c.drain.Input }

// Value ends the capture, and returns all that was captured. The error says why it could not be held.
func (c *capture) Value() (value.Value, error) {
	c.drain.Stop()
	return c.spool.value()
}

// Drop ends the capture, and forgets what was captured.
func (c *capture) Drop() {
	c.drain.Stop()
	c.spool.dropText()
}

// SoFar returns what was captured up to now. The capture goes on.
func (c *capture) SoFar() (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
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
func (c *capture) Size() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drain.pause()
	defer c.drain.resume()
	return c.spool.size()
}

// CutTo forgets what was captured beyond that size, also that it could not be held. The capture goes on.
func (c *capture) CutTo(size int64) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drain.pause()
	defer c.drain.resume()
	return c.spool.cutTo(size)
}

// An apart takes the output of a hedged alternative in place of a file. It goes through the shell, which sees whether
// all of it could be held: a program may not say that it could not write.
type apart struct {
	capture *capture
	dir     files.Directory // in which the name is meant
	name    string
	flags   int
	stopped bool
}

// Apart begins to hold what shall be written to a file, which must be one that can be opened with these flags. A lot of
// it lies in a file in the directory temporary.
func (s *Store) Apart(temporary string, dir files.Directory, name string, flags int) (world.Apart, error) {
	if err := files.CheckWritable(dir, name); err != nil {
		return nil, err
	}
	c, err := s.capture(temporary, "")
	if err != nil {
		return nil, err
	}
	return &apart{capture: c, dir: dir.Share(), name: name, flags: flags}, nil
}

// Stream implements [world.Apart].
func (a *apart) Stream() int { return a.capture.Stream() }

// Complete ends the writing, and says why what was written cannot be held.
func (a *apart) Complete() error {
	if !a.stopped {
		a.stopped = true
		a.capture.drain.Stop()
	}
	if err := a.capture.spool.err; err != nil {
		return fmt.Errorf("cannot hold what is written to %s until the alternative has won: %w", a.name, err)
	}
	return nil
}

// Keep copies what the winner wrote to where it should go.
func (a *apart) Keep() error {
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
func (a *apart) Drop() {
	_ = a.Complete() // what failed has been told
	a.capture.spool.dropText()
	a.dir.Leave()
}
