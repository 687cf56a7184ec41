package guardian

import (
	"encoding/binary"
	"math"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/backoff"
	"ftsh/interp/process/clock"
)

// The descriptors of a guardian. The third is there because Go's runtime would open another in its place.
const (
	lineEnd   = 0
	tableFile = 1
	spareFile = 2

	// FirstOther is the first of those that a guardian does not need: it has inherited them.
	FirstOther = 3
)

// The moments at which a guardian looks whether the shell that should have ended a command is stopped.
const (
	grace    = 200 * time.Millisecond // after the command's limit
	interval = 400 * time.Millisecond // and again, as long as it is there
)

// Shell is what a guardian has to know of its shell beside the table.
type Shell struct {
	Overdue func(Command) bool // reports whether the shell is stopped, and the command runs
	End     func(Command)      // begins to end it
}

// watch is a guardian's side.
type watch struct {
	shell Shell
	table *table
	held  map[uint32]int // by the number that the shell knows it by
}

// Watch is a guardian's life while its shell lives: it returns the commands that were under way when that has died.
// ready is called when it holds what it is to hold.
func Watch(shell Shell, ready func()) (left []Command, err error) {
	w := &watch{shell: shell, held: map[uint32]int{}}
	if w.table, err = openTable(tableFile); err != nil {
		return nil, err
	}
	alive := w.await(0)
	for ready(); alive; {
		alive = w.await(w.look())
	}
	w.table.each(func(_ *row, c Command) { left = append(left, c) })
	return left, nil
}

// look ends what is past its limit if the shell is stopped, and returns when to look again. First of all it says that
// this will be late, so that the shell wakes it for what comes while it looks.
func (w *watch) look() (next time.Duration) {
	wakes := &w.table.rows[0].until
	wakes.Store(int64(backoff.Never))
	now, next := clock.SinceBoot(), backoff.Never
	w.table.each(func(r *row, c Command) {
		switch at := c.Until + grace; {
		case c.Until == 0 || r.ended.Load() != 0:
		case at > now:
			next = min(next, at)
		case w.shell.Overdue(c):
			r.ended.Store(c.Number) // before it ends
			w.shell.End(c)
		default:
			next = min(next, now+interval)
		}
	})
	wakes.Store(int64(next))
	return next
}

// await waits until then, or for what the shell says; false: it has died.
func (w *watch) await(until time.Duration) bool {
	wait := -1
	if until != backoff.Never {
		wait = int(min(max(0, until-clock.SinceBoot())/time.Millisecond+1, math.MaxInt32))
	}
	if n, _ := unix.Poll([]unix.PollFd{{Fd: lineEnd, Events: unix.POLLIN}}, wait); n <= 0 {
		return true
	}
	for {
		var message [messageSize]byte
		var rights [64]byte
		n, rest, _, _, err := unix.Recvmsg(lineEnd, message[:], rights[:], unix.MSG_DONTWAIT|unix.MSG_CMSG_CLOEXEC)
		if err != nil {
			return true // there is no more
		}
		if n == 0 {
			return false
		}
		w.take(message[0], binary.NativeEndian.Uint32(message[1:]), rights[:rest])
	}
}

// take does what the shell says.
func (w *watch) take(kind byte, number uint32, rights []byte) {
	switch kind {
	case release:
		if fd, is := w.held[number]; is {
			unix.Close(fd)
			delete(w.held, number)
		}
	case hold:
		if list, err := unix.ParseSocketControlMessage(rights); err == nil && len(list) == 1 {
			if fds, err := unix.ParseUnixRights(&list[0]); err == nil {
				w.held[number] = fds[0]
			}
		}
	}
}
