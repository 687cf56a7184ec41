package backoff

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// plan returns a random plan with sensible and absurd parts.
func plan(r *rand.Rand) Plan {
	p := Plan{Deadline: Never, Attempts: Unlimited, Backoff: wild(r)}
	if r.IntN(4) > 0 {
		p.Deadline = time.Duration(r.Int64N(int64(time.Hour)))
		p.Backoff = Backoff{Policy: Policy(r.IntN(9)), Initial: time.Duration(r.Int64N(int64(time.Minute))),
			Max: time.Duration(r.Int64N(int64(time.Hour))), Factor: 1 + 2*r.Float64(), Jitter: r.Float64()}
	}
	if r.IntN(2) == 0 {
		p.Attempts = r.IntN(20)
	}
	if r.IntN(4) == 0 {
		p.Every, p.HasEvery = time.Duration(r.Int64N(int64(10*time.Minute))), true
	}
	return p
}

// walk is a try of a random plan with random attempts.
type walk struct {
	t        *testing.T
	r        *rand.Rand
	plan     Plan
	loop     Loop
	now      time.Duration
	started  []time.Duration
	deferred int
}

func TestRandomPlans(t *testing.T) {
	r := seeded(11)
	for range 8000 {
		p := plan(r)
		w := walk{t: t, r: r, plan: p, loop: NewLoop(p, r)}
		for steps := 0; steps < 100 && w.step(); steps++ {
		}
		if t.Failed() {
			t.Fatalf("plan: %+v, starts: %v", p, w.started)
		}
	}
}

// TestResume holds that a loop that is put together anew for each step does what
// one in one piece does.
func TestResume(t *testing.T) {
	r := seeded(12)
	for range 500 {
		p := plan(r)
		seed := r.Uint64()
		whole, state := NewLoop(p, seeded(seed)), State{}
		dice := seeded(seed)
		for now := time.Duration(0); ; {
			pieces := resumeLoop(p, dice, state)
			stop := whole.Begin(now)
			if got := pieces.Begin(now); got != stop {
				t.Fatalf("%+v: begins with %q, want %q", p, got, stop)
			}
			pieces = resumeLoop(p, dice, pieces.State)
			at, end := whole.Failed(now+time.Second, 0)
			if got, why := pieces.Failed(now+time.Second, 0); got != at || why != end {
				t.Fatalf("%+v: goes on at %v or stops with %q, want %v and %q", p, got, why, at, end)
			}
			state = pieces.State
			if now = at; stop != "" || end != "" || now > Never/2 {
				break
			}
			if whole.attempts > 50 {
				break
			}
		}
	}
}

// step makes an attempt and checks what follows; false at the end.
func (w *walk) step() bool {
	if stop := w.loop.Begin(w.now); stop != "" {
		w.checkStop(stop)
		return false
	}
	w.checkStart()
	w.started = append(w.started, w.now)
	w.now += time.Duration(w.r.Int64N(int64(time.Minute)))
	floor := time.Duration(0)
	if w.r.IntN(5) == 0 {
		floor = time.Duration(w.r.Int64N(int64(2 * time.Hour)))
	}
	after := w.loop.Failed
	if w.r.IntN(8) == 0 {
		after = w.loop.deferred
		w.deferred++
	}
	at, stop := after(w.now, floor)
	if stop != "" {
		w.checkStop(stop)
		return false
	}
	w.checkWait(at, floor)
	w.now = at
	return w.now < Never/2
}

// checkStart reports whether the attempt might begin.
func (w *walk) checkStart() {
	n := len(w.started)
	if w.plan.Deadline != Never && w.now >= w.plan.Deadline {
		w.t.Errorf("attempt at %v, after the deadline", w.now)
	}
	if w.plan.Attempts >= 0 && n-w.deferred >= w.plan.Attempts {
		w.t.Errorf("attempt %d of %d", n-w.deferred+1, w.plan.Attempts)
	}
	if n > 0 && w.plan.HasEvery && w.now < w.started[n-1]+w.plan.Every {
		w.t.Errorf("attempts at %v and %v", w.started[n-1], w.now)
	}
}

// checkWait reports whether a policy may give that wait.
func (w *walk) checkWait(at, floor time.Duration) {
	limited := w.plan.Deadline != Never
	if at < w.now {
		w.t.Errorf("next attempt at %v, and it is %v", at, w.now)
	}
	if limited && at >= w.plan.Deadline {
		w.t.Errorf("next attempt at %v, after the deadline", at)
	}
	if !limited {
		floor = min(floor, addTime(w.now, w.plan.Backoff.withDefaults().Max))
	}
	if at < floor {
		w.t.Errorf("next attempt at %v, before the floor %v", at, floor)
	}
}

// checkStop reports whether there is that reason to stop.
func (w *walk) checkStop(stop Reason) {
	spent := w.plan.Attempts >= 0 && len(w.started)-w.deferred >= w.plan.Attempts
	if spent != (stop == Attempts) {
		w.t.Errorf("stop with %q after %d of %d attempts", stop, len(w.started)-w.deferred, w.plan.Attempts)
	}
	if stop == Deadline && w.plan.Deadline == Never {
		w.t.Error("a deadline without a time limit")
	}
}

// TestRandomRetries runs the whole loop on a virtual clock: no attempt starts at
// the deadline or later, no wait reaches it, and none outlasts the try.
func TestRandomRetries(t *testing.T) {
	r := seeded(13)
	for range 3000 {
		p, clock, attempts := plan(r), &Virtual{}, 0
		ctx, cancel := context.WithCancel(t.Context())
		hooks := Hooks{Sleeping: func(now, until time.Duration) {
			if until <= now || p.Deadline != Never && until >= p.Deadline {
				t.Errorf("%+v: wait from %v to %v", p, now, until)
			}
			if clock.Advance(until - now); until == Never {
				cancel() // nothing else ends a wait for ever
			}
		}}
		result := Retry(ctx, clock, p, r, hooks, func(context.Context, int) Outcome {
			attempts++
			if p.Deadline != Never && clock.Now() >= p.Deadline {
				t.Errorf("%+v: attempt at %v", p, clock.Now())
			}
			clock.Advance(time.Duration(r.Int64N(int64(time.Minute))))
			return random(r, attempts)
		})
		cancel()
		if t.Failed() || (result.Err == nil) != (result.Reason == "") || result.Attempts > attempts {
			t.Fatalf("%+v: after %d attempts %+v", p, attempts, result)
		}
	}
}

// TestOnce holds that a try whose attempts are made one by one, by a new Loop each, is the same as with Retry.
func TestOnce(t *testing.T) {
	plans := seeded(14)
	for seed := range uint64(500) {
		p, ctx := plan(plans), t.Context()
		if p.Deadline == Never {
			p.Backoff = Backoff{} // nothing would end a wait for ever
		}
		var told [2][]time.Duration
		one := func(way int, clock *Virtual, r *rand.Rand) func(context.Context, int) Outcome {
			return func(_ context.Context, n int) Outcome {
				told[way] = append(told[way], clock.Now(), time.Duration(n))
				clock.Advance(time.Duration(r.Int64N(int64(time.Second))))
				return random(r, len(told[way]))
			}
		}
		clock, r := &Virtual{}, seeded(seed)
		want := Retry(ctx, clock, p, r, moving(clock), one(0, clock, r))
		clock, r = &Virtual{}, seeded(seed)
		var state State
		var got Result
		for begun := false; !begun || !got.Over(); begun = true {
			var at time.Duration
			loop := resumeLoop(p, r, state)
			got, at = loop.Once(ctx, clock, got.Err, one(1, clock, r))
			state = loop.State
			clock.Advance(at - clock.Now())
		}
		if got != want || !slices.Equal(told[0], told[1]) {
			t.Fatalf("%+v: one by one %+v at %v, want %+v at %v", p, got, told[1], want, told[0])
		}
	}
}

// random is some outcome of the nth attempt; all end in time.
func random(r *rand.Rand, n int) Outcome {
	switch {
	case n > 100:
		return Outcome{Err: errBroken, Stop: Giveup}
	case r.IntN(50) == 0:
		return Outcome{}
	case r.IntN(5) == 0:
		return Outcome{Err: errBroken, Floor: time.Duration(r.Int64N(int64(2 * time.Hour)))}
	}
	return Outcome{Err: errBroken, Deferred: r.IntN(8) == 0}
}

// FuzzLoop plays random tries of every plan there may be.
func FuzzLoop(f *testing.F) {
	f.Add(int64(60e9), 5, int64(0), false, uint8(0), int64(1e9), int64(10e9), uint64(1))
	f.Add(int64(Never), Unlimited, int64(10e9), true, uint8(4), int64(-1), int64(Never), uint64(2))
	f.Fuzz(func(t *testing.T, deadline int64, attempts int, every int64, has bool, policy uint8, initial, limit int64,
		seed uint64) {
		r := seeded(seed)
		p := Plan{Deadline: time.Duration(deadline), Attempts: attempts, Every: time.Duration(every), HasEvery: has,
			Backoff: Backoff{Policy: Policy(policy), Initial: time.Duration(initial), Max: time.Duration(limit)}}
		if p.Deadline != Never {
			p.Limit = max(p.Deadline, 0)
		}
		w := walk{t: t, r: r, plan: p, loop: NewLoop(p, r)}
		for steps := 0; steps < 30 && w.step(); steps++ {
		}
	})
}
