package backoff

import (
	"slices"
	"testing"
	"time"
)

const s = time.Second

// unlimited is a plan without limits that waits 10, 20, 40 … seconds, at most
// 100.
func unlimited() Plan {
	return Plan{Deadline: Never, Attempts: Unlimited,
		Backoff: Backoff{Policy: Exact, Initial: 10 * s, Max: 100 * s}}
}

// until is the same with a time limit.
func until(deadline time.Duration) Plan {
	p := unlimited()
	p.Deadline, p.Limit = deadline, deadline
	return p
}

// every is the same, paced.
func every(t, deadline time.Duration) Plan {
	p := until(deadline)
	p.Every, p.HasEvery = t, true
	return p
}

// times is the same with an attempt limit.
func times(n int, p Plan) Plan {
	p.Attempts = n
	return p
}

// scenario is a try step by step: its attempts, and what is to follow each. The
// dice always show u.
type scenario struct {
	name     string
	plan     Plan
	u        float64
	failures []failure
}

type failure struct {
	began, ended, floor time.Duration
	deferred            bool
	at                  time.Duration
	stop                Reason
}

func within(last Last, p Plan) Plan {
	p.Last = last
	return p
}

func play(t *testing.T, scenarios []scenario) {
	for _, c := range scenarios {
		t.Run(c.name, func(t *testing.T) {
			loop := NewLoop(c.plan, loaded{uniform: c.u})
			for i, f := range c.failures {
				if stop := loop.Begin(f.began); stop != "" {
					t.Fatalf("attempt %d may not begin: %q", i+1, stop)
				}
				after := loop.Failed
				if f.deferred {
					after = loop.deferred
				}
				if at, stop := after(f.ended, f.floor); at != f.at || stop != f.stop {
					t.Fatalf("after attempt %d: %v, %q; want %v, %q", i+1, at, stop, f.at, f.stop)
				}
			}
		})
	}
}

func TestLoopWaits(t *testing.T) {
	play(t, []scenario{
		{"waits grow from the end of the attempt", unlimited(), 0, []failure{
			{began: 0, ended: 3 * s, at: 13 * s},
			{began: 13 * s, ended: 14 * s, at: 34 * s},
			{began: 34 * s, ended: 34 * s, at: 74 * s}}},
		{"the attempt limit", times(2, unlimited()), 0, []failure{
			{began: 0, ended: 1 * s, at: 11 * s},
			{began: 11 * s, ended: 12 * s, stop: Attempts}}},
		{"one attempt", times(1, unlimited()), 0, []failure{
			{began: 0, ended: 1 * s, stop: Attempts}}},
		{"a wait for ever", Plan{Deadline: Never, Attempts: Unlimited,
			Backoff: Backoff{Policy: Fixed, Initial: Never}}, 0, []failure{
			{began: 0, ended: 1 * s, at: Never}}},
	})
}

func TestLoopLimits(t *testing.T) {
	play(t, []scenario{
		{"both limits", times(1, until(5*s)), 0, []failure{
			{began: 0, ended: 5 * s, stop: Attempts}}},
		{"the time limit, in an attempt", until(5 * s), 0, []failure{
			{began: 0, ended: 5 * s, stop: Deadline}}},
		{"the time limit, overslept", until(5 * s), 0, []failure{
			{began: 0, ended: 500 * s, stop: Deadline}}},
		{"a wait just before the deadline is not shortened", until(12 * s), 0.5, []failure{
			{began: 0, ended: 2*s - 1, at: 12*s - 1},
			{began: 12*s - 1, ended: 12*s - 1, at: 12*s - 1},
			{began: 12*s - 1, ended: 12*s - 1, stop: Deadline}}},
		{"the last attempt in another range", within(Last{To: 0.5}, until(12*s)), 0.5, []failure{
			{began: 0, ended: 2 * s, at: 4500 * time.Millisecond},
			{began: 4500 * time.Millisecond, ended: 9 * s, stop: Deadline}}},
		{"a wait to the deadline is", until(12 * s), 0.5, []failure{
			{began: 0, ended: 2 * s, at: 8 * s},
			{began: 8 * s, ended: 9 * s, stop: Deadline}}},
		{"the earliest last attempt", until(9 * s), 0, []failure{
			{began: 0, ended: 1 * s, at: 5 * s},
			{began: 5 * s, ended: 5 * s, stop: Deadline}}},
		{"the latest last attempt, after attempts that took no time", until(9 * s), almost, []failure{
			{began: 1 * s, ended: 1 * s, at: 8*s + s/10}}},
		{"the last attempt has room for two as long as the longest", until(9 * s), almost, []failure{
			{began: 0, ended: 1 * s, at: 7 * s}}},
		{"the last attempt starts at once where there is no room for two", until(9 * s), almost, []failure{
			{began: 0, ended: 5 * s, at: 5 * s}}},
		{"the longest attempt is remembered", until(100 * s), almost, []failure{
			{began: 0, ended: 20 * s, at: 30 * s},
			{began: 30 * s, ended: 31 * s, at: 51 * s},
			{began: 51 * s, ended: 51 * s, at: 91 * s},
			{began: 91 * s, ended: 91 * s, at: 91 * s}}},
		{"the last attempt, and the last allowed", times(2, until(9*s)), 0, []failure{
			{began: 0, ended: 1 * s, at: 5 * s},
			{began: 5 * s, ended: 5 * s, stop: Attempts}}},
	})
}

func TestLoopFloors(t *testing.T) {
	play(t, []scenario{
		{"a floor within the wait changes nothing", unlimited(), 0, []failure{
			{began: 0, ended: 1 * s, floor: 8 * s, at: 11 * s}}},
		{"a floor raises the wait, and is forgotten", unlimited(), 0, []failure{
			{began: 0, ended: 1 * s, floor: 60 * s, at: 60 * s},
			{began: 60 * s, ended: 61 * s, at: 81 * s}}},
		{"a floor that has passed", unlimited(), 0, []failure{
			{began: 50 * s, ended: 51 * s, floor: 7 * s, at: 61 * s}}},
		{"without a time limit a floor is at most Max away", unlimited(), 0, []failure{
			{began: 0, ended: 1 * s, floor: 1000 * s, at: 101 * s}}},
		{"with one it is obeyed", until(2000 * s), 0, []failure{
			{began: 0, ended: 1 * s, floor: 1000 * s, at: 1000 * s}}},
		{"or the try fails", until(2000 * s), 0, []failure{
			{began: 0, ended: 1 * s, floor: 2000 * s, stop: Deadline}}},
		{"a floor does not make an attempt the last", until(100 * s), 0, []failure{
			{began: 0, ended: 1 * s, floor: 50 * s, at: 50 * s},
			{began: 50 * s, ended: 50 * s, at: 70 * s}}},
		{"a floor before the last attempt's random point", until(9 * s), 0.5, []failure{
			{began: 0, ended: 1 * s, floor: 2 * s, at: 6*s + 8*s/10}}},
		{"a floor after it moves the last attempt", until(9 * s), 0.5, []failure{
			{began: 0, ended: 1 * s, floor: 8 * s, at: 8 * s},
			{began: 8 * s, ended: 8 * s, stop: Deadline}}},
		{"a floor at the deadline forbids the last attempt", until(9 * s), 0.5, []failure{
			{began: 0, ended: 1 * s, floor: 9 * s, stop: Deadline}}},
	})
}

func TestLoopEvery(t *testing.T) {
	play(t, []scenario{
		{"every counts from the start", every(10*s, Never), 0.5, []failure{
			{began: 0, ended: 4 * s, at: 10 * s},
			{began: 11 * s, ended: 12 * s, at: 21 * s}}},
		{"every, after a long attempt", every(10*s, Never), 0.5, []failure{
			{began: 0, ended: 25 * s, at: 25 * s}}},
		{"every, and no time before the deadline", every(10*s, 10*s), 0.5, []failure{
			{began: 0, ended: 1 * s, stop: Deadline}}},
		{"every, and just time enough", every(10*s, 10*s+1), 0.5, []failure{
			{began: 0, ended: 1 * s, at: 10 * s}}},
		{"every, and a floor", every(10*s, 100*s), 0.5, []failure{
			{began: 0, ended: 1 * s, floor: 15 * s, at: 15 * s},
			{began: 15 * s, ended: 16 * s, floor: 20 * s, at: 25 * s},
			{began: 25 * s, ended: 26 * s, floor: 100 * s, stop: Deadline}}},
		{"every, and a floor without a time limit", every(10*s, Never), 0.5, []failure{
			{began: 0, ended: 1 * s, floor: 1000 * s, at: 101 * s}}},
		{"every 0", every(0, 100*s), 0.5, []failure{
			{began: 0, ended: 1 * s, at: 1 * s}}},
		{"every, below zero", every(-5*s, 100*s), 0.5, []failure{
			{began: 0, ended: 1 * s, at: 1 * s}}},
	})
}

func TestLoopDeferred(t *testing.T) {
	play(t, []scenario{
		{"deferral uses up no attempt, and the backoff grows", times(1, unlimited()), 0, []failure{
			{began: 0, ended: 0, deferred: true, at: 10 * s},
			{began: 10 * s, ended: 10 * s, deferred: true, at: 30 * s},
			{began: 30 * s, ended: 31 * s, stop: Attempts}}},
		{"deferral ends at the deadline", times(1, until(20*s)), 0.5, []failure{
			{began: 0, ended: 0, deferred: true, at: 10 * s},
			{began: 10 * s, ended: 10 * s, deferred: true, at: 17*s + s/4},
			{began: 17*s + s/4, ended: 18 * s, deferred: true, stop: Deadline}}},
		{"what is deferred is no long attempt", until(200 * s), 0, []failure{
			{began: 0, ended: 60 * s, deferred: true, at: 70 * s},
			{began: 70 * s, ended: 70 * s, at: 90 * s},
			{began: 90 * s, ended: 90 * s, at: 130 * s},
			{began: 130 * s, ended: 130 * s, at: 165 * s}}},
		{"deferral is paced by every", every(10*s, 100*s), 0.5, []failure{
			{began: 0, ended: 1 * s, deferred: true, at: 10 * s}}},
	})
}

func TestBegin(t *testing.T) {
	for _, c := range []struct {
		name string
		plan Plan
		now  time.Duration
		want Reason
	}{
		{"no limit", unlimited(), 5 * s, ""},
		{"any negative attempt limit is none", times(-7, unlimited()), 5 * s, ""},
		{"0 times", times(0, unlimited()), 0, Attempts},
		{"the zero Plan", Plan{}, 0, Attempts},
		{"0 times, and too late", times(0, until(s)), s, Attempts},
		{"just before the deadline", until(s), s - 1, ""},
		{"at the deadline", until(s), s, Deadline},
		{"after it", until(s), 2 * s, Deadline},
		{"for 0 seconds", until(0), 0, Deadline},
	} {
		t.Run(c.name, func(t *testing.T) {
			loop := NewLoop(c.plan, seeded(1))
			if stop := loop.Begin(c.now); stop != c.want {
				t.Errorf("Begin says %q, want %q", stop, c.want)
			}
		})
	}
}

// TestOversleptWait: a machine that was suspended through the deadline.
func TestOversleptWait(t *testing.T) {
	loop := NewLoop(until(60*s), seeded(1))
	loop.Begin(0)
	if at, stop := loop.Failed(s, 0); at != 11*s || stop != "" {
		t.Fatalf("Failed says %v, %q", at, stop)
	}
	if stop := loop.Begin(3600 * s); stop != Deadline {
		t.Errorf("Begin after the deadline says %q", stop)
	}
}

// TestCapUnderALimit: where nobody sets the cap, it is a quarter of the time limit,
// at least 2T, at most an hour.
func TestCapUnderALimit(t *testing.T) {
	for _, c := range []struct {
		name       string
		limit, cap time.Duration // as the plan has them
		want       time.Duration
	}{
		{"a quarter", 8 * time.Minute, 0, 2 * time.Minute},
		{"at least 2T", 50 * s, 0, 20 * s},
		{"at most an hour", 24 * time.Hour, 0, time.Hour},
		{"one that was set", 8 * time.Minute, 30 * time.Minute, 30 * time.Minute},
		{"no limit", 0, 0, time.Hour},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := unlimited()
			p.Limit, p.Backoff.Max, p.Backoff.Factor = c.limit, c.cap, 1000
			loop := NewLoop(p, loaded{})
			now := time.Duration(0)
			for range 3 { // 10 s, then the cap
				loop.Begin(now)
				at, _ := loop.Failed(now, 0)
				if now > 10*s && at-now != c.want {
					t.Errorf("waits %v, want %v", at-now, c.want)
				}
				now = at
			}
		})
	}
}

// TestLastAttemptIsSpread: over many tries the last attempt is uniform between 50
// and 95 % of what is left, where attempts are short.
func TestLastAttemptIsSpread(t *testing.T) {
	starts := make([]float64, 5000)
	dice := seeded(7)
	for i := range starts {
		plan := until(9 * s)
		plan.Limit = s // so that 5 % of it move nothing
		loop := NewLoop(plan, dice)
		loop.Begin(s)
		at, _ := loop.Failed(s, 0)
		starts[i] = at.Seconds()
	}
	uniform(t, starts, 5, 8.6)
}

// TestFloorIsNotRemembered: a floor moves one attempt, and the waits after it
// are those of a try without it.
func TestFloorIsNotRemembered(t *testing.T) {
	for _, p := range policies9() {
		waits := func(floor time.Duration) (waits []time.Duration) {
			plan := unlimited()
			plan.Backoff.Policy = p
			loop, now := NewLoop(plan, loaded{0.5, 0.5}), time.Duration(0)
			for range 4 {
				loop.Begin(now)
				at, _ := loop.Failed(now, floor)
				waits, now, floor = append(waits, at-now), at, 0
			}
			return waits
		}
		without, with := waits(0), waits(90*s)
		if with[0] != 90*s {
			t.Errorf("%v: a floor of 90 s gave a wait of %v", p, with[0])
		}
		if !slices.Equal(without[1:], with[1:]) {
			t.Errorf("%v: waits after a floor are %v, without it %v", p, with[1:], without[1:])
		}
	}
}
