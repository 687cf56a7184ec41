package interp

import (
	"context"
	"sync"
	"time"

	"ftsh/backoff"
)

// patience returns the time that a command which was cut off gets to end before it is
// killed. It gets the whole kill timeout, unless something else must still
// fit into it: finally groups on the way to what was cut off, or the end of the
// shell itself after a signal.
func (f *frame) patience(error) time.Duration {
	c := f.cutCause(f.scope.ctx)
	if c == nil {
		return f.run.killTimeout
	}
	whole := f.run.killTimeout
	if c.depth == 0 || f.cleansUpWithin(c) {
		whole /= 2
	}
	return max(0, c.at+whole-f.run.clock.Now())
}

// cleansUpWithin reports whether a finally or verify group stands between here and
// the scope that was cut off. The time limit of a try cuts off what is within it:
// its verify group shares the kill timeout with that, its finally group does not.
func (f *frame) cleansUpWithin(c *cut) bool {
	for t := f.try; t != nil && t.depth+1 >= c.depth; t = t.outer {
		if t.node.Finally != nil && t.phase < cleaning && t.depth >= c.depth {
			return true
		}
		if t.node.Verify != nil && t.servedPhase() != verifying && c.kind == KindTimeout {
			return true
		}
	}
	return false
}

// enterCleanup returns the context for a finally or verify group. It runs under the limits that have not passed
// yet; once one has, all that is left to clean up shares what remains of the
// kill timeout.
func (f *frame) enterCleanup(ctx context.Context) (context.Context, func()) {
	passed := f.cutCause(ctx)
	if passed == nil {
		return ctx, func() {}
	}
	outer := f.scope
	alive := outer
	for alive.parent != nil && alive.ctx.Err() != nil {
		alive = alive.parent
	}
	base := alive.ctx
	if base.Err() != nil || passed.last {
		base = context.WithoutCancel(base)
	}
	end := &cut{kind: KindTimeout, depth: passed.depth, at: passed.at, why: "the kill timeout is used up"}
	ctx, stop := backoff.WithDeadline(base, f.run.clock, passed.at+f.run.killTimeout, end)
	ctx, leave := f.run.untilKill(ctx, passed)
	f.scope = &scope{parent: alive, ctx: ctx, depth: outer.depth + 1}
	return ctx, func() {
		leave()
		stop()
		f.scope = outer
	}
}

// enterGrace returns the context for a finally group that begins in time: if ctx is cut off
// meanwhile, the group goes on until its share of the kill timeout has passed. Finally
// groups around it that have still to run have a share each, too.
func (f *frame) enterGrace(outside context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(outside))
	outer := f.scope
	f.scope = &scope{parent: outer, ctx: ctx, depth: outer.depth + 1}
	var wg sync.WaitGroup
	wg.Add(1)
	stop := context.AfterFunc(outside, func() {
		defer wg.Done()
		passed := f.cutCause(outside)
		end := &cut{kind: KindTimeout, depth: passed.depth, at: passed.at, why: "the kill timeout is used up"}
		shares := time.Duration(1 + f.try.outer.owesCleanup(passed))
		share, stop := backoff.WithDeadline(ctx, f.run.clock, passed.at+f.run.killTimeout/shares, end)
		share, leave := f.run.untilKill(share, passed)
		<-share.Done()
		cancel(context.Cause(share))
		leave()
		stop()
	})
	return ctx, func() {
		if stop() {
			wg.Done()
		}
		cancel(nil)
		wg.Wait()
		f.scope = outer
	}
}

// owesCleanup counts the finally groups of this and the tries around it have still to
// run within the scope that was cut off.
func (t *try) owesCleanup(c *cut) (groups int) {
	for ; t != nil && t.depth >= c.depth; t = t.outer {
		if t.node.Finally != nil && t.phase < cleaning {
			groups++
		}
	}
	return groups
}

// untilKill returns a context that is cancelled, too, once everything shall end.
func (r *Runner) untilKill(ctx context.Context, passed *cut) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	now := &cut{kind: KindCancelled, depth: passed.depth, at: passed.at, why: "everything shall end at once"}
	select {
	case <-r.Kill:
		cancel(now)
		return ctx, func() {}
	default:
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		select {
		case <-r.Kill:
			cancel(now)
		case <-ctx.Done():
		}
	})
	return ctx, func() {
		cancel(nil)
		wg.Wait()
	}
}
