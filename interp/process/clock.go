package process

import (
	"container/heap"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/backoff"
)

// Clock is the shell's clock: it counts from the boot of the machine, the time
// that the machine was suspended included, and setting the wall clock changes
// nothing. What was due while the machine slept is done when it wakes.
//
// One kernel timer serves all of its timers; it and one goroutine, blocked in
// reading it, are started by the first AfterFunc. (Go's own timers would need
// three descriptors, and the thread that waits for them. And without descriptors
// its runtime would end the shell.) A Clock is safe for concurrent use.
type Clock struct {
	mu     sync.Mutex
	due    timers
	armed  time.Duration // when the kernel timer goes off
	kernel int           // its descriptor; none: it could not be made
	left   chan struct{} // closed when the goroutine has left; nil: not started
	closed bool
}

var _ backoff.Clock = (*Clock)(nil)

// none is no descriptor.
const none = -1

// NewClock returns a clock, which costs nothing yet.
func NewClock() *Clock { return &Clock{armed: backoff.Never, kernel: none} }

// Now is the time since boot.
func (c *Clock) Now() time.Duration { return sinceBoot() }

func sinceBoot() time.Duration {
	var t unix.Timespec
	// It cannot fail: there is CLOCK_BOOTTIME since Linux 2.6.39.
	unix.ClockGettime(unix.CLOCK_BOOTTIME, &t)
	return time.Duration(t.Nano())
}

// ticks is time since boot in the unit in which the kernel tells when a process
// was started: hundredths of a second, on every architecture that Go knows.
type ticks uint64

func ticksNow() ticks { return ticks(sinceBoot() / (10 * time.Millisecond)) }

// AfterFunc runs f once, on a goroutine of its own, when the clock shows that
// time, or at once if it has passed. After Close nothing is run any more.
func (c *Clock) AfterFunc(at time.Duration, f func()) backoff.Timer {
	t := &timer{clock: c, at: at, run: f}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		t.place = gone
		return t
	}
	if c.left == nil {
		c.left = make(chan struct{})
		c.start()
		go c.follow()
	}
	heap.Push(&c.due, t)
	// Stopped timers leave the kernel's as it is: a wake-up for nothing is
	// cheaper than a system call for each.
	if at < c.armed {
		c.arm(at)
	}
	return t
}

// Close drops all timers and returns when the clock's goroutine has left.
// Functions that have been started are not waited for.
func (c *Clock) Close() {
	c.mu.Lock()
	for _, t := range c.due {
		t.place = gone
	}
	c.due = nil
	left := c.left
	if !c.closed && left != nil {
		c.arm(0)
	}
	c.closed = true
	c.mu.Unlock()
	if left != nil {
		<-left
	}
}

// arm sets the kernel timer.
func (c *Clock) arm(at time.Duration) {
	c.armed = at
	// Zero would disarm it; and any time that has passed makes it go off at once.
	spec := unix.ItimerSpec{Value: unix.NsecToTimespec(max(1, int64(at)))}
	if c.kernel != none {
		unix.TimerfdSettime(c.kernel, unix.TFD_TIMER_ABSTIME, &spec, nil)
	}
}

// start makes the kernel timer, if there is a descriptor for it.
func (c *Clock) start() {
	if fd, err := unix.TimerfdCreate(unix.CLOCK_BOOTTIME, unix.TFD_CLOEXEC); err == nil {
		c.kernel = fd
	}
}

// follow runs what is due, when the kernel timer goes off, until the clock is closed.
func (c *Clock) follow() {
	defer close(c.left)
	for {
		c.wait()
		if !c.expire() {
			return
		}
	}
}

// withoutTimer is how often the clock looks when it has no kernel timer: a limit
// is a promise, also where descriptors are scarce.
const withoutTimer = 5 * time.Millisecond

// wait waits for the kernel timer.
func (c *Clock) wait() {
	if c.kernel == none {
		nap(withoutTimer)
		return
	}
	var count [8]byte
	for {
		if _, err := unix.Read(c.kernel, count[:]); err != unix.EINTR {
			return
		}
	}
}

// expire runs what is due and sets the kernel timer for what is next; false if
// the clock is closed.
func (c *Clock) expire() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		if c.kernel != none {
			unix.Close(c.kernel)
		}
		return false
	}
	if c.kernel == none {
		c.start()
	}
	now := c.Now()
	for len(c.due) > 0 && c.due[0].at <= now {
		go heap.Pop(&c.due).(*timer).run()
	}
	c.armed = backoff.Never
	if len(c.due) > 0 {
		c.arm(c.due[0].at)
	}
	return true
}

// nap blocks the thread for a very short time.
func nap(d time.Duration) {
	t := unix.NsecToTimespec(int64(d))
	unix.Nanosleep(&t, nil)
}

// timer is something that the clock will do.
type timer struct {
	clock *Clock
	at    time.Duration
	run   func()
	place int // in the heap
}

// gone is the place of a timer that is no longer in the heap.
const gone = -1

// Stop implements backoff.Timer.
func (t *timer) Stop() bool {
	t.clock.mu.Lock()
	defer t.clock.mu.Unlock()
	if t.place == gone {
		return false
	}
	heap.Remove(&t.clock.due, t.place)
	return true
}

// timers is a heap, the earliest first.
type timers []*timer

func (h timers) Len() int           { return len(h) }
func (h timers) Less(i, j int) bool { return h[i].at < h[j].at }
func (h timers) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].place, h[j].place = i, j
}

func (h *timers) Push(x any) {
	t := x.(*timer)
	t.place = len(*h)
	*h = append(*h, t)
}

func (h *timers) Pop() any {
	last := len(*h) - 1
	t := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	t.place = gone
	return t
}
