package backoff

import (
	"container/heap"
	"sync"
	"time"
)

// Virtual is a [Clock] that stands still until it is told to go on, for tests
// and simulations. The zero Virtual shows 0 and is ready to use; it must not
// be copied, and is safe for concurrent use. Functions handed to AfterFunc run
// one at a time in [Virtual.Step] or [Virtual.Advance], on the goroutine that
// called it, in the order of their times, and of their scheduling where the
// times are equal; they may use the clock themselves. One whose time has
// passed already runs in the next call.
type Virtual struct {
	mu     sync.Mutex
	now    time.Duration
	events events
	count  uint64 // of all events scheduled
}

// Now is the time shown.
func (v *Virtual) Now() time.Duration {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.now
}

// AfterFunc has f run when the clock is moved to that time or past it.
func (v *Virtual) AfterFunc(at time.Duration, f func()) Timer {
	v.mu.Lock()
	defer v.mu.Unlock()
	e := &event{clock: v, at: max(at, v.now), number: v.count, run: f}
	v.count++
	heap.Push(&v.events, e)
	return e
}

// Step moves the clock to the next event and runs that; it returns false if
// there is none.
func (v *Virtual) Step() bool { return v.step(Never) }

// Advance moves the clock on by d, running all events that fall due on the way.
func (v *Virtual) Advance(d time.Duration) {
	until := min(later(v.Now(), d), Never-1)
	for v.step(until) {
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.now = max(v.now, until)
}

// step runs the next event that is not after until, and none set for [Never].
func (v *Virtual) step(until time.Duration) bool {
	next := v.take(min(until, Never-1))
	if next == nil {
		return false
	}
	next.run()
	return true
}

// take removes the next event that is not after until, and sets the clock.
func (v *Virtual) take(until time.Duration) *event {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.events) == 0 || v.events[0].at > until {
		return nil
	}
	next := heap.Pop(&v.events).(*event)
	v.now = max(v.now, next.at)
	return next
}

// event is a function that waits for its time; it is its own [Timer].
type event struct {
	clock  *Virtual
	at     time.Duration
	number uint64 // which of those at the same time comes first
	index  int    // in the heap; -1 once it has left it
	run    func()
}

// Stop takes the event out of its clock.
func (e *event) Stop() bool {
	e.clock.mu.Lock()
	defer e.clock.mu.Unlock()
	if e.index < 0 {
		return false
	}
	heap.Remove(&e.clock.events, e.index)
	return true
}

// events is a heap, the next event first.
type events []*event

func (h events) Len() int { return len(h) }

func (h events) Less(i, j int) bool {
	if h[i].at != h[j].at {
		return h[i].at < h[j].at
	}
	return h[i].number < h[j].number
}

func (h events) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

func (h *events) Push(x any) {
	e := x.(*event)
	e.index = len(*h)
	*h = append(*h, e)
}

func (h *events) Pop() any {
	last := len(*h) - 1
	e := (*h)[last]
	(*h)[last] = nil // so that what it refers to can be freed
	*h = (*h)[:last]
	e.index = -1
	return e
}
