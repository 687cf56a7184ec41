package interp

import (
	"context"

	"ftsh/ast"
	"ftsh/interp/durable"
)

// restarted is the redirections of a try or forany, which begin afresh with each
// attempt, so that only what counted remains.
type restarted struct {
	frame   *frame
	list    []*ast.Redirect
	hedged  bool
	current *redirection
	single  bool // one group runs, once
	input   inputStart
	kept    *keptNames // of a durable script; nil: it is none
	parked  bool       // the journal has what was written
}

// run runs a group with the redirections opened again. What was written before is dropped.
func (r *restarted) run(ctx context.Context, s durable.Step, g *ast.Group) error {
	if err := r.setBack(s); err != nil {
		return err
	}
	switch {
	case len(r.list) == 0:
		return r.frame.groupIn(ctx, s, g)
	case r.frame.place != nil:
		return r.runRecorded(ctx, s, g)
	}
	r.kept = nil // a verify group leaves no records
	return r.openAndRun(ctx, s, g)
}

// openAndRun does so where there are redirections.
func (r *restarted) openAndRun(ctx context.Context, s durable.Step, g *ast.Group) error {
	if r.frame.run.durable.IsDry() { // nothing is opened
		return r.frame.groupIn(ctx, s, g)
	}
	r.discard()
	current := &redirection{frame: r.frame, list: r.list, hedged: r.hedged, kept: r.kept}
	if err := current.open(ctx); err != nil {
		return err
	}
	if r.current = current; r.kept != nil {
		durable.Decide(r.frame.place, keyFiles, r.kept.names)
	}
	return r.frame.groupIn(ctx, s, g)
}

// discard drops what was written.
func (r *restarted) discard() {
	if r.current != nil {
		r.current.discard()
		r.current = nil
	}
}

// finish keeps what was written last.
func (r *restarted) finish(err error) error {
	if r.current == nil {
		return err
	}
	if r.parked && r.frame.run.durable.Suspending() {
		r.current.leaveToLaterRun()
	}
	return r.current.finish(err)
}
