package backoff

import (
	"time"

	"ftsh/backoff/timers"
)

// Virtual is a [Clock] that stands still until it is told to go on, for tests
// and simulations. The zero Virtual shows 0 and is ready to use; it must not
// be copied, and is safe for concurrent use. Functions handed to AfterFunc run
// one at a time in [Virtual.Step] or [Virtual.Advance], on the goroutine that
// called it, in the order of their times, and of their scheduling where the
// times are equal; they may use the clock themselves. One whose time has
// passed already runs in the next call.
type Virtual struct {
	queue timers.Queue // its lock guards the time, too
	now   time.Duration
}

// Now is the time shown.
func (v *Virtual) Now() time.Duration {
	v.queue.Lock()
	defer v.queue.Unlock()
	return v.now
}

// AfterFunc has f run when the clock is moved to that time or past it.
func (v *Virtual) AfterFunc(at time.Duration, f func()) Timer {
	v.queue.Lock()
	defer v.queue.Unlock()
	return v.queue.Add(max(at, v.now), f)
}

// Step moves the clock to the next event and runs that; it returns false if
// there is none.
func (v *Virtual) Step() bool { return v.step(Never) }

// Advance moves the clock on by d, running all events that fall due on the way.
func (v *Virtual) Advance(d time.Duration) {
	until := min(addTime(v.Now(), d), Never-1)
	for v.step(until) {
	}
	v.queue.Lock()
	defer v.queue.Unlock()
	v.now = max(v.now, until)
}

// step runs the next event that is not after until, and none set for [Never].
func (v *Virtual) step(until time.Duration) bool {
	v.queue.Lock()
	next, _ := v.queue.Take(min(until, Never-1))
	if next != nil {
		v.now = max(v.now, next.At)
	}
	v.queue.Unlock()
	if next == nil {
		return false
	}
	next.Run()
	return true
}
