package backoff

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

var errLimit = errors.New("limit")

func TestSleep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := newBubble()
		for _, c := range []struct {
			name  string
			until time.Duration
			now   time.Duration // afterwards
		}{
			{"a while", 5 * s, 5 * s},
			{"until now", 5 * s, 5 * s},
			{"until then", 1 * s, 5 * s},
			{"a long while", 300 * time.Hour, 300 * time.Hour},
		} {
			if err := Sleep(t.Context(), clock, c.until); err != nil || clock.Now() != c.now {
				t.Errorf("%s: it is %v, error %v", c.name, clock.Now(), err)
			}
		}
	})
}

func TestSleepCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := newBubble()
		ctx, cancel := WithDeadline(t.Context(), clock, 3*s, errLimit)
		defer cancel()
		if err := Sleep(ctx, clock, 9*s); err != errLimit || clock.Now() != 3*s {
			t.Errorf("slept until %v, error %v", clock.Now(), err)
		}
		if err := Sleep(ctx, clock, 1*s); err != errLimit {
			t.Errorf("no sleep in a cancelled context: error %v", err)
		}
	})
}

func TestSleepLeavesNoTimer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := &Virtual{}
		ctx, cancel := context.WithCancel(t.Context())
		go Sleep(ctx, clock, s)
		synctest.Wait()
		cancel()
		synctest.Wait()
		if clock.Step() {
			t.Error("a timer is left")
		}
	})
}

// TestSleepToTheDeadline: where both come at once, the limit wins, always.
func TestSleepToTheDeadline(t *testing.T) {
	for range 50 {
		synctest.Test(t, func(t *testing.T) {
			clock := &Virtual{}
			ctx, cancel := WithDeadline(t.Context(), clock, s, errLimit)
			defer cancel()
			var err error
			go func() { err = Sleep(ctx, clock, s) }()
			synctest.Wait()
			clock.Advance(s)
			synctest.Wait()
			if err != errLimit {
				t.Errorf("error is %v", err)
			}
		})
	}
}

func TestWithDeadline(t *testing.T) {
	outer := errors.New("outer")
	for _, c := range []struct {
		name    string
		at      time.Duration
		outerAt time.Duration
		now     time.Duration
		want    error
	}{
		{"before it", 5 * s, Never, 5*s - 1, nil},
		{"at it", 5 * s, Never, 5 * s, errLimit},
		{"never", Never, Never, 1000 * time.Hour, nil},
		{"the outer limit is nearer", 5 * s, 4 * s, 9 * s, outer},
		{"the inner limit is nearer", 5 * s, 6 * s, 9 * s, errLimit},
		{"never, in an outer limit", Never, 4 * s, 9 * s, outer},
	} {
		t.Run(c.name, func(t *testing.T) {
			clock := &Virtual{}
			ctx, cancelOuter := WithDeadline(t.Context(), clock, c.outerAt, outer)
			ctx, cancel := WithDeadline(ctx, clock, c.at, errLimit)
			clock.Advance(c.now)
			if got := context.Cause(ctx); got != c.want {
				t.Errorf("cause is %v, want %v", got, c.want)
			}
			cancel()
			cancelOuter()
			if ctx.Err() == nil || clock.Step() {
				t.Errorf("after cancel: error %v, or a timer is left", ctx.Err())
			}
		})
	}
}

func TestWithDeadlinePassed(t *testing.T) {
	clock := &Virtual{}
	clock.Advance(s)
	ctx, cancel := WithDeadline(t.Context(), clock, s, errLimit)
	defer cancel()
	if got := context.Cause(ctx); got != errLimit {
		t.Errorf("cause is %v without a step of the clock", got)
	}
}

func TestVirtualOrder(t *testing.T) {
	clock, order := &Virtual{}, ""
	note := func(name string) func() { return func() { order += name } }
	clock.AfterFunc(3*s, note("d"))
	clock.AfterFunc(1*s, note("a"))
	clock.AfterFunc(2*s, func() {
		note("b")()
		clock.AfterFunc(clock.Now(), note("c")) // now: before what is later
		clock.AfterFunc(0, note("C"))           // long ago is now
	})
	clock.AfterFunc(3*s, note("e"))
	clock.AfterFunc(9*s, note("z"))
	if clock.Advance(3 * s); order != "abcCde" || clock.Now() != 3*s {
		t.Errorf("at %v events came in the order %s", clock.Now(), order)
	}
	if !clock.Step() || order != "abcCdez" || clock.Now() != 9*s {
		t.Errorf("a step led to %v and %s", clock.Now(), order)
	}
	if clock.Step() {
		t.Error("a step without an event")
	}
}

func TestVirtualKeepsTheOrderOfEqualTimes(t *testing.T) {
	clock, order := &Virtual{}, []int(nil)
	for i := range 100 {
		clock.AfterFunc(s, func() { order = append(order, i) })
	}
	clock.Advance(s)
	if len(order) != 100 || !slices.IsSorted(order) {
		t.Errorf("events of one time came in the order %v", order)
	}
}

func TestVirtualAdvance(t *testing.T) {
	clock, times := &Virtual{}, []time.Duration(nil)
	clock.AfterFunc(2*s, func() {
		times = append(times, clock.Now())
		clock.Advance(10 * s) // events may move the clock themselves
	})
	clock.AfterFunc(5*s, func() { times = append(times, clock.Now()) })
	clock.Advance(3 * s)
	if want := []time.Duration{2 * s, 5 * s}; !slices.Equal(times, want) || clock.Now() != 12*s {
		t.Errorf("at %v, events at %v", clock.Now(), times)
	}
	if clock.Advance(-s); clock.Now() != 12*s {
		t.Errorf("went back to %v", clock.Now())
	}
	clock.AfterFunc(Never, func() { t.Error("Never came") })
	if clock.Advance(Never); clock.Now() >= Never || clock.Step() {
		t.Errorf("went on to %v", clock.Now())
	}
}

func TestVirtualStop(t *testing.T) {
	clock, ran := &Virtual{}, 0
	var timers []Timer
	for i := range 50 {
		timers = append(timers, clock.AfterFunc(time.Duration(i*37%50), func() { ran++ }))
	}
	for i, timer := range timers {
		if i%2 == 0 && (!timer.Stop() || timer.Stop()) {
			t.Errorf("timer %d is stopped once, not %v", i, timer.Stop())
		}
	}
	for clock.Step() {
	}
	if ran != 25 {
		t.Errorf("%d of 50 timers ran, want 25", ran)
	}
	if timers[1].Stop() {
		t.Error("stopped after it ran")
	}
}

func TestVirtualIsSafe(t *testing.T) {
	clock := &Virtual{}
	var mu sync.Mutex
	var all sync.WaitGroup
	ran := 0
	for range 4 {
		all.Go(func() {
			for i := range 200 {
				timer := clock.AfterFunc(time.Duration(i), func() { mu.Lock(); ran++; mu.Unlock() })
				if i%4 == 0 && timer.Stop() {
					mu.Lock()
					ran++
					mu.Unlock()
				}
				clock.Step()
			}
		})
	}
	all.Wait()
	for clock.Step() {
	}
	if ran != 800 {
		t.Errorf("%d of 800 events ran or were stopped", ran)
	}
}

// TestWithGrace holds that the context outlasts the other by so long, and that leaving it twice, or late, waits for
// nobody.
func TestWithGrace(t *testing.T) {
	early, late := errors.New("early"), errors.New("late")
	for _, c := range []struct{ cause, want error }{{nil, early}, {late, late}} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			began := time.Now()
			clock := newBubble()
			outer, leave := WithGrace(ctx, clock, time.Minute, c.cause)
			other, leaveOther := WithGrace(ctx, clock, time.Hour, c.cause)
			cancel(early)
			<-outer.Done()
			if took := time.Since(began); took != time.Minute || context.Cause(outer) != c.want || other.Err() != nil {
				t.Errorf("after %v: %v, and the other %v", took, context.Cause(outer), other.Err())
			}
			for range 2 {
				leave()
				leaveOther()
			}
			if took := time.Since(began); took != time.Minute {
				t.Errorf("left after %v", took)
			}
		})
	}
}
