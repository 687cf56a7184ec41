package backoff

import (
	"context"
	"math"
	"sync"
	"time"
)

// Never is a moment that no clock reaches: the deadline of what has none.
const Never time.Duration = math.MaxInt64

// Clock tells the time, as the time since a fixed moment, and does something
// at a given time. Implementations are safe for concurrent use.
type Clock interface {
	// Now never goes back.
	Now() time.Duration
	// AfterFunc runs f once, on a goroutine of its own, as soon as Now() >= at:
	// at once if that has passed. (A virtual clock runs it in its event loop.)
	AfterFunc(at time.Duration, f func()) Timer
}

// Timer is something that a [Clock] will do.
type Timer interface {
	// Stop prevents it and returns true; or returns false, if it has been
	// started or stopped before. It does not wait for what was started.
	Stop() bool
}

// Dice is the source of randomness; *rand.Rand of math/rand/v2 is one. It
// need not be safe for concurrent use: each try that runs beside others has
// its own.
type Dice interface {
	Float64() float64     // uniform in [0,1)
	NormFloat64() float64 // normal, with mean 0 and standard deviation 1
}

// Sleep waits until the clock shows that time, and returns nil; if the context
// is cancelled first, or is so already, it returns context.Cause(ctx) at once.
func Sleep(ctx context.Context, clock Clock, until time.Duration) error {
	return sleepUnless(ctx, clock, until, nil)
}

// sleepUnless is Sleep that also ends when something is received from hurry.
func sleepUnless(ctx context.Context, clock Clock, until time.Duration, hurry <-chan struct{}) error {
	if ctx.Err() != nil || clock.Now() >= until {
		return context.Cause(ctx)
	}
	woken := make(chan struct{})
	timer := clock.AfterFunc(until, func() { close(woken) })
	defer timer.Stop()
	select {
	case <-woken:
	case <-hurry:
	case <-ctx.Done():
	}
	return context.Cause(ctx)
}

// WithDeadline returns a context that is cancelled with that cause when the
// clock reaches that time: at once if it has, never if it is [Never]. Like
// other contexts it is also cancelled with its parent, whose cause it then
// has, and by the function returned, which must be called in the end and
// leaves no timer behind.
func WithDeadline(parent context.Context, clock Clock,
	at time.Duration, cause error) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(parent)
	if at == Never {
		return ctx, func() { cancel(nil) }
	}
	if clock.Now() >= at {
		cancel(cause) // now, and not a goroutine later
		return ctx, func() {}
	}
	timer := clock.AfterFunc(at, func() { cancel(cause) })
	return ctx, func() {
		timer.Stop()
		cancel(nil)
	}
}

// WithGrace returns a context that is cancelled so long after ctx is, with that cause; nil: with the cause of ctx. The
// function returned must be called in the end, and leaves no timer behind.
func WithGrace(ctx context.Context, clock Clock, grace time.Duration, cause error) (
	late context.Context, leave func()) {
	late, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(ended)
		_ = Sleep(late, clock, clock.Now()+grace)
		if cause == nil {
			cause = context.Cause(ctx)
		}
		cancel(cause)
	})
	return late, sync.OnceFunc(func() {
		cancel(nil)
		if !stop() {
			<-ended
		}
	})
}
