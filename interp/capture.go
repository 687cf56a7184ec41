package interp

import (
	"fmt"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/ast"
	"ftsh/interp/expand"
	"ftsh/interp/files"
)

// inMemory limits the bytes of captured output that are held in memory, in all of
// it; more than that lies in an unlinked file.
const inMemory = 1 << 20

// capture is output on its way into a variable: a pipe that a goroutine of ours
// empties. It ends when the command ends and not when the pipe is closed, since
// a daemon may keep it open.
//
// Measured: an unlinked file instead of the pipe costs the same, but a program
// that opens /dev/stdout would truncate what was written before.
type capture struct {
	frame  *frame
	target *ast.Var
	input  int      // what programs write to
	pipe   *os.File // what we read
	spool  spool
	mu     sync.Mutex    // of who looks at what was captured before it ends
	idle   chan struct{} // closed when the goroutine has ended
}

// newCapture begins capturing, behind the text.
func newCapture(f *frame, target *ast.Var, text string) (*capture, error) {
	c := &capture{frame: f, target: target}
	if c.spool.files = &f.run.blobs; f.run.Streams == nil {
		c.spool.dir = f.temporaryDir()
	}
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
func (c *capture) connect() error {
	if streams := c.frame.run.Streams; streams != nil {
		c.input = streams.New("")
		return nil
	}
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC); err != nil {
		return fmt.Errorf("cannot make a pipe: %w", err)
	}
	_ = unix.SetNonblock(ends[0], true)
	if err := c.frame.run.poller.start(); err != nil {
		closeAll(ends[:])
		return fmt.Errorf("cannot make a pipe: %w", err)
	}
	c.input, c.pipe = ends[1], os.NewFile(uintptr(ends[0]), "|")
	c.resume()
	return nil
}

// resume begins to empty the pipe.
func (c *capture) resume() {
	_ = c.pipe.SetReadDeadline(time.Time{})
	c.idle = make(chan struct{})
	go c.readUntilClosed()
}

// A poller makes the runtime wait for pipes. When it is used first and no
// descriptor is left for it, the runtime ends the whole process; so that is seen to before.
type poller struct {
	mu      sync.Mutex
	started bool
}

// start fails if there are too few descriptors by now. It makes and drops more
// than the two that are needed: others may be opened at the same time.
func (p *poller) start() error { return p.startWith(8) }

// startWith does so with that many descriptors.
func (p *poller) startWith(few int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.started {
		return nil
	}
	spare := make([]int, few)
	for n := 0; n < len(spare); n += 2 {
		if err := unix.Pipe2(spare[n:n+2], unix.O_CLOEXEC|unix.O_NONBLOCK); err != nil {
			closeAll(spare[:n])
			return err
		}
	}
	closeAll(spare[1:])
	p.started = true
	return os.NewFile(uintptr(spare[0]), "poller").Close()
}

// readUntilClosed reads until the pipe is closed or finish stops it.
func (c *capture) readUntilClosed() {
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
func (c *capture) stop() {
	if streams := c.frame.run.Streams; streams != nil {
		_ = c.spool.write([]byte(streams.Read(c.input)))
		streams.Close(c.input)
		return
	}
	_ = unix.Close(c.input)
	c.pause()
	_ = c.pipe.Close()
}

// pause stops emptying the pipe, once what is in it by now is read.
func (c *capture) pause() {
	_ = c.pipe.SetReadDeadline(time.Unix(1, 0))
	<-c.idle
	if raw, err := c.pipe.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { c.readRest(int(fd)) })
	}
}

// readRest reads what the pipe holds now, and not what a daemon may add.
func (c *capture) readRest(fd int) {
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

// finish gives the variable its value.
func (c *capture) finish() error {
	c.stop()
	value, err := c.spool.value()
	if err != nil {
		return fmt.Errorf("cannot hold the output for %s: %w", c.target.Name, err)
	}
	c.frame.assign(c.target, value)
	return nil
}

// discard forgets what was captured.
func (c *capture) discard() {
	c.stop()
	c.spool.dropText()
}

// spool collects bytes, in memory as long as they are few.
type spool struct {
	dir    string
	files  *blobs
	memory []byte
	file   *blob // holds everything, if memory did not do
	err    error // what went wrong; from then on nothing is kept
}

func (s *spool) write(text []byte) error {
	if s.err != nil {
		return s.err
	}
	if s.file == nil && len(s.memory)+len(text) <= inMemory {
		s.memory = append(s.memory, text...)
		return nil
	}
	if s.file == nil {
		if s.file, s.err = s.files.create(s.dir); s.err != nil {
			return s.err
		}
		if s.err = s.file.write(s.memory); s.err != nil {
			return s.err
		}
		s.memory = nil
	}
	s.err = s.file.write(text)
	return s.err
}

// value returns all that was collected.
func (s *spool) value() (expand.Value, error) {
	switch {
	case s.err != nil:
		s.dropText()
		return expand.Value{}, s.err
	case s.file != nil:
		return expand.Large(s.file), nil
	}
	return expand.Captured(string(s.memory)), nil
}

func (s *spool) dropText() {
	if s.file != nil {
		s.file.closeOwned()
	}
}
