package interp

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"ftsh/ast"
	"ftsh/ast/units"
	"ftsh/interp/durable"
	"ftsh/interp/expand"
	"ftsh/interp/files"
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

// keptNames is the names of the files that a block reads and writes to.
type keptNames struct {
	names []durable.Text
	past  []durable.Text // as an earlier run has opened them
}

func (f *frame) keptNames() *keptNames {
	past, _ := durable.Decided[[]durable.Text](f.place, keyFiles)
	return &keptNames{past: past}
}

// resumed reports whether an earlier run has opened the files.
func (k *keptNames) resumed() bool { return k != nil && k.past != nil }

// keptName is the name of the file of a redirection, as the first run of the script has found it.
func (r *redirection) keptName(n *ast.Redirect) (string, error) {
	if r.kept.resumed() && len(r.kept.names) < len(r.kept.past) {
		name := r.kept.past[len(r.kept.names)]
		if name == lostName {
			return "", fmt.Errorf("the file that was written to cannot be found: %w", errLostName)
		}
		r.kept.names = append(r.kept.names, name)
		return string(name), nil
	}
	name, err := expand.Word(r.frame, n.Target)
	if err == nil {
		kept := name
		if dir, unknown := r.frame.directory(); n.Op == ast.In && unknown == nil && name != "" && !filepath.IsAbs(name) {
			kept = filepath.Join(dir, name) // a later run may stand elsewhere when it opens the file again
		}
		r.kept.names = append(r.kept.names, r.frame.run.saveName(kept))
	}
	return name, err
}

// syncFiles sees to it that a file that a durable script has opened for writing is on disk before the journal
// says that it was written.
func (r *redirection) syncFiles() {
	if r.frame.run.durable == nil {
		return
	}
	for _, fd := range r.opened {
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
		if err == nil && flags&unix.O_ACCMODE != unix.O_RDONLY {
			_ = unix.Fsync(fd) // a terminal or pipe cannot, and need not
		}
	}
}

// keptInput opens a file that a block of a durable script reads, or goes on where an earlier run had come to in it.
func (r *redirection) keptInput(ctx context.Context, name string, number int) error {
	place := r.frame.place
	if r.kept.resumed() {
		if in := place.ResumeInput(number); in != nil {
			r.inputs = append(r.inputs, in)
			r.frame.files[number] = in.FD
			return nil
		}
	}
	fd, err := files.Open(ctx, r.frame.dir, name, unix.O_RDONLY)
	if err := r.connect(fd, err, number); err != nil {
		return err
	}
	if in := place.KeepInput(number, fd); in != nil {
		r.inputs = append(r.inputs, in)
	}
	return nil
}

// capturesVariables reports whether redirections set variables.
func capturesVariables(list []*ast.Redirect) bool {
	for _, r := range list {
		switch r.Op {
		case ast.ToVar, ast.AppendVar, ast.BothVar, ast.AppendBothVar:
			return true
		}
	}
	return false
}

const keyFiles = "files" // of a block: those that it writes to

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

// runRecorded runs an attempt or alternative with redirections: a unit, if they are more than output to files.
func (r *restarted) runRecorded(ctx context.Context, s durable.Step, g *ast.Group) error {
	f := r.frame
	if r.kept = f.keptNames(); !f.place.Within(s) {
		r.kept.past = nil
	}
	if units.Cause(r.list) == nil &&
		(r.kept.resumed() || !f.place.Within(s) && !slices.ContainsFunc(r.list, f.isSpecial)) {
		return r.openAndRun(ctx, s, g)
	}
	r.kept = nil
	outer := f.place
	defer func() { f.place = outer }()
	f.place = outer.Enter(s)
	if f.place.HasEnded() {
		f.place = outer
		if err := r.takeUp(ctx); err != nil {
			return err
		}
		f.place = outer.Enter(s)
	} else {
		r.discard()
		r.unparkOutput(outer, nil)
	}
	err := f.runUnit(ctx, firstPos(g), true, func() error { return r.parkOutput(outer, r.openAndRun(ctx, s, g)) })
	f.place.Leave(f, false)
	return err
}

// firstPos returns the position of a group's first statement.
func firstPos(g *ast.Group) ast.Pos {
	if len(g.List) == 0 {
		return ast.Pos{}
	}
	return g.List[0].Pos
}
