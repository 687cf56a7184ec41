package guardian

import (
	"math"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/backoff"
	"ftsh/interp/process/clock"
)

const (
	// The descriptors of a guardian. The third is there because Go's runtime would open another in its place.
	lineEnd   = 0
	tableFile = 1
	spareFile = 2

	// A guardian looks whether the shell is stopped that should have ended a command so long after its limit,
	grace    = 200 * time.Millisecond
	interval = 400 * time.Millisecond // and again, as long as it is there
)

// Watch is a guardian's life while its shell lives: it returns the commands that were under way when that has died.
// Overdue reports whether the shell is stopped and a command runs, and end begins to end it.
func Watch(overdue func(Command) bool, end func(Command)) (left []Command, err error) {
	t, err := openTable(tableFile)
	if err != nil {
		return nil, err
	}
	for alive := true; alive; {
		alive = await(t.endOverdue(overdue, end))
	}
	t.each(func(_ *row, c Command) { left = append(left, c) })
	return left, nil
}

// endOverdue ends what is past its limit if the shell is stopped, and returns when to look again. First of all it says
// that this will be late, so that the shell wakes it for what comes while it looks.
func (t *table) endOverdue(overdue func(Command) bool, end func(Command)) (next time.Duration) {
	wakes := &t.rows[0].until
	wakes.Store(int64(backoff.Never))
	now, next := clock.SinceBoot(), backoff.Never
	t.each(func(r *row, c Command) {
		switch at := c.Until + grace; {
		case c.Until == 0 || r.ended.Load() != 0:
		case at > now:
			next = min(next, at)
		case overdue(c):
			r.ended.Store(c.Number) // before it ends
			end(c)
		default:
			next = min(next, now+interval)
		}
	})
	wakes.Store(int64(next))
	return next
}

// await waits until then, or until the shell wakes it; false: that has died.
func await(until time.Duration) bool {
	wait := -1
	if until != backoff.Never {
		wait = int(min(max(0, until-clock.SinceBoot())/time.Millisecond+1, math.MaxInt32))
	}
	if n, _ := unix.Poll([]unix.PollFd{{Fd: lineEnd, Events: unix.POLLIN}}, wait); n <= 0 {
		return true
	}
	var wakes [64]byte
	n, _ := unix.Read(lineEnd, wakes[:])
	return n != 0
}
