package interp

import (
	"context"
	"sync"
	"time"

	"ftsh/ast"
	"ftsh/backoff"
)

// cutsFromOutside reports whether what was cut off here was so by something around the scope, and not by
// the scope itself.
func (s *scope) cutsFromOutside(failure *Failure) bool {
	return failure != nil && failure.cut != nil && failure.cut.depth < s.depth
}

// cancelled is the cause with which the frame's scope is ended now for another reason than a limit.
func (f *frame) cancelled(why string) *cut {
	return &cut{kind: KindCancelled, depth: f.scope.depth, at: f.run.clock.Now(), why: why}
}

// inScope is the frame of a scope, which ends when cancel is called: whoever opens it calls that in the end.
func (f *frame) inScope(ctx context.Context) (g *frame, cancel context.CancelCauseFunc) {
	g = f.inside()
	ctx, cancel = context.WithCancelCause(ctx)
	g.scope = &scope{parent: f.scope, ctx: ctx, depth: f.scope.depth + 1, until: f.scope.until}
	return g, cancel
}

// underLimit opens a scope that is cut off when the clock reaches at; one of an earlier run may have passed long ago,
// and cuts off now.
func (f *frame) underLimit(ctx context.Context, at time.Duration, why string) (g *frame, leave func()) {
	g = f.inside()
	cause := &cut{kind: KindTimeout, depth: f.scope.depth + 1, at: max(at, f.run.clock.Now()), why: why}
	ctx, leave = backoff.WithDeadline(ctx, f.run.clock, at, cause)
	g.scope = &scope{parent: f.scope, ctx: ctx, depth: cause.depth, limit: cause,
		until: f.scope.until.orEarlier(at, cause)}
	return g, leave
}

// orEarlier is the bound within a further limit.
func (b bound) orEarlier(at time.Duration, c *cut) bound {
	if at == backoff.Never || b.cut != nil && b.at < at {
		return b
	}
	return bound{at, c}
}

// catchUp returns when a time limit that has passed has cut off: while the shell was stopped no timer ran.
// Nothing further may begin then.
func (f *frame) catchUp() {
	if s := f.scope; s.until.cut != nil && s.ctx.Err() == nil && f.run.clock.Now() > s.until.at {
		<-s.ctx.Done()
	}
}

// ownCut makes an ordinary failure of what was cut off by the limit of that scope.
// What an outer limit or a signal has cut off stays so, as does what has failed by itself.
func (f *frame) ownCut(err error, s *scope) error {
	failure := asFailure(err)
	if failure == nil || failure.cut == nil || f.cutCause(s.ctx) != s.limit {
		return err
	}
	changed := *failure
	changed.Kind, changed.Status, changed.cut = KindTimeout, statusTimeout, nil
	changed.Message = s.limit.why + failure.besides
	changed.giveup, changed.Reason = false, ""
	return &changed
}

// cutCause returns what cut a context off. A cancellation from outside the
// interpreter, such as a signal to the shell, concerns the outermost scope.
func (f *frame) cutCause(ctx context.Context) *cut {
	switch err := context.Cause(ctx).(type) {
	case nil:
		return nil
	case *cut:
		return err
	default:
		return &cut{kind: KindCancelled, depth: 0, at: f.run.cutAt(), why: err.Error()}
	}
}

// cutOff is the failure of a statement that its limit did not let begin or end.
func (f *frame) cutOff(ctx context.Context, pos ast.Pos) *Failure {
	c := f.cutCause(ctx)
	status := 1
	if c.kind == KindTimeout {
		status = statusTimeout
	}
	return &Failure{Kind: c.kind, Status: status, Pos: pos, Message: c.why, cut: c}
}

// patience returns the time that a command which was cut off gets to end before it is
// killed. It gets the whole kill timeout, unless something else must still
// fit into it: finally groups on the way to what was cut off, or the end of the
// shell itself after a signal.
func (f *frame) patience(error) time.Duration {
	c := f.cutCause(f.scope.ctx)
	if c == nil {
		return f.run.KillTimeout
	}
	whole := f.run.KillTimeout
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

// inCleanup is the frame of a finally or verify group. It runs under the limits that have not passed yet; once one has,
// all that is left to clean up shares what remains of the kill timeout.
func (f *frame) inCleanup(ctx context.Context) (g *frame, leave func()) {
	g = f.inside()
	passed := f.cutCause(ctx)
	if passed == nil {
		same := *f.scope
		same.ctx, g.scope = ctx, &same
		return g, func() {}
	}
	alive := f.scope
	for alive.parent != nil && alive.ctx.Err() != nil {
		alive = alive.parent
	}
	base, until := alive.ctx, alive.until
	if base.Err() != nil || passed.last {
		base, until = context.WithoutCancel(base), bound{}
	}
	at, end := passed.at+f.run.KillTimeout, passed.usedUp()
	ctx, stop := backoff.WithDeadline(base, f.run.clock, at, end)
	ctx, done := f.run.untilKill(ctx, passed)
	g.scope = &scope{parent: alive, ctx: ctx, depth: f.scope.depth + 1, until: until.orEarlier(at, end)}
	return g, func() {
		done()
		stop()
	}
}

// inGrace is the frame of a finally group that begins in time: if the context outside is cut off
// meanwhile, the group goes on until its share of the kill timeout has passed. Finally
// groups around it that have still to run have a share each, too.
func (f *frame) inGrace(outside context.Context) (g *frame, leave func()) {
	g = f.inside()
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(outside))
	until := f.graceAfter(f.scope.until)
	g.scope = &scope{parent: f.scope, ctx: ctx, depth: f.scope.depth + 1, until: until}
	var wg sync.WaitGroup
	wg.Add(1)
	stop := context.AfterFunc(outside, func() {
		defer wg.Done()
		passed := f.cutCause(outside)
		end := until.orEarlier(f.shareEnd(passed), passed)
		share, stop := backoff.WithDeadline(ctx, f.run.clock, end.at, passed.usedUp())
		share, leave := f.run.untilKill(share, passed)
		<-share.Done()
		cancel(context.Cause(share))
		leave()
		stop()
	})
	return g, func() {
		if stop() {
			wg.Done()
		}
		cancel(nil)
		wg.Wait()
	}
}

// graceAfter is the bound of a finally group that begins within another.
func (f *frame) graceAfter(b bound) bound {
	if b.cut == nil {
		return b
	}
	return bound{max(b.at, f.shareEnd(b.cut)), b.cut.usedUp()}
}

// shareEnd is when a finally group ends that has begun before that cut: its share of the kill timeout has passed.
func (f *frame) shareEnd(passed *cut) time.Duration {
	return saturatingAdd(passed.at, f.run.KillTimeout/time.Duration(1+f.try.outer.owesCleanup(passed)))
}

// usedUp is the cause with which a group is ended that cleans up after that cut.
func (c *cut) usedUp() *cut {
	return &cut{kind: KindTimeout, depth: c.depth, at: c.at, why: "the kill timeout is used up"}
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
	case <-r.World.Killed():
		cancel(now)
		return ctx, func() {}
	default:
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		select {
		case <-r.World.Killed():
			cancel(now)
		case <-ctx.Done():
		}
	})
	return ctx, func() {
		cancel(nil)
		wg.Wait()
	}
}
