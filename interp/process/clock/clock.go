// Package clock is the shell's clock, which follows the kernel's time since boot.
package clock

import (
	"time"

	"golang.org/x/sys/unix"

	"ftsh/backoff"
	"ftsh/backoff/timers"
)

// Clock counts from the boot of the machine, the time that the machine was
// suspended included, and setting the wall clock changes nothing. What was due
// while the machine slept is done when it wakes.
//
// One kernel timer serves all of its timers; it and one goroutine, blocked in
// reading it, are started by the first AfterFunc. (Go's own timers would need
// three descriptors, and the thread that waits for them. And without descriptors
// its runtime would end the shell.) A Clock is safe for concurrent use.
type Clock struct {
	due    timers.Queue  // its lock guards what follows, too
	armed  time.Duration // when the kernel timer goes off
	kernel int           // the descriptor of the kernel timer, or none
	left   chan struct{} // closed when the goroutine has left; nil: not started
	closed bool
}

var _ backoff.Clock = (*Clock)(nil)

// none is no descriptor.
const none = -1

// New returns a clock, which costs nothing yet.
func New() *Clock { return &Clock{armed: backoff.Never, kernel: none} }

// Now is the time since boot.
func (*Clock) Now() time.Duration { return SinceBoot() }

// SinceBoot is the time since the machine was started.
func SinceBoot() time.Duration {
	var t unix.Timespec
	// It cannot fail: there is CLOCK_BOOTTIME since Linux 2.6.39.
	unix.ClockGettime(unix.CLOCK_BOOTTIME, &t)
	return time.Duration(t.Nano())
}

// Nap blocks the thread for a very short time.
func Nap(d time.Duration) {
	t := unix.NsecToTimespec(int64(d))
	unix.Nanosleep(&t, nil)
}

// AfterFunc runs f once, on a goroutine of its own, when the clock shows that
// time, or at once if it has passed. After Close nothing is run any more.
func (c *Clock) AfterFunc(at time.Duration, f func()) backoff.Timer {
	c.due.Lock()
	defer c.due.Unlock()
	t := c.due.Add(at, f)
	if c.closed {
		c.due.Clear()
		return t
	}
	if c.left == nil {
		c.left = make(chan struct{})
		c.armTimer(at)
		go c.followTimer()
	} else if at < c.armed {
		// Stopped timers leave the kernel's as it is: to wake for nothing is
		// cheaper than a system call for each.
		c.armTimer(at)
	}
	return t
}

// Close drops all timers and returns when the clock's goroutine has left.
// Functions that have been started are not waited for.
func (c *Clock) Close() {
	c.due.Lock()
	c.due.Clear()
	left := c.left
	if !c.closed && left != nil {
		c.armTimer(0)
	}
	c.closed = true
	c.due.Unlock()
	if left != nil {
		<-left
	}
}

// armTimer sets the kernel timer, and makes it first if need be and there is a
// descriptor for it.
func (c *Clock) armTimer(at time.Duration) {
	c.armed = at
	if c.kernel == none {
		fd, err := unix.TimerfdCreate(unix.CLOCK_BOOTTIME, unix.TFD_CLOEXEC)
		if err != nil {
			return
		}
		c.kernel = fd
	}
	// Zero would disarm it; and any time that has passed makes it go off at once.
	spec := unix.ItimerSpec{Value: unix.NsecToTimespec(max(1, int64(at)))}
	unix.TimerfdSettime(c.kernel, unix.TFD_TIMER_ABSTIME, &spec, nil)
}

// pollInterval is the time between looks of a clock that has no kernel timer: a limit
// is a promise, also where descriptors are scarce.
const pollInterval = 5 * time.Millisecond

// followTimer runs what is due, when the kernel timer goes off, until the clock is closed.
func (c *Clock) followTimer() {
	defer close(c.left)
	for {
		kernel, open := c.runDue()
		if !open {
			return
		}
		if kernel == none {
			Nap(pollInterval)
			continue
		}
		var count [8]byte
		unix.Read(kernel, count[:]) // if a signal interrupts it, it only looks once more
	}
}

// runDue starts what is due and sets the kernel timer, which it returns, for what
// is next. Once the clock is closed it gives the kernel timer back and returns false.
func (c *Clock) runDue() (kernel int, open bool) {
	c.due.Lock()
	defer c.due.Unlock()
	if c.closed {
		if c.kernel != none {
			unix.Close(c.kernel)
		}
		return none, false
	}
	now := c.Now()
	due, next := c.due.Take(now)
	for ; due != nil; due, next = c.due.Take(now) {
		go due.Run()
	}
	c.armed = backoff.Never
	if next != nil {
		c.armTimer(next.At)
	}
	return c.kernel, true
}
