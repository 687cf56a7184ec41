package backoff

import (
	"context"
	"errors"
	"time"
)

// Outcome is how an attempt went. The zero Outcome is success.
type Outcome struct {
	Err      error         // why it failed; nil: it succeeded
	Stop     Reason        // not empty: make no further attempt, for this reason
	Floor    time.Duration // no attempt may start before this time on the clock; 0: no floor
	Deferred bool          // with Err: nothing was attempted, see [Loop.Deferred]
}

// Result is how a try went.
type Result struct {
	Attempts int    // made, those deferred not counted
	Reason   Reason // why there were no more; empty after a success
	// Err is that of the last attempt, nil after a success. Where none was
	// made it says so, and where a wait was cancelled it is context.Cause.
	Err error
}

// Hooks let the caller of [Retry] see its waits, and end them. The zero Hooks
// do neither.
type Hooks struct {
	// Sleeping is called before each wait that is longer than nothing. If the
	// clock has reached until when it returns (a simulation may move it), there
	// is no wait.
	Sleeping func(now, until time.Duration)
	// Hurry ends a wait when something is received from it, and the next
	// attempt starts at once. It is read during waits only: send to it without
	// blocking, on an unbuffered channel, and haste at other times is lost.
	Hurry <-chan struct{}
}

var errNoAttempt = errors.New("no attempt was made")

// Retry makes attempts, numbered from 1, until one succeeds, or the plan, an
// attempt's [Outcome] or the context ends it.
//
// The context is the one outside of the try: it is handed to each attempt, and
// once it is cancelled there is no further attempt and a wait ends at once,
// with reason [Cancelled]. Cutting an attempt off at the plan's deadline is up
// to the attempt (see [WithDeadline]), which reports it with Stop: [Deadline].
func Retry(ctx context.Context, clock Clock, plan Plan, dice Dice, hooks Hooks,
	attempt func(ctx context.Context, n int) Outcome) Result {
	loop := NewLoop(plan, dice)
	err := errNoAttempt
	for {
		if ctx.Err() != nil {
			return Result{loop.attempts, Cancelled, context.Cause(ctx)}
		}
		if stop := loop.Begin(clock.Now()); stop != "" {
			return Result{loop.attempts, stop, err}
		}
		outcome := attempt(ctx, loop.attempts)
		at, stop := loop.settle(ctx, clock, outcome)
		if stop != "" || outcome.Err == nil {
			return Result{loop.attempts, stop, outcome.Err}
		}
		err = outcome.Err
		hooks.wait(ctx, clock, at)
	}
}

// settle decides what follows an attempt: the time of the next, or why there
// is none, which after a success needs no reason.
func (l *Loop) settle(ctx context.Context, clock Clock, o Outcome) (at time.Duration, stop Reason) {
	switch {
	case o.Err == nil || o.Stop != "":
		return 0, o.Stop
	case ctx.Err() != nil:
		return 0, Cancelled
	case o.Deferred:
		return l.Deferred(clock.Now(), o.Floor)
	}
	return l.Failed(clock.Now(), o.Floor)
}

// wait sleeps until then, unless it is hurried or cancelled.
func (h Hooks) wait(ctx context.Context, clock Clock, until time.Duration) {
	now := clock.Now()
	if now >= until {
		return
	}
	if h.Sleeping != nil {
		h.Sleeping(now, until)
	}
	pause(ctx, clock, until, h.Hurry)
}
