package interp

import (
	"context"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"ftsh/ast"
	"ftsh/ast/units"
	"ftsh/interp/durable"
	"ftsh/interp/files"
)

// runBlock runs a block, or a function that was called by these words, with its redirections. In a durable script it is
// a unit if these are more than output to files, which is opened again at its end.
func (f *frame) runBlock(
	ctx context.Context, pos ast.Pos, list []*ast.Redirect, words []string, run func(*frame) error,
) error {
	r := &redirection{frame: f, list: list, words: words}
	switch {
	case len(list) == 0:
		return run(f)
	case f.place == nil:
		return r.runRedirected(ctx, run)
	case f.asUnit(list):
		return f.runUnit(ctx, pos, true, func(g *frame) error {
			r.frame = g
			return r.runRedirected(ctx, run)
		})
	}
	if f.run.durable.IsDry() { // nothing is opened
		return run(f)
	}
	r.kept, r.carries = f.keptNames(), true
	err := r.openFrom(ctx, f.resumeStart())
	if err != nil {
		return err
	}
	f.saveNames(r.kept)
	return r.finish(run(r.inside))
}

// openFrom opens the files of a block from where an earlier run has; nil: none has, and the journal is told.
func (r *redirection) openFrom(ctx context.Context, start *files.Directory) error {
	if start == nil {
		r.frame.saveStart()
		return r.open(ctx)
	}
	defer start.Leave()
	r.from = start
	err := r.open(ctx)
	r.from = nil
	return err
}

// asUnit reports whether a block with those redirections is a unit: it cannot go on in the middle, unless it
// only writes to files.
func (f *frame) asUnit(list []*ast.Redirect) bool {
	switch {
	case units.Cause(list) != nil:
		return true
	case f.place.HasBegun():
		return true
	case f.keptNames().resumed():
		return false
	}
	return f.hasSpecial(list, f.state.dir)
}

// hasSpecial reports whether a redirection is to something that is there and is no regular file.
func (f *frame) hasSpecial(list []*ast.Redirect, start files.Directory) bool {
	return slices.ContainsFunc(list, func(n *ast.Redirect) bool { return f.isSpecial(n, start) })
}

func (f *frame) isSpecial(n *ast.Redirect, start files.Directory) bool {
	name, err := f.redirectWord(n.Target)
	var info unix.Stat_t
	if _, ok := f.run.World.Named(start, name); ok {
		return false
	}
	at, path := start.At(name)
	return err == nil && unix.Fstatat(at, path, &info, 0) == nil && info.Mode&unix.S_IFMT != unix.S_IFREG
}

// begin notes where relative names begin: a group may go elsewhere, and the next one writes to the same files. If it
// goes on, with clauses that need not be evaluated again, they begin where they did in an earlier run.
func (r *restarted) begin(goesOn bool) {
	f := r.frame
	if !slices.ContainsFunc(r.list, mayBeRelative) { // or nobody could unmount what the script has left
		return
	}
	if goesOn {
		if r.from = f.resumeStart(); r.from != nil {
			return
		}
	}
	start := f.state.dir.Share()
	r.from = &start
	f.saveStart()
}

// mayBeRelative reports whether a redirection is to a file whose name may be relative.
func mayBeRelative(n *ast.Redirect) bool {
	switch n.Op {
	case ast.In, ast.Out, ast.Append, ast.Atomic, ast.Both, ast.AppendBoth:
		text, ok := n.Target.Parts[0].(*ast.Lit)
		return !ok || !strings.HasPrefix(text.Text, "/")
	}
	return false
}

// run runs a group, in that frame, with the redirections opened again. What was written before is dropped.
func (r *restarted) run(ctx context.Context, f *frame, s durable.Step, g *ast.Group) error {
	if err := r.setBack(s); err != nil {
		return err
	}
	switch {
	case len(r.list) == 0:
		return f.groupIn(ctx, s, g)
	case f.place != nil:
		return r.runRecorded(ctx, f, s, g)
	}
	r.kept = nil // a verify group leaves no records
	return r.openAndRun(ctx, f, s, g)
}

// openAndRun does so where there are redirections.
func (r *restarted) openAndRun(ctx context.Context, f *frame, s durable.Step, g *ast.Group) error {
	if f.run.durable.IsDry() { // nothing is opened
		return f.groupIn(ctx, s, g)
	}
	r.discard()
	current := &redirection{frame: f, list: r.list, hedged: r.hedged, kept: r.kept, from: r.from}
	if err := current.open(ctx); err != nil {
		return err
	}
	if r.current = current; r.kept != nil {
		f.saveNames(r.kept)
	}
	return current.inside.groupIn(ctx, s, g)
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
	if r.from != nil {
		defer r.from.Leave()
	}
	if r.current == nil {
		return err
	}
	if r.parked && r.frame.run.durable.Suspending() {
		r.current.leaveToLaterRun()
	}
	return r.current.finish(err)
}

// runRecorded runs an attempt or alternative with redirections: a unit, if they are more than output to files.
func (r *restarted) runRecorded(ctx context.Context, f *frame, s durable.Step, g *ast.Group) error {
	if r.kept = f.keptNames(); !f.place.Within(s) {
		r.kept.past = nil
	}
	if units.Cause(r.list) == nil &&
		(r.kept.resumed() || !f.place.Within(s) && !f.hasSpecial(r.list, f.orHere(r.from))) {
		return r.openAndRun(ctx, f, s, g)
	}
	r.kept = nil
	inner := f.at(f.place.Enter(s))
	if inner.place.HasEnded() {
		if err := r.takeUp(ctx, f); err != nil {
			return err
		}
	} else {
		r.discard()
		r.unparkOutput(f.place, nil)
	}
	err := inner.runUnit(ctx, firstPos(g), true, func(unit *frame) error {
		return r.parkOutput(f.place, r.openAndRun(ctx, unit, s, g))
	})
	inner.place.Leave(inner, false)
	return err
}

// firstPos returns the position of a group's first statement.
func firstPos(g *ast.Group) ast.Pos {
	if len(g.List) == 0 {
		return ast.Pos{}
	}
	return g.List[0].Pos
}

// parkOutput has the journal say with the end of an attempt what it has written. It returns err, or why that cannot be.
func (r *restarted) parkOutput(outer *durable.Place, err error) error {
	if r.current == nil || r.frame.run.durable.Suspending() {
		return err
	}
	p, failed := r.current.soFar(succeeded(err))
	if failed != nil {
		return r.current.cannotKeep(err, failed)
	}
	r.unparkOutput(outer, &p)
	r.current.kept, r.current.node = nil, outer.Here()
	return err
}

// parkVerified does so for a verify group, whose output takes the place of the attempt's and which leaves no record
// itself.
func (r *restarted) parkVerified(err error) error {
	place := r.frame.place
	if place == nil || units.Cause(r.list) == nil {
		return err
	}
	return r.parkOutput(place, err)
}

// unparkOutput replaces what is parked; nil: nothing is, any more.
func (r *restarted) unparkOutput(outer *durable.Place, p *parked) {
	if p == nil && !r.parked {
		return
	}
	r.parked = p != nil
	*durable.Keep[*parked](outer) = p
}

// beside is the frame for what adds to what the last attempt or alternative has written.
func (r *restarted) beside(f *frame) *frame {
	if r.current == nil {
		return f
	}
	g := f.inside()
	g.io = r.current.inside.io
	if r.current.node != "" { // units in it write to what is parked
		g = g.withDescriptors()
		g.io.writing = append(slices.Clip(f.io.writing), r.current)
	}
	return g
}

// takeUp opens again what an earlier run had open when the attempts or alternatives ended.
func (r *restarted) takeUp(ctx context.Context, f *frame) error {
	current := &redirection{frame: f, list: r.list, kept: f.keptNames(), from: r.from}
	current.parked = *keep(f, new(*parked))
	switch {
	case r.current != nil:
		return nil
	case current.parked != nil:
		current.kept, r.parked = nil, true
	case !current.kept.resumed():
		return nil
	}
	err := current.open(ctx)
	if err == nil {
		r.current = current
	}
	if err == nil && r.parked {
		current.node = f.place.Here()
	}
	return err
}
