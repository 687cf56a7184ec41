package backoff

import (
	"context"
	"errors"
	"time"
)

// Outcome tells how an attempt went. Where Err is nil it succeeded, whatever else
// is set; the zero Outcome is success.
//
// An attempt that was Deferred uses up none of the attempts, while the backoff grows. The last attempt before a
// deadline is not deferred but lost: else ever shorter waits would crowd the end.
type Outcome struct {
	Err      error         // how the attempt failed; nil: it succeeded
	Stop     Reason        // not empty: make no further attempt, for this reason
	Floor    time.Duration // no attempt may start before this time on the clock; 0: no floor
	Deferred bool          // nothing was attempted, as its carrier sense said no
	Began    time.Duration // when it really began, if it had to wait for its turn; 0: at once
	Ended    time.Duration // when it ended, if something else, such as asking how it went, came after it; 0: now
}

// Result tells how a try went.
type Result struct {
	Attempts int    // made; those deferred do not count
	Reason   Reason // why there are no more; empty after a success, and while the try goes on
	// Err is nil after a success and else that of the last attempt. Where there
	// was none it says so, and where a wait was cancelled it is context.Cause.
	Err error
}

// Over reports whether there is no further attempt: the last one succeeded, or there is a Reason. What [Retry] returns
// is over.
func (r Result) Over() bool { return r.Err == nil || r.Reason != "" }

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
	// Note is told where the loop stands whenever that has changed, before the
	// attempt or the wait that follows; nil: nobody is.
	Note func(Progress)
	// Resume holds the progress of an earlier loop of the same plan, as its Note was told;
	// nil: it begins.
	Resume *Progress
}

// Progress tells whether a loop is in an attempt, or in the wait before the next.
type Progress struct {
	State State         // of the Loop, on this clock
	Wait  time.Duration // on the clock, when the wait ends; 0: an attempt is under way
	Err   error         // of the attempt before the wait
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
	var loop Loop
	loop.plan, loop.dice = plan, dice
	err, under := errNoAttempt, false // under: in an attempt that an earlier run has begun
	if hooks.Resume != nil {
		err, under = hooks.resume(&loop)
		if !under {
			hooks.waitUntil(ctx, clock, hooks.Resume.Wait)
		}
	}
	for {
		result, at := loop.makeAttempt(ctx, clock, &hooks, under, err, attempt)
		if result.Over() {
			return result
		}
		under, err = false, result.Err
		hooks.waitUntil(ctx, clock, at)
	}
}

// Once makes the next attempt of a try, as [Retry] does, and leaves the wait after it to the caller: unless the
// result is [Result.Over], at says when the next attempt may start, on the clock. before is the error of the attempt
// before; nil: it is the first.
func (l *Loop) Once(ctx context.Context, clock Clock, before error,
	attempt func(ctx context.Context, n int) Outcome) (r Result, at time.Duration) {
	if before == nil {
		before = errNoAttempt
	}
	return l.makeAttempt(ctx, clock, &Hooks{}, false, before, attempt)
}

// makeAttempt makes the next attempt, or goes on with the one that is under way.
func (l *Loop) makeAttempt(ctx context.Context, clock Clock, hooks *Hooks, under bool, before error,
	attempt func(ctx context.Context, n int) Outcome) (r Result, at time.Duration) {
	if !under {
		if ctx.Err() != nil {
			return Result{l.attempts, Cancelled, context.Cause(ctx)}, 0
		}
		if stop := l.Begin(clock.Now()); stop != "" {
			return Result{l.attempts, stop, before}, 0
		}
	}
	hooks.note(l, 0, nil)
	outcome := attempt(ctx, l.attempts)
	if outcome.Err == nil {
		return Result{Attempts: l.attempts}, 0
	}
	at, stop := l.settleFailure(ctx, clock, outcome)
	if stop == "" {
		hooks.note(l, at, outcome.Err)
	}
	return Result{l.attempts, stop, outcome.Err}, at
}

// resume sets a loop to where an earlier one stood; under tells that this was in an attempt.
func (h *Hooks) resume(loop *Loop) (err error, under bool) {
	loop.State = h.Resume.State
	err, under = h.Resume.Err, h.Resume.Wait == 0
	if err == nil {
		err = errNoAttempt
	}
	return err, under
}

// note tells Note where the loop stands.
//
//go:noinline
func (h *Hooks) note(loop *Loop, wait time.Duration, err error) {
	if h.Note != nil {
		h.Note(Progress{loop.State, wait, err})
	}
}

// settleFailure decides what follows a failed attempt. What the attempt says of it
// comes first, then cancellation, which also ends a try that had another
// attempt or none left.
func (l *Loop) settleFailure(ctx context.Context, clock Clock, o Outcome) (at time.Duration, stop Reason) {
	if o.Began != 0 { // what began before the last boot has begun before 0
		l.started = max(l.started, o.Began)
	}
	now := clock.Now()
	if o.Deferred {
		at, stop = l.deferred(now, o.Floor)
	} else {
		l.longest = max(l.longest, o.endedAt(now)-l.started)
		at, stop = l.nextAttempt(now, o.Floor)
	}
	switch {
	case o.Stop != "":
		stop = o.Stop
	case ctx.Err() != nil:
		stop = Cancelled
	}
	return at, stop
}

// endedAt is when the attempt itself ended, told at the time now.
func (o Outcome) endedAt(now time.Duration) time.Duration {
	if o.Ended == 0 {
		return now
	}
	return o.Ended
}

// waitUntil sleeps until then, unless it is hurried or cancelled.
func (h *Hooks) waitUntil(ctx context.Context, clock Clock, until time.Duration) {
	now := clock.Now()
	if now >= until {
		return
	}
	if h.Sleeping != nil {
		h.Sleeping(now, until)
	}
	sleepUnless(ctx, clock, until, h.Hurry) // Retry asks the context itself
}
