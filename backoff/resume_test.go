package backoff

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"
)

// TestRetryResumed goes on from each note of a try, by way of JSON and on a clock that shows an hour more: the attempt
// that was under way is made again, and the rest as they were without it, at the same times.
func TestRetryResumed(t *testing.T) {
	plan := times(5, unlimited())
	plan.Backoff = Backoff{Policy: Exact, Initial: 3 * s}
	type made struct {
		n  int
		at time.Duration
	}
	type note struct {
		Progress
		at    time.Duration
		begun int // attempts before
	}
	run := func(clock *Virtual, resume *Progress) (attempts []made, notes []note, result Result) {
		hooks := moving(clock)
		hooks.Resume = resume
		hooks.Note = func(p Progress) { notes = append(notes, note{p, clock.Now(), len(attempts)}) }
		result = Retry(t.Context(), clock, plan, seeded(1), hooks, func(_ context.Context, n int) Outcome {
			attempts = append(attempts, made{n, clock.Now()})
			clock.Advance(s)
			return Outcome{Err: errBroken}
		})
		return attempts, notes, result
	}
	whole, notes, result := run(&Virtual{}, nil)
	if len(notes) != 9 || result.Attempts != 5 || result.Reason != Attempts {
		t.Fatalf("%d notes, %+v", len(notes), result)
	}
	for i, n := range notes {
		clock := &Virtual{}
		clock.Advance(n.at + time.Hour)
		n.State = written(t, n.State).Shift(time.Hour)
		if n.Wait > 0 {
			n.Wait += time.Hour
		}
		rest, _, resumed := run(clock, &n.Progress)
		for i := range rest {
			rest[i].at -= time.Hour
		}
		if want := whole[n.begun:]; !slices.Equal(rest, want) || resumed != result {
			t.Errorf("from note %d on: %v, wanted %v; %v", i, rest, want, resumed)
		}
	}
}

// written is a state by way of JSON.
func written(t *testing.T, state State) (back State) {
	text, err := json.Marshal(state)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &back); err != nil || back != state {
		t.Fatalf("%+v by way of %s is %+v, %v", state, text, back, err)
	}
	return back
}

// TestStateWritten has each field of a state come back.
func TestStateWritten(t *testing.T) {
	written(t, State{})
	state := State{waits{made: 1, previous: 2}, 3, 4, 5, true}
	if written(t, state); state.Attempts() != 3 || state.Shift(6).started != 10 || state.started != 4 {
		t.Errorf("%+v", state)
	}
	if err := json.Unmarshal([]byte("[]"), &state); err == nil {
		t.Error("a list is read as a state")
	}
}

// TestResumedAfterBoot has the clock begin anew under an attempt: `every` counts from when that began, before 0.
func TestResumedAfterBoot(t *testing.T) {
	clock, plan := &Virtual{}, times(2, unlimited())
	plan.Every, plan.HasEvery = 2*time.Hour, true
	loop := NewLoop(plan, seeded(1))
	loop.Begin(0)
	hooks := moving(clock)
	hooks.Resume = &Progress{State: loop.Shift(-time.Hour)}
	var ended []time.Duration
	Retry(t.Context(), clock, plan, seeded(1), hooks, func(context.Context, int) Outcome {
		ended = append(ended, clock.Now())
		return Outcome{Err: errBroken}
	})
	if want := []time.Duration{0, time.Hour}; !slices.Equal(ended, want) {
		t.Errorf("attempts ended at %v, want %v", ended, want)
	}
}

// TestResumedError has what a try that goes on says if no attempt follows: the error of before, or that there was none.
func TestResumedError(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	never := func(context.Context, int) Outcome { t.Error("an attempt"); return Outcome{} }
	before := errors.New("before")
	plan := times(1, unlimited())
	loop := NewLoop(plan, seeded(1))
	loop.Begin(0)
	for want, err := range map[error]error{before: before, errNoAttempt: nil} {
		clock := &Virtual{}
		hooks := moving(clock)
		hooks.Resume = &Progress{loop.State, 5 * s, err}
		result := Retry(t.Context(), clock, plan, seeded(1), hooks, never)
		if result.Err != want || result.Reason != Attempts || result.Attempts != 1 || clock.Now() != 5*s {
			t.Errorf("%v: %+v", err, result)
		}
	}
	result := Retry(ctx, &Virtual{}, plan, seeded(1), Hooks{Resume: &Progress{State{}, 5 * s, before}}, never)
	if result.Reason != Cancelled || result.Err != context.Canceled {
		t.Errorf("cancelled: %+v", result)
	}
}
