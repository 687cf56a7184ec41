package herd

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"
)

// recorder writes down what happens.
type recorder struct {
	sim  *Sim
	seen []Event
	at   []time.Duration
	do   func(Event)
}

func (r *recorder) Happen(e Event) {
	r.seen, r.at = append(r.seen, e), append(r.at, r.sim.Now())
	if r.do != nil {
		r.do(e)
	}
}

func TestSimOrder(t *testing.T) {
	s := New(1)
	r := &recorder{sim: s}
	for i, at := range []time.Duration{5, 3, 5, 0, Horizon, 3} {
		s.At(at, Event{Who: uint32(i)})
	}
	s.At(s.Now()-7, Event{Who: 6})
	s.At(s.Now()+Horizon, Event{Who: 7})
	if err := s.Run(context.Background(), r, 4); err != nil || s.Now() != 4 {
		t.Fatalf("error %v at %v, want none at 4", err, s.Now())
	}
	if err := s.Run(context.Background(), r, time.Hour); err != nil || s.Now() != time.Hour {
		t.Fatalf("error %v at %v, want none at 1h", err, s.Now())
	}
	var order []uint32
	for _, e := range r.seen {
		order = append(order, e.Who)
	}
	if want := []uint32{3, 6, 1, 5, 0, 2}; !slices.Equal(order, want) {
		t.Errorf("order %v, want %v", order, want)
	}
	if want := []time.Duration{0, 0, 3, 3, 5, 5}; !slices.Equal(r.at, want) || s.Events() != 6 {
		t.Errorf("%d events at %v, want 6 at %v", s.Events(), r.at, want)
	}
}

// TestSimPast holds that what is set for a time that has passed happens now.
func TestSimPast(t *testing.T) {
	s := New(1)
	r := &recorder{sim: s}
	r.do = func(e Event) {
		if e.Who == 0 {
			s.At(1, Event{Who: 1})
		}
	}
	s.At(10, Event{})
	s.At(10, Event{Who: 2})
	_ = s.Run(context.Background(), r, 20)
	if want := []Event{{}, {Who: 2}, {Who: 1}}; !slices.Equal(r.seen, want) || r.at[2] != 10 {
		t.Errorf("%v at %v, want %v at 10", r.seen, r.at, want)
	}
}

func TestSimCancel(t *testing.T) {
	s := New(1)
	ctx, cancel := context.WithCancelCause(context.Background())
	stop := errors.New("enough")
	r := &recorder{sim: s}
	r.do = func(Event) {
		if s.At(s.Now()+1, Event{}); len(r.seen) == 1000 {
			cancel(stop)
		}
	}
	s.At(0, Event{})
	if err := s.Run(ctx, r, time.Hour); !errors.Is(err, stop) || s.Now() == time.Hour {
		t.Errorf("error %v at %v, want %v before the end", err, s.Now(), stop)
	}
	if len(r.seen) > 1000+interval {
		t.Errorf("%d events after it was cancelled, want %d at most", len(r.seen)-1000, interval)
	}
}

// TestSimClock holds that a Sim is a clock like others.
func TestSimClock(t *testing.T) {
	s := New(1)
	var done []string
	s.AfterFunc(3, func() { done = append(done, "three") })
	two := s.AfterFunc(2, func() { done = append(done, "two") })
	s.AfterFunc(1, func() {
		done = append(done, "one")
		if !two.Stop() || two.Stop() {
			t.Error("Stop does not tell whether it has prevented something")
		}
		s.AfterFunc(2, func() { done = append(done, "again") })
	})
	_ = s.Run(context.Background(), &recorder{sim: s}, 10)
	if want := []string{"one", "again", "three"}; !slices.Equal(done, want) {
		t.Errorf("%v, want %v", done, want)
	}
	if two.Stop() {
		t.Error("what has been stopped can be stopped again")
	}
}

// TestSimDice holds that the seed decides.
func TestSimDice(t *testing.T) {
	if a, b := New(1).Dice().Uint64(), New(1).Dice().Uint64(); a != b {
		t.Errorf("seed 1 gives %d and %d", a, b)
	}
	if a, b := New(1).Dice().Uint64(), New(2).Dice().Uint64(); a == b {
		t.Errorf("seeds 1 and 2 both give %d", a)
	}
}

func TestEach(t *testing.T) {
	var told []int
	runs := Runs{Seeds: 3, First: 10, Progress: func(done, all int) { told = append(told, done, all) }}
	got := Each(context.Background(), runs, 2,
		func(_ context.Context, point int, seed uint64) int { return 100*point + int(seed) })
	if want := [][]int{{10, 11, 12}, {110, 111, 112}}; !slices.EqualFunc(got, want, slices.Equal[[]int]) {
		t.Errorf("got %v, want %v", got, want)
	}
	if want := []int{1, 6, 2, 6, 3, 6, 4, 6, 5, 6, 6, 6}; !slices.Equal(told, want) {
		t.Errorf("progress %v, want %v", told, want)
	}
}

// TestEachCancelled holds that the first run of a point counts even if it was
// cut short, and later ones only if they are complete.
func TestEachCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if got := Each(ctx, Runs{Seeds: 2}, 2, func(context.Context, int, uint64) int { return 1 }); len(got) != 2 ||
		len(got[0])+len(got[1]) != 0 {
		t.Errorf("got %v, want two empty lists", got)
	}
	ctx, cancel = context.WithCancel(context.Background())
	got := Each(ctx, Runs{Seeds: 1000}, 1, func(_ context.Context, _ int, seed uint64) int {
		if seed == 5 {
			cancel()
		}
		return int(seed)
	})
	if n := len(got[0]); n == 0 || n == 1000 || slices.Contains(got[0], 5) {
		t.Errorf("%v, want some complete runs, without 5", got[0])
	}
}
