package shared

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// TestBudgetShare asks for a retry again and again beside first attempts: however they
// come, no retry makes them more than the floor, or the share of all attempts.
func TestBudgetShare(t *testing.T) {
	for _, share := range []float64{0, 0.1, 0.5, 1} {
		dice := rand.New(rand.NewPCG(1, uint64(100*share)))
		b := Budget{Share: share, Floor: 10, Window: 10 * time.Minute}
		now := time.Duration(0)
		for range 20_000 {
			now += time.Duration(dice.IntN(2000)) * time.Millisecond
			retry := dice.IntN(3) > 0
			left := b.Left(now)
			if retry && b.Allows(now) != (left >= 1) {
				t.Fatalf("share %v: %v left, and it says %v", share, left, b.Allows(now))
			}
			if retry && !b.Allows(now) {
				continue
			}
			b.Attempt(now, retry)
			if attempts, retries := b.Sums(now); retry && retries > max(10, share*attempts) || attempts < retries {
				t.Fatalf("share %v: %v retries of %v attempts", share, retries, attempts)
			}
		}
	}
}

func TestBudgetLeft(t *testing.T) {
	for _, test := range []struct{ share, attempts, retries, want float64 }{
		{0.1, 0, 0, 10}, {0.1, 10, 10, 0}, {0.1, 100, 5, 5}, {0.1, 1000, 10, 100}, {0.1, 1000, 100, 0}, {0, 500, 3, 7}, {1, 5, 5, math.Inf(1)},
	} {
		b := Budget{Share: test.share, Floor: 10, Window: time.Minute}
		b.Counts.A[0], b.Counts.B[0] = test.attempts, test.retries
		if got := b.Left(0); got != test.want {
			t.Errorf("%+v: %v", test, got)
		}
	}
}

// TestBudgetForgets has attempts grow old: after the window, and a slice of it, they
// are forgotten; [Budget.Next] tells the moments at which that can happen.
func TestBudgetForgets(t *testing.T) {
	b := Budget{Floor: 1, Window: 20 * time.Second}
	b.Attempt(500*time.Millisecond, true)
	b.Attempt(900*time.Millisecond, false)
	b.Withdraw(950*time.Millisecond, false)
	now := time.Second
	for ; !b.Allows(now); now = b.Next(now) {
		if attempts, retries := b.Sums(now); attempts != 1 || retries != 1 {
			t.Fatalf("at %v: %v, %v", now, attempts, retries)
		}
	}
	if now < 20*time.Second || now > 21*time.Second {
		t.Errorf("forgotten at %v", now)
	}
}

// TestBreaker goes through the life of a breaker.
func TestBreaker(t *testing.T) {
	b := Breaker{Failures: 3, Within: 10 * time.Second, Probe: 5 * time.Second}
	const s = time.Second
	for _, step := range []struct {
		at     time.Duration
		failed bool // an attempt ends so; else it is asked
		ok     bool
		open   bool
	}{
		{0, true, false, false}, {1 * s, true, false, false}, {11 * s, true, false, false}, // the first is too old
		{11 * s, false, true, false}, {12 * s, true, false, false}, {13 * s, true, false, true}, // three in ten seconds
		{13 * s, false, false, true}, {17 * s, false, false, true}, {18 * s, false, true, true}, {18 * s, false, false, true}, // one probe
		{20 * s, true, false, true}, {23 * s, false, true, true},
	} {
		if step.failed {
			b.Note(step.at, false)
		} else if ok, _ := b.Allows(step.at); ok != step.ok {
			t.Errorf("at %v: %v", step.at, ok)
		}
		if b.Open != step.open {
			t.Errorf("at %v: open %v", step.at, b.Open)
		}
	}
	b.Note(24*s, true)
	if ok, _ := b.Allows(24 * s); !ok || b.Open || len(b.Recent) != 0 {
		t.Errorf("after a success: %+v", b)
	}
}
