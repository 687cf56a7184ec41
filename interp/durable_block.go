package interp

import (
	"context"
	"slices"

	"golang.org/x/sys/unix"

	"ftsh/ast"
	"ftsh/interp/expand"
	"ftsh/interp/journal"
)

// block runs a block or a function with its redirections. In a durable script it is a unit if these
// are more than output to files, which is opened again at its end.
func (f *frame) block(ctx context.Context, pos ast.Pos, list []*ast.Redirect, run func() error) error {
	r := &redirection{frame: f, list: list}
	switch {
	case len(list) == 0:
		return run()
	case f.place == nil:
		return r.around(ctx, run)
	case f.asUnit(list):
		return f.unit(ctx, pos, true, func() error { return r.around(ctx, run) })
	}
	r.kept = f.keptNames()
	return r.around(ctx, func() error {
		decide(f, keyFiles, r.kept.names)
		return run()
	})
}

// keptNames is the names of the files that a block writes to.
type keptNames struct {
	names []journal.Text
	past  []journal.Text // as an earlier run has opened them
}

func (f *frame) keptNames() *keptNames {
	k := &keptNames{}
	f.resumed(keyFiles, &k.past)
	return k
}

// resumed reports whether an earlier run has opened the files.
func (k *keptNames) resumed() bool { return k != nil && k.past != nil }

// keptName is the name of the file of a redirection, as the first run of the script has found it.
func (r *redirection) keptName(n *ast.Redirect) (string, error) {
	if r.kept.resumed() && len(r.kept.names) < len(r.kept.past) {
		name := r.kept.past[len(r.kept.names)]
		r.kept.names = append(r.kept.names, name)
		return string(name), nil
	}
	name, err := expand.Word(r.frame, n.Target)
	if err == nil {
		r.kept.names = append(r.kept.names, journal.Text(name))
	}
	return name, err
}

// sync sees to it that a file that a durable script has opened for writing is on disk before the journal
// says that it was written.
func (r *redirection) sync() {
	if r.frame.run.durable == nil {
		return
	}
	for _, fd := range r.opened {
		if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0); err == nil && flags&unix.O_ACCMODE != unix.O_RDONLY {
			_ = unix.Fsync(fd) // a terminal or pipe cannot, and need not
		}
	}
}

// asUnit reports whether a block with those redirections is a unit: it cannot go on in the middle, unless it
// only writes to files.
func (f *frame) asUnit(list []*ast.Redirect) bool {
	switch {
	case blockUnit(list):
		return true
	case f.place.resumed && f.resumed(keyBegin, new(begun)):
		return true
	case f.place.resumed && f.resumed(keyFiles, new([]journal.Text)):
		return false
	}
	return slices.ContainsFunc(list, f.isSpecial)
}

// isSpecial reports whether a redirection is to something that is there and is no regular file.
func (f *frame) isSpecial(n *ast.Redirect) bool {
	name, err := expand.Word(f, n.Target)
	var info unix.Stat_t
	at, path := f.At(name)
	return err == nil && unix.Fstatat(at, path, &info, 0) == nil && info.Mode&unix.S_IFMT != unix.S_IFREG
}

// durably runs an attempt or alternative with redirections: a unit, if they are more than output to files.
func (r *restarted) durably(ctx context.Context, s step, g *ast.Group) error {
	f := r.frame
	if r.kept = f.keptNames(); !f.within(s) {
		r.kept.past = nil
	}
	if !blockUnit(r.list) && (r.kept.resumed() || !f.within(s) && !slices.ContainsFunc(r.list, f.isSpecial)) {
		return r.again(ctx, s, g)
	}
	r.kept = nil
	outer := f.place
	defer func() { f.place = outer }()
	f.place = outer.enter(s, f.run.durable.past)
	if f.resumed(keyEnd, new(savedEnding)) {
		f.place = outer
		if err := r.takeUp(ctx); err != nil {
			return err
		}
		f.place = outer.enter(s, f.run.durable.past)
	} else {
		r.discard()
		r.unpark(outer, nil)
	}
	err := f.unit(ctx, f.place.pos(g), true, func() error { return r.park(outer, r.again(ctx, s, g)) })
	if f.place.written >= 0 && !f.run.durable.suspending() {
		outer.gone = append(outer.gone, f.place.path)
	}
	return err
}

// pos is where a group begins.
func (p *place) pos(g *ast.Group) ast.Pos {
	if len(g.List) == 0 {
		return ast.Pos{}
	}
	return g.List[0].Pos
}
