package process

import (
	"container/heap"
	"encoding/binary"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/backoff"
)

// Clock is the shell's clock: it counts from the boot of the machine, the time
// that the machine was suspended included, and setting the wall clock changes
// nothing. What was due while the machine slept is done when it wakes.
//
// One kernel timer serves all of its timers; it and one goroutine are started
// by the first AfterFunc. A Clock is safe for concurrent use.
type Clock struct {
	mu     sync.Mutex
	due    timers
	armed  time.Duration // when the kernel timer goes off
	kernel *os.File      // nil: not started
	left   chan struct{} // closed when the goroutine has left
	closed bool
}

var _ backoff.Clock = (*Clock)(nil)

// NewClock returns a clock, which costs nothing yet.
func NewClock() *Clock { return &Clock{armed: backoff.Never} }

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
	heap.Push(&c.due, t)
	if at < c.armed {
		c.arm(at)
	}
	return t
}

// Close drops all timers and returns when the clock's goroutine has left.
// Functions that have been started are not waited for.
func (c *Clock) Close() {
	c.mu.Lock()
	c.closed = true
	for _, t := range c.due {
		t.place = gone
	}
	c.due = nil
	kernel, left := c.kernel, c.left
	c.kernel = nil
	c.mu.Unlock()
	if kernel != nil {
		kernel.Close()
		<-left
	}
}

// arm sets the kernel timer, after starting it if need be. Stopped timers leave
// it as it is: a wake-up for nothing is cheaper than a system call for each.
func (c *Clock) arm(at time.Duration) {
	if c.kernel == nil && !c.start() {
		// No descriptor is left. A limit is a promise all the same; only
		// suspended time is not counted by this timer.
		time.AfterFunc(at-c.Now(), func() { c.expire() })
		return
	}
	c.armed = at
	// Zero would disarm it; and any time that has passed makes it go off at once.
	spec := unix.ItimerSpec{Value: unix.NsecToTimespec(max(1, int64(at)))}
	unix.TimerfdSettime(int(c.fd()), unix.TFD_TIMER_ABSTIME, &spec, nil)
}

// fd is the kernel timer's descriptor. (os.File.Fd would make it blocking in
// older Go, so it is asked for in the way that leaves the file as it is.)
func (c *Clock) fd() (fd uintptr) {
	if raw, err := c.kernel.SyscallConn(); err == nil {
		raw.Control(func(n uintptr) { fd = n })
	}
	return fd
}

func (c *Clock) start() bool {
	fd, err := unix.TimerfdCreate(unix.CLOCK_BOOTTIME, unix.TFD_CLOEXEC|unix.TFD_NONBLOCK)
	if err != nil {
		return false
	}
	c.kernel = os.NewFile(uintptr(fd), "timer") // waits through the netpoller: no thread of its own
	c.left = make(chan struct{})
	go c.follow(c.kernel, c.left)
	return true
}

// follow waits for the kernel timer to go off, again and again, until it is closed.
func (c *Clock) follow(kernel *os.File, left chan struct{}) {
	defer close(left)
	var count [8]byte
	for {
		if _, err := kernel.Read(count[:]); err != nil {
			return
		}
		if binary.NativeEndian.Uint64(count[:]) > 0 {
			c.expire()
		}
	}
}

// expire runs what is due and sets the kernel timer for what is next.
func (c *Clock) expire() {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.Now()
	for len(c.due) > 0 && c.due[0].at <= now {
		go heap.Pop(&c.due).(*timer).run()
	}
	c.armed = backoff.Never
	if len(c.due) > 0 && !c.closed {
		c.arm(c.due[0].at)
	}
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
