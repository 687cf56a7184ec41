package output

import (
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/interp/files"
)

// A Drain is a pipe that a goroutine of ours empties. It ends when the command ends and not when the pipe is closed,
// since a daemon may keep it open.
type Drain struct {
	Input int // what programs write to
	pipe  *os.File
	take  func(text []byte) // what was read, which it must not keep
	idle  chan struct{}     // closed when the goroutine has ended
}

// Drain makes the pipe, and begins to empty it.
func (s *Store) Drain(take func(text []byte)) (*Drain, error) {
	ends, err := s.Pipe()
	if err != nil {
		return nil, fmt.Errorf("cannot make a pipe: %w", err)
	}
	_ = unix.SetNonblock(ends[0], true)
	if err := s.poller.start(8); err != nil {
		closeAll(ends[:])
		return nil, fmt.Errorf("cannot make a pipe: %w", err)
	}
	d := &Drain{Input: ends[1], pipe: os.NewFile(uintptr(ends[0]), "|"), take: take}
	d.resume()
	return d, nil
}

// resume begins to empty the pipe.
func (d *Drain) resume() {
	_ = d.pipe.SetReadDeadline(time.Time{})
	d.idle = make(chan struct{})
	go d.readUntilClosed()
}

// readUntilClosed reads until the pipe is closed or pause stops it.
func (d *Drain) readUntilClosed() {
	defer close(d.idle)
	buffer := make([]byte, 4096)
	for {
		n, err := d.pipe.Read(buffer)
		if n > 0 {
			d.take(buffer[:n])
		}
		if err != nil {
			return
		}
		if n == len(buffer) && n < 64<<10 {
			buffer = make([]byte, 64<<10)
		}
	}
}

// Stop ends the goroutine; what is in the pipe by now is read, and the pipe closed.
func (d *Drain) Stop() {
	_ = unix.Close(d.Input)
	d.pause()
	_ = d.pipe.Close()
}

// pause stops emptying the pipe, once what is in it by now is read.
func (d *Drain) pause() {
	_ = d.pipe.SetReadDeadline(time.Unix(1, 0))
	<-d.idle
	if raw, err := d.pipe.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { d.readRest(int(fd)) })
	}
}

// readRest reads what the pipe holds now, and not what a daemon may add.
func (d *Drain) readRest(fd int) {
	left, err := unix.IoctlGetInt(fd, unix.TIOCINQ)
	for buffer := make([]byte, min(left, 64<<10)); err == nil && left > 0; {
		var n int
		n, err = files.RetryEINTR(func() (int, error) { return unix.Read(fd, buffer[:min(left, len(buffer))]) })
		if n <= 0 {
			return
		}
		d.take(buffer[:n])
		left -= n
	}
}
