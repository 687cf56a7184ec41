package backoff

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

var errBroken = errors.New("broken")

// bubble is the clock of a synctest bubble.
type bubble struct{ start time.Time }

func newBubble() bubble { return bubble{time.Now()} }

func (b bubble) Now() time.Duration { return time.Since(b.start) }

func (b bubble) AfterFunc(at time.Duration, f func()) Timer {
	return time.AfterFunc(at-b.Now(), f)
}

// failing attempts always fail.
func failing(context.Context, int) Outcome { return Outcome{Err: errBroken} }

// check compares a result with what it should be.
func check(t *testing.T, got, want Result) {
	t.Helper()
	if got.Attempts != want.Attempts || got.Reason != want.Reason || !errors.Is(got.Err, want.Err) ||
		(got.Err == nil) != (want.Err == nil) {
		t.Errorf("result is %+v, want %+v", got, want)
	}
}

// TestOutcomes: what one try makes of what its attempts report.
func TestOutcomes(t *testing.T) {
	broken := Outcome{Err: errBroken}
	errLater := errors.New("later")
	for _, c := range []struct {
		name     string
		plan     Plan
		outcomes []Outcome
		want     Result
		took     time.Duration
	}{
		{"success at once", unlimited(), []Outcome{{}}, Result{1, "", nil}, 0},
		{"success later", unlimited(), []Outcome{broken, broken, {}}, Result{3, "", nil}, 30 * s},
		{"success, whatever else is said", unlimited(), []Outcome{{Stop: Giveup, Floor: 9, Deferred: true}},
			Result{1, "", nil}, 0},
		{"a bare try", Plan{Deadline: Never, Attempts: 1}, []Outcome{broken}, Result{1, Attempts, errBroken}, 0},
		{"no attempt allowed", times(0, unlimited()), nil, Result{0, Attempts, errNoAttempt}, 0},
		{"too late for any", until(0), nil, Result{0, Deadline, errNoAttempt}, 0},
		{"the last error counts", times(2, unlimited()), []Outcome{broken, {Err: errLater}}, Result{2, Attempts, errLater},
			10 * s},
		{"giveup", unlimited(), []Outcome{broken, {Err: errLater, Stop: Giveup}}, Result{2, Giveup, errLater}, 10 * s},
		{"giveup in the last attempt", times(1, unlimited()), []Outcome{{Err: errLater, Stop: Giveup}},
			Result{1, Giveup, errLater}, 0},
		{"cut off in the last attempt", times(1, unlimited()), []Outcome{{Err: errLater, Stop: Deadline}},
			Result{1, Deadline, errLater}, 0},
		{"a floor", unlimited(), []Outcome{{Err: errBroken, Floor: 50 * s}, {}}, Result{2, "", nil}, 50 * s},
		{"a floor too far", until(50 * s), []Outcome{{Err: errBroken, Floor: 50 * s}}, Result{1, Deadline, errBroken}, 0},
		{"every", every(7*s, Never), []Outcome{broken, broken, {}}, Result{3, "", nil}, 14 * s},
		{"deferred", times(1, unlimited()),
			[]Outcome{{Err: errBroken, Deferred: true}, {Err: errBroken, Deferred: true}, {}}, Result{1, "", nil}, 30 * s},
		{"deferred and given up", unlimited(), []Outcome{{Err: errBroken, Deferred: true, Stop: Breaker}},
			Result{0, Breaker, errBroken}, 0},
		{"deferred until it is too late", every(30*s, 30*s), []Outcome{{Err: errBroken, Deferred: true}},
			Result{0, Deadline, errBroken}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			clock := &Virtual{}
			script := c.outcomes
			result := Retry(t.Context(), clock, c.plan, seeded(1), moving(clock), func(context.Context, int) Outcome {
				next := script[0]
				script = script[1:]
				return next
			})
			check(t, result, c.want)
			if len(script) > 0 || clock.Now() != c.took {
				t.Errorf("over after %v, with %d outcomes left; want %v", clock.Now(), len(script), c.took)
			}
		})
	}
}

// moving hooks move the clock instead of waiting.
func moving(clock *Virtual) Hooks {
	return Hooks{Sleeping: func(now, until time.Duration) { clock.Advance(until - now) }}
}

// TestBegan has attempts wait for their turn: every counts from when they really began.
func TestBegan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := newBubble()
		var began []time.Duration
		plan := Plan{Deadline: Never, Attempts: 3, Every: 10 * s, HasEvery: true}
		Retry(t.Context(), clock, plan, nil, Hooks{}, func(ctx context.Context, n int) Outcome {
			Sleep(ctx, clock, clock.Now()+7*s)
			began = append(began, clock.Now())
			return Outcome{Err: errBroken, Began: clock.Now()}
		})
		if want := []time.Duration{7 * s, 24 * s, 41 * s}; !slices.Equal(began, want) {
			t.Errorf("they began at %v, want %v", began, want)
		}
	})
}

func TestAttemptsAreNumbered(t *testing.T) {
	clock, numbers := &Virtual{}, []int(nil)
	Retry(t.Context(), clock, times(3, unlimited()), seeded(1), moving(clock), func(_ context.Context, n int) Outcome {
		numbers = append(numbers, n)
		return Outcome{Err: errBroken, Deferred: len(numbers) == 2}
	})
	if want := []int{1, 2, 2, 3}; !slices.Equal(numbers, want) {
		t.Errorf("attempts were numbered %v, want %v", numbers, want)
	}
}

func TestSleepingHook(t *testing.T) {
	clock, waits := &Virtual{}, []time.Duration(nil)
	hooks := Hooks{Sleeping: func(now, until time.Duration) {
		waits = append(waits, now, until)
		clock.Advance(until - now)
	}}
	Retry(t.Context(), clock, times(4, every(10*s, Never)), seeded(1), hooks, func(_ context.Context, n int) Outcome {
		clock.Advance(time.Duration(n) * 5 * s) // the second and third leave nothing to wait for
		return Outcome{Err: errBroken}
	})
	if want := []time.Duration{5 * s, 10 * s}; !slices.Equal(waits, want) {
		t.Errorf("waits %v, want %v", waits, want)
	}
}

// TestRealWaits runs the loop with timers, in a bubble's time.
func TestRealWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := newBubble()
		var starts []time.Duration
		result := Retry(t.Context(), clock, times(3, unlimited()), seeded(1), Hooks{}, func(context.Context, int) Outcome {
			starts = append(starts, clock.Now())
			return Outcome{Err: errBroken}
		})
		check(t, result, Result{3, Attempts, errBroken})
		if want := []time.Duration{0, 10 * s, 30 * s}; !slices.Equal(starts, want) {
			t.Errorf("attempts at %v, want %v", starts, want)
		}
	})
}

func TestCancelledInWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock, cause := newBubble(), errors.New("the other branch failed")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(12345*time.Millisecond, func() { cancel(cause) })
		check(t, Retry(ctx, clock, unlimited(), seeded(1), Hooks{}, failing), Result{2, Cancelled, cause})
		if now := clock.Now(); now != 12345*time.Millisecond {
			t.Errorf("noticed at %v", now)
		}
	})
}

func TestCancelledElsewhere(t *testing.T) {
	cause := errors.New("signal")
	for _, c := range []struct {
		name    string
		plan    Plan
		before  bool
		outcome Outcome
		want    Result
	}{
		{"before the first attempt", unlimited(), true, Outcome{}, Result{0, Cancelled, cause}},
		{"even if none was allowed", times(0, unlimited()), true, Outcome{}, Result{0, Cancelled, cause}},
		{"in an attempt", unlimited(), false, Outcome{Err: errBroken}, Result{1, Cancelled, errBroken}},
		{"in the last attempt", times(1, unlimited()), false, Outcome{Err: errBroken}, Result{1, Cancelled, errBroken}},
		{"in an attempt that gives up", unlimited(), false, Outcome{Err: errBroken, Stop: Giveup},
			Result{1, Giveup, errBroken}},
		{"in an attempt that succeeds", unlimited(), false, Outcome{}, Result{1, "", nil}},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			if c.before {
				cancel(cause)
			}
			result := Retry(ctx, &Virtual{}, c.plan, seeded(1), Hooks{}, func(context.Context, int) Outcome {
				cancel(cause)
				return c.outcome
			})
			check(t, result, c.want)
		})
	}
}

func TestHurry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock, hurry := newBubble(), make(chan struct{})
		var starts []time.Duration
		for _, at := range []time.Duration{4 * s, 17 * s} {
			time.AfterFunc(at, func() {
				select {
				case hurry <- struct{}{}:
				default: // nobody waits
				}
			})
		}
		Retry(t.Context(), clock, times(4, unlimited()), seeded(1), Hooks{Hurry: hurry}, func(context.Context, int) Outcome {
			starts = append(starts, clock.Now())
			return Outcome{Err: errBroken}
		})
		if want := []time.Duration{0, 4 * s, 17 * s, 57 * s}; !slices.Equal(starts, want) {
			t.Errorf("attempts at %v, want %v", starts, want)
		}
	})
}

// TestCutOff gives a try its time limit as the interpreter does.
func TestCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock, limit := newBubble(), errors.New("time limit")
		result := Retry(t.Context(), clock, until(15*s), seeded(1), Hooks{}, func(ctx context.Context, n int) Outcome {
			ctx, cancel := WithDeadline(ctx, clock, 15*s, limit)
			defer cancel()
			err := Sleep(ctx, clock, clock.Now()+60*s)
			return Outcome{Err: err, Stop: Deadline}
		})
		check(t, result, Result{1, Deadline, limit})
		if clock.Now() != 15*s {
			t.Errorf("cut off at %v", clock.Now())
		}
	})
}
