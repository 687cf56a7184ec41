package backoff

import (
	"context"
	"testing"
	"time"
)

func BenchmarkDraw(b *testing.B) {
	for _, p := range policies9() {
		b.Run(p.String(), func(b *testing.B) {
			b.ReportAllocs()
			var w waits
			backoff, dice := Backoff{Policy: p}, seeded(1)
			for b.Loop() {
				w.next(backoff, dice)
			}
		})
	}
}

func BenchmarkLoop(b *testing.B) {
	for _, c := range []struct {
		name string
		plan Plan
	}{
		{"backoff", Plan{Deadline: Never - 1, Attempts: Unlimited}},
		{"every", Plan{Deadline: Never - 1, Attempts: Unlimited, Every: 1, HasEvery: true}},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			loop, now := NewLoop(c.plan, seeded(1)), time.Duration(0)
			for b.Loop() {
				loop.Begin(now)
				at, _ := loop.Failed(now, 0)
				now = at % time.Hour
			}
		})
	}
}

// BenchmarkRetry is a try that succeeds at once: what every `try` costs.
func BenchmarkRetry(b *testing.B) {
	b.ReportAllocs()
	clock, dice, ctx := &Virtual{}, seeded(1), context.Background()
	plan := Plan{Deadline: Never, Attempts: 1}
	for b.Loop() {
		Retry(ctx, clock, plan, dice, Hooks{}, func(context.Context, int) Outcome { return Outcome{} })
	}
}

// BenchmarkVirtual is an event scheduled and run, with a thousand others waiting.
func BenchmarkVirtual(b *testing.B) {
	b.ReportAllocs()
	clock, dice := &Virtual{}, seeded(1)
	var again func()
	again = func() { clock.AfterFunc(clock.Now()+time.Duration(dice.Int64N(int64(time.Second))), again) }
	for range 1000 {
		again()
	}
	for b.Loop() {
		clock.Step()
	}
}

// TestNoAllocations holds what the simulator and long loops rely on.
func TestNoAllocations(t *testing.T) {
	dice, ctx, clock := seeded(1), t.Context(), &Virtual{}
	for _, p := range policies9() {
		var w waits
		if n := testing.AllocsPerRun(100, func() { w.next(Backoff{Policy: p}, dice) }); n != 0 {
			t.Errorf("drawing a wait of %v allocates %v times", p, n)
		}
	}
	loop := NewLoop(until(time.Hour), dice)
	if n := testing.AllocsPerRun(100, func() { loop.Begin(0); loop.Failed(0, 0) }); n != 0 {
		t.Errorf("a step of a Loop allocates %v times", n)
	}
	one := Plan{Deadline: Never, Attempts: 1}
	succeed := func(context.Context, int) Outcome { return Outcome{} }
	if n := testing.AllocsPerRun(100, func() { Retry(ctx, clock, one, dice, Hooks{}, succeed) }); n != 0 {
		t.Errorf("a try that succeeds at once allocates %v times", n)
	}
}
