package interp

import (
	"context"
	"time"

	"ftsh/ast"
	"ftsh/backoff"
)

// scope is a stretch of the script that can be cut off as a whole: a try with a
// time limit, one attempt of a try with `each`, a forall, a pipeline. Scopes
// nest; the outermost is the script, which a signal cuts off.
type scope struct {
	parent *scope
	ctx    context.Context
	depth  int           // of the script's own scope: 0
	limit  *cut          // the cause with which its own time limit cuts it off; nil: it has none
	until  time.Duration // on the clock, when the first of the time limits here passes; 0: there is none
}

// cutsFromOutside reports whether what was cut off here was so by something around the scope, and not by
// the scope itself.
func (s *scope) cutsFromOutside(failure *Failure) bool {
	return failure != nil && failure.cut != nil && failure.cut.depth < s.depth
}

// cancelled is the cause with which the frame's scope is ended now for another reason than a limit.
func (f *frame) cancelled(why string) *cut {
	return &cut{kind: KindCancelled, depth: f.scope.depth, at: f.run.clock.Now(), why: why}
}

// enterScopeOf opens a scope that ends when the returned function is called.
func (f *frame) enterScopeOf(ctx context.Context) (context.Context, context.CancelCauseFunc, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	outer := f.scope
	f.scope = &scope{parent: outer, ctx: ctx, depth: outer.depth + 1, until: outer.until}
	return ctx, cancel, func() {
		cancel(nil)
		f.scope = outer
	}
}

// enterLimit opens a scope that is cut off when the clock reaches at; one of an earlier run may have passed long ago,
// and cuts off now.
func (f *frame) enterLimit(ctx context.Context, at time.Duration, why string) (*scope, func()) {
	outer := f.scope
	cause := &cut{kind: KindTimeout, depth: outer.depth + 1, at: max(at, f.run.clock.Now()), why: why}
	ctx, stop := backoff.WithDeadline(ctx, f.run.clock, at, cause)
	f.scope = &scope{parent: outer, ctx: ctx, depth: cause.depth, limit: cause, until: outer.until}
	if at != backoff.Never && (outer.until == 0 || at < outer.until) {
		f.scope.until = at
	}
	return f.scope, func() {
		stop()
		f.scope = outer
	}
}

// catchUp returns when a time limit that has passed has cut off: while the shell was stopped no timer ran.
// Nothing further may begin then.
func (f *frame) catchUp() {
	if s := f.scope; s.until != 0 && s.ctx.Err() == nil && f.run.clock.Now() > s.until {
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
