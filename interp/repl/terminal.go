package repl

import (
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/chzyer/readline"
	"golang.org/x/sys/unix"
)

// A terminal is read and drawn on by the prompt. Programs find it in its usual modes, the prompt sets its own while it
// reads.
type terminal struct {
	in, out int
	usual   unix.Termios // what programs find
	wake    [2]int       // a pipe: writing to it ends a wait for input

	resized, interrupted, looked, gone atomic.Bool // why it was ended

	hungUp   chan struct{} // closed when the terminal was closed
	watch    [2]int        // a pipe: closing its second end ends the watching for that
	watching chan struct{} // closed when nobody watches any more
}

// openTerminal looks at the terminal that is in and out.
func openTerminal(in, out int) (*terminal, error) {
	usual, err := unix.IoctlGetTermios(in, unix.TCGETS)
	if err != nil {
		return nil, err
	}
	t := &terminal{in: in, out: out, usual: *usual, hungUp: make(chan struct{}), watching: make(chan struct{})}
	if err := unix.Pipe2(t.wake[:], unix.O_CLOEXEC|unix.O_NONBLOCK); err != nil {
		return nil, err
	}
	if err := unix.Pipe2(t.watch[:], unix.O_CLOEXEC); err != nil {
		return nil, err
	}
	go t.awaitHangUp()
	return t, nil
}

func (t *terminal) closePipes() {
	_ = unix.Close(t.watch[1])
	<-t.watching
	for _, fd := range []int{t.watch[0], t.wake[0], t.wake[1]} {
		_ = unix.Close(fd)
	}
}

// awaitHangUp closes hungUp when the terminal is closed. SIGHUP alone does not tell: the kernel sends it to the leader
// of the session and to the programs in the foreground, and the shell may be neither.
func (t *terminal) awaitHangUp() {
	defer close(t.watching)
	if found := awaitEvents(forever, pollFor(t.in, 0), pollFor(t.watch[0], unix.POLLIN)); found[0] && !found[1] {
		close(t.hungUp)
	}
}

// makeRaw sets the prompt's modes: no echo, no editing by the kernel, and Ctrl-C, Ctrl-Z and Ctrl-\ are keys. Output
// stays as usual: other processes may still write. What was typed before stays to be read. Enter gives a newline as
// in the usual modes, since what is typed ahead of a command may still come while the prompt has its modes, and would
// be no line to the command.
func (t *terminal) makeRaw() error {
	if _, err := readline.MakeRaw(t.in); err != nil {
		return err
	}
	raw := t.modesNow()
	raw.Iflag |= unix.ICRNL // or a program would find Enter as CR in what was typed ahead
	return t.setModes(&raw)
}

func (t *terminal) makeUsual() error { return t.setModes(&t.usual) }

// setModes sets modes when what was written is out, and without dropping input, as TCSETSF would.
func (t *terminal) setModes(modes *unix.Termios) error {
	for {
		if err := unix.IoctlSetTermios(t.in, unix.TCSETSW, modes); err != unix.EINTR {
			return err
		}
	}
}

// modesNow are the modes that are set; the usual ones, if the terminal is gone.
func (t *terminal) modesNow() unix.Termios {
	if now, err := unix.IoctlGetTermios(t.in, unix.TCGETS); err == nil {
		return *now
	}
	return t.usual
}

// cellSize is the terminal's, in cells. One that does not tell is 80 by 24.
func (t *terminal) cellSize() (columns, rows int) {
	size, err := unix.IoctlGetWinsize(t.out, unix.TIOCGWINSZ)
	if err != nil || size.Col == 0 {
		return 80, 24
	}
	return int(size.Col), max(1, int(size.Row))
}

// writeText writes a text. Where that fails there is nobody to tell.
func (t *terminal) writeText(text string) { _ = writeAll(t.out, text) }

// writeAll writes all of a text to a descriptor, also where a signal comes in between.
func writeAll(fd int, text string) error {
	for len(text) > 0 {
		n, err := unix.Write(fd, []byte(text))
		switch {
		case err == unix.EINTR:
		case err == unix.EAGAIN:
			awaitEvents(forever, pollFor(fd, unix.POLLOUT))
		case err != nil:
			return fmt.Errorf("cannot write: %w", err)
		}
		text = text[max(n, 0):]
	}
	return nil
}

const forever time.Duration = -1

func pollFor(fd int, events int16) unix.PollFd { return unix.PollFd{Fd: int32(fd), Events: events} }

// awaitEvents waits for events of descriptors, at most so long, and reports which have any.
func awaitEvents(patience time.Duration, set ...unix.PollFd) []bool {
	limit := -1
	if patience >= 0 {
		limit = int(patience.Milliseconds())
	}
	for {
		if _, err := unix.Poll(set, limit); err != unix.EINTR {
			break
		}
	}
	found := make([]bool, len(set))
	for i := range set {
		found[i] = set[i].Revents != 0
	}
	return found
}

var (
	// errWoken says that a wait for input was ended by wakeUp.
	errWoken = errors.New("woken")
	// errGone says that nothing can be read any more: the terminal was closed, or a signal ends the prompt.
	errGone = errors.New("the terminal is gone")
)

// readByte reads one byte and no more: what follows an Enter is for the program that it starts. It returns io.EOF for
// the key Ctrl-D, if the kernel does the editing, errGone, errWoken if something else has happened, and false if
// nothing came within the patience.
func (t *terminal) readByte(patience time.Duration) (b byte, ok bool, err error) {
	var buf [1]byte
	for {
		found := awaitEvents(patience, pollFor(t.in, unix.POLLIN), pollFor(t.wake[0], unix.POLLIN))
		switch {
		case t.gone.Load():
			return 0, false, errGone
		case found[1]:
			_, _ = unix.Read(t.wake[0], buf[:])
			return 0, false, errWoken
		case !found[0]:
			return 0, false, nil
		}
		n, err := unix.Read(t.in, buf[:])
		switch {
		case n == 1:
			return buf[0], true, nil
		case err == unix.EINTR || err == unix.EAGAIN:
		case err == nil && !awaitEvents(0, pollFor(t.in, 0))[0]: // which would tell of a hang-up
			return 0, false, io.EOF
		default:
			return 0, false, errGone
		}
	}
}

// hasInput reports whether there is input, or comes within a time.
func (t *terminal) hasInput(patience time.Duration) bool {
	return awaitEvents(patience, pollFor(t.in, unix.POLLIN), pollFor(t.wake[0], unix.POLLIN))[0]
}

// wakeUp ends a wait for input, after what has happened was noted.
func (t *terminal) wakeUp(what *atomic.Bool) {
	what.Store(true)
	_, _ = unix.Write(t.wake[1], []byte{0})
}

// takeEvent returns what has happened besides keys, once.
func (t *terminal) takeEvent() (key, bool) {
	switch {
	case t.interrupted.Swap(false):
		return key{name: "ctrl-c"}, true
	case t.resized.Swap(false):
		return key{name: "resized"}, true
	case t.looked.Swap(false):
		return key{name: "looked"}, true
	}
	return key{}, false
}
