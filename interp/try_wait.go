package interp

import (
	"context"
	"time"

	"ftsh/backoff"
	"ftsh/interp/event"
)

// waitHooks announces the waits of a retry loop, of which so many attempts are allowed, with an event that describes
// the failure before, and lets the engine rest meanwhile. ctx is that of the loop.
func (t *try) waitHooks(ctx context.Context, kind event.Kind, allowed int, before **Failure) backoff.Hooks {
	run := t.frame.run
	return backoff.Hooks{Hurry: run.Hurry, Sleeping: func(now, until time.Duration) {
		t.beginWait(kind, allowed, now, until, *before)
		run.waitUntil(until, func() bool { return ctx.Err() != nil })
	}}
}

// beginWait announces a wait, and lets the engine rest if it is long.
func (t *try) beginWait(kind event.Kind, allowed int, now, until time.Duration, before *Failure) {
	if t.frame.wantsEvent(kind) {
		t.tellWait(kind, allowed, now, until, before)
	}
	if until-now >= longWait {
		t.frame.run.Engine.Rest()
	}
}

func (t *try) tellWait(kind event.Kind, allowed int, now, until time.Duration, before *Failure) {
	t.frame.tellEvent(t.execution, withFailure(event.Event{
		Kind: kind, Limit: allowed, Attempt: t.number,
		Wait: until - now, Elapsed: now - t.start, Remaining: t.remaining(),
	}, before))
}

// longWait is from when on a wait is worth being prepared for.
const longWait = 2 * time.Second

// remaining is the time until the limit of the try, 0 without one.
func (t *try) remaining() time.Duration {
	if t.header.Plan.Deadline == backoff.Never {
		return 0
	}
	return max(0, t.header.Plan.Deadline-t.frame.run.clock.Now())
}
