package timers

import (
	"math/rand/v2"
	"testing"
	"time"
)

// Timers come in the order of their times, and of their being added where these are
// equal; stopped ones do not come.
func TestOrder(t *testing.T) {
	var q Queue
	dice := rand.New(rand.NewPCG(1, 2))
	var stopped []*Timer
	for n := range 500 {
		timer := q.Add(time.Duration(dice.IntN(50)), func() {})
		if n%5 == 0 {
			stopped = append(stopped, timer)
		}
	}
	for _, timer := range stopped {
		if !timer.Stop() || timer.Stop() {
			t.Fatal("a timer can be stopped once")
		}
	}
	last, taken := &Timer{At: -1}, 0
	for timer, _ := q.Take(49); timer != nil; timer, _ = q.Take(49) {
		if timer.At < last.At || timer.At == last.At && timer.number < last.number {
			t.Fatalf("%v, %d after %v, %d", timer.At, timer.number, last.At, last.number)
		}
		if timer.Stop() {
			t.Fatal("stopped what was taken")
		}
		last, taken = timer, taken+1
	}
	if taken != 400 {
		t.Errorf("%d were taken, want 400", taken)
	}
}

func TestUntilAndClear(t *testing.T) {
	var q Queue
	if due, next := q.Take(1); due != nil || next != nil {
		t.Error("an empty queue has something")
	}
	timer := q.Add(2, func() {})
	if due, next := q.Take(1); due != nil || next != timer {
		t.Error("it was taken before its time")
	}
	q.Clear()
	if due, next := q.Take(2); timer.Stop() || due != nil || next != nil {
		t.Error("it was not cleared")
	}
}
