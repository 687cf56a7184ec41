package interp

import (
	"context"
	"slices"

	"golang.org/x/sys/unix"

	"ftsh/ast"
	"ftsh/ast/units"
	"ftsh/interp/durable"
	"ftsh/interp/expand"
)

// runBlock runs a block or a function with its redirections. In a durable script it is a unit if these
// are more than output to files, which is opened again at its end.
func (f *frame) runBlock(ctx context.Context, pos ast.Pos, list []*ast.Redirect, run func() error) error {
	r := &redirection{frame: f, list: list}
	switch {
	case len(list) == 0:
		return run()
	case f.place == nil:
		return r.runRedirected(ctx, run)
	case f.asUnit(list):
		return f.runUnit(ctx, pos, true, func() error { return r.runRedirected(ctx, run) })
	}
	if f.run.durable.IsDry() { // nothing is opened
		return run()
	}
	r.kept, r.carries = f.keptNames(), true
	return r.runRedirected(ctx, func() error {
		durable.Decide(f.place, keyFiles, r.kept.names)
		return run()
	})
}

// asUnit reports whether a block with those redirections is a unit: it cannot go on in the middle, unless it
// only writes to files.
func (f *frame) asUnit(list []*ast.Redirect) bool {
	switch {
	case units.Cause(list) != nil:
		return true
	case f.place.HasBegun():
		return true
	}
	if _, opened := durable.Decided[[]durable.Text](f.place, keyFiles); opened {
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
