package interp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"ftsh/ast"
	"ftsh/interp/files"
	"ftsh/interp/value"
	"ftsh/interp/world"
)

// runRedirected runs something with the redirections.
func (r *redirection) runRedirected(ctx context.Context, run func(*frame) error) error {
	if err := r.open(ctx); err != nil {
		return err
	}
	return r.finish(run(r.inside))
}

// open applies the redirections from left to right, and makes the frame of what runs with them. If one fails, those
// before it are undone.
func (r *redirection) open(ctx context.Context) error {
	r.inside = r.frame.withDescriptors()
	for _, n := range r.list {
		if err := r.applyOne(ctx, n); err != nil {
			r.discard()
			return r.failure(ctx, n, err)
		}
	}
	io := r.inside.io
	if len(r.captures)+len(r.outputs)+len(r.aparts) > 0 {
		io.owed++
	}
	io.opener = r
	if r.kept != nil {
		io.writing = append(slices.Clip(io.writing), r)
	}
	return nil
}

// failure returns the failure of a redirection. An error that is not a failure yet becomes one of kind redirect.
func (r *redirection) failure(ctx context.Context, n *ast.Redirect, err error) error {
	if failure := asFailure(err); failure != nil {
		return err
	}
	if ctx.Err() != nil && errors.Is(err, context.Cause(ctx)) { // it waited for the other end of a FIFO
		return r.frame.announceFailure(r.frame.cutOff(ctx, n.Pos))
	}
	return r.announceFailure(n, err)
}

// applyOne makes one redirection.
func (r *redirection) applyOne(ctx context.Context, n *ast.Redirect) error {
	f := r.frame
	switch n.Op {
	case ast.DupOut, ast.DupIn:
		return r.duplicate(n)
	case ast.ToVar, ast.AppendVar, ast.BothVar, ast.AppendBothVar:
		return r.capture(n)
	case ast.FromVar:
		value, set := f.Variable(&n.Var)
		if !set && !f.Lenient() {
			return f.faultAt(n.Pos, fmt.Sprintf("%s is not defined", n.Var.Name))
		}
		return r.feedText(n, value)
	case ast.Here, ast.HereTabs:
		text, err := f.redirectWord(n.Body)
		if err != nil {
			return f.failWith(err, n.Pos)
		}
		return r.feedText(n, value.String(text))
	}
	var name string
	var err error
	if r.kept == nil {
		name, err = f.redirectWord(n.Target)
	} else {
		name, err = r.keptName(n)
	}
	if err != nil {
		return f.failWith(err, n.Pos)
	}
	if name == "" {
		return fmt.Errorf("%s needs the name of a file, found an empty word", n.Op)
	}
	if number, ok := r.frame.run.World.Named(r.start(), name); ok {
		return r.toStream(n, name, number)
	}
	return r.redirectFile(ctx, n, name)
}

// start is the directory in which relative names begin.
func (r *redirection) start() files.Directory { return r.frame.orHere(r.from) }

// redirectFile redirects from or to a file.
func (r *redirection) redirectFile(ctx context.Context, n *ast.Redirect, name string) error {
	const create = unix.O_WRONLY | unix.O_CREAT
	start := r.start()
	if start.Lost != "" && !filepath.IsAbs(name) {
		return errors.New(start.Lost)
	}
	switch n.Op {
	case ast.In:
		if r.kept != nil {
			return r.keptInput(ctx, name, fdOr(n, 0))
		}
		fd, err := r.frame.run.World.Open(ctx, start, name, unix.O_RDONLY)
		return r.connect(fd, err, fdOr(n, 0))
	case ast.Atomic:
		f := r.frame
		f.run.World.Prepare()
		var output world.Draft
		var err error
		if r.parked != nil && len(r.outputs) < len(r.parked.Files) {
			output, err = r.takeFile()
		} else {
			output, err = f.run.World.Replace(start, name)
		}
		if err != nil {
			return err
		}
		r.outputs = append(r.outputs, output)
		r.inside.io.files[fdOr(n, 1)] = output.Stream()
		return nil
	}
	flags := create | unix.O_TRUNC
	if n.Op == ast.Append || n.Op == ast.AppendBoth {
		flags = create | unix.O_APPEND
	}
	written := r.kept.resumed() || r.parked != nil // by an earlier run: it is kept
	if written {
		flags &^= unix.O_TRUNC
	}
	fd, err := r.openOutput(ctx, name, flags)
	if err == nil && written {
		_, _ = unix.Seek(fd, 0, io.SeekEnd)
	}
	if err == nil && (n.Op == ast.Both || n.Op == ast.AppendBoth) {
		r.inside.io.files[2] = fd
	}
	if r.hedged && err == nil {
		r.inside.io.files[fdOr(n, 1)] = fd
		return nil
	}
	return r.connect(fd, err, fdOr(n, 1))
}

// openOutput opens a file for writing; for a hedged alternative one that stands for it.
func (r *redirection) openOutput(ctx context.Context, name string, flags int) (int, error) {
	if !r.hedged {
		return r.frame.run.World.Open(ctx, r.start(), name, flags)
	}
	a, err := r.frame.run.World.Apart(r.frame.temporaryDir(), r.start(), name, flags)
	if err != nil {
		return closed, err
	}
	r.aparts = append(r.aparts, a)
	return a.Stream(), nil
}

// connect makes a descriptor that was just opened the stream of that number.
func (r *redirection) connect(fd int, err error, number int) error {
	if err != nil {
		return err
	}
	r.opened = append(r.opened, fd)
	r.inside.io.files[number] = fd
	return nil
}

// fdOr is the descriptor that a redirection names, or the usual one.
func fdOr(n *ast.Redirect, usual int) int {
	if n.FD < 0 {
		return usual
	}
	return n.FD
}

// duplicate makes n>&m and n<&m.
func (r *redirection) duplicate(n *ast.Redirect) error {
	usual := 1
	if n.Op == ast.DupIn {
		usual = 0
	}
	if r.inside.io.files[n.Dup] == closed {
		return fmt.Errorf("descriptor %d is not open", n.Dup)
	}
	r.inside.io.files[fdOr(n, usual)] = r.inside.io.files[n.Dup]
	return nil
}

// toStream redirects to a stream of this place that is named like a file.
func (r *redirection) toStream(n *ast.Redirect, name string, number int) error {
	streams := &r.inside.io.files
	fd := streams.at(number)
	switch {
	case fd == closed:
		return fmt.Errorf("%s: descriptor %d is not open", name, number)
	case n.Op == ast.Atomic:
		return files.NotRegular(name)
	case n.Op == ast.In:
		streams[fdOr(n, 0)] = fd
		return nil
	case n.Op == ast.Both, n.Op == ast.AppendBoth:
		streams[2] = fd
	}
	streams[fdOr(n, 1)] = fd
	return nil
}

// capture redirects into a variable.
func (r *redirection) capture(n *ast.Redirect) error {
	text, err := r.firstText(n)
	if err != nil {
		return err
	}
	c, err := r.frame.run.World.Capture(r.frame.temporaryDir(), text)
	if err != nil {
		return err
	}
	r.captures = append(r.captures, capture{c, &n.Var})
	r.inside.io.files[fdOr(n, 1)] = c.Stream()
	if n.Op == ast.BothVar || n.Op == ast.AppendBothVar {
		r.inside.io.files[2] = c.Stream()
	}
	return nil
}

// firstText returns the text that a capture begins with.
func (r *redirection) firstText(n *ast.Redirect) (string, error) {
	if r.parked != nil {
		return r.capturedBefore()
	}
	if n.Op != ast.AppendVar && n.Op != ast.AppendBothVar {
		return "", nil
	}
	old, set := r.frame.Variable(&n.Var)
	if !set {
		return "", nil
	}
	return old.Exact()
}

// capturesVariables reports whether redirections set variables.
func capturesVariables(list []*ast.Redirect) bool {
	return slices.ContainsFunc(list, func(r *ast.Redirect) bool { return r.Op.Captures() })
}

// feedText lets a program read a value's exact bytes.
func (r *redirection) feedText(n *ast.Redirect, value value.Value) error {
	fd, err := r.frame.run.World.Text(value, r.frame.temporaryDir(), r.mayBegin())
	return r.connect(fd, err, fdOr(n, 0))
}

// mayBegin reports whether what the redirections stand on may contain a try or forany, which reads its input again.
func (r *redirection) mayBegin() bool {
	return len(r.words) == 0 || r.frame.run.functions[r.words[0]] != nil
}

// assignCaptured ends a capture and gives the variable its value.
func (r *redirection) assignCaptured(c capture) error {
	value, err := c.Value()
	if err != nil {
		return fmt.Errorf("cannot hold the output for %s: %w", c.target.Name, err)
	}
	r.frame.assign(c.target, value)
	return nil
}

// holdsAll is err, or the failure of an alternative that ended well but what it wrote could not be held.
func (r *redirection) holdsAll(err error) error {
	for _, a := range r.aparts {
		if failed := a.Complete(); failed != nil {
			err = r.cannotKeep(err, failed)
		}
	}
	return err
}

// finish keeps what was written, and closes what was opened: variables take
// their values in any case, atomic output replaces its target if err is nil. It
// returns err, or why something could not be kept.
func (r *redirection) finish(err error) error {
	for _, c := range r.captures {
		if failed := r.assignCaptured(c); failed != nil {
			err = r.cannotKeep(err, failed)
		}
	}
	for _, a := range r.aparts {
		if failed := a.Keep(); failed != nil {
			err = r.cannotKeep(err, failed)
		}
	}
	for _, output := range r.outputs {
		if r.waiting != nil {
			*r.waiting = append(*r.waiting, output)
			continue
		}
		if failed := output.End(succeeded(err)); failed != nil {
			err = r.cannotKeep(err, failed)
		}
	}
	r.release()
	return err
}

// cannotKeep is the failure of what could not keep its output, unless it has failed already.
func (r *redirection) cannotKeep(err, failed error) error {
	if !succeeded(err) {
		return err
	}
	return r.announceFailure(r.list[0], failed)
}

// announceFailure makes and announces the failure of a redirection.
func (r *redirection) announceFailure(n *ast.Redirect, err error) error {
	kind := systemOr(KindRedirect, err)
	if _, wrong := err.(files.UnfitTarget); wrong {
		kind = KindError
	}
	failure := newFailure(kind, n.Pos, err.Error())
	failure.Command = commandText(r.words)
	return r.frame.announceFailure(failure)
}

// discard drops what was written, and closes what was opened.
func (r *redirection) discard() {
	for _, c := range r.captures {
		c.Drop()
	}
	for _, output := range r.outputs {
		_ = output.End(false) // it is the failure before that counts
	}
	r.release()
}

// release closes what was opened.
func (r *redirection) release() {
	r.syncFiles()
	for _, in := range r.inputs {
		if r.carries {
			r.frame.place.CarryInput(in)
		}
		r.frame.run.durable.CloseInput(in)
	}
	for _, a := range r.aparts {
		a.Drop()
	}
	if len(r.opened) > 0 {
		r.frame.run.World.Close(r.opened)
	}
}
