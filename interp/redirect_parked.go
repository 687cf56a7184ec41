package interp

import (
	"context"
	"fmt"

	"golang.org/x/sys/unix"

	"ftsh/ast"
	"ftsh/interp/durable"
	"ftsh/interp/files"
	"ftsh/interp/value"
	"ftsh/interp/world"
)

// soFar returns the output up to now. Files are only wanted of what has succeeded.
func (r *redirection) soFar(files bool) (p parked, err error) {
	for _, c := range r.captures {
		value, err := r.saveSoFar(c)
		if err != nil {
			return p, err
		}
		p.Captured = append(p.Captured, value)
	}
	for _, output := range r.outputs {
		if !files {
			break
		}
		file, err := output.Park()
		if err != nil {
			return p, err
		}
		run := r.frame.run
		p.Files = append(p.Files, parkedFile{run.saveName(file.Name), run.saveName(file.Target), file.Inode})
	}
	return p, nil
}

// keepWritten makes sure that what a unit has written to the blocks around it outlasts the shell, before the
// journal has its end: files are on disk, and what is parked is in the journal.
func (f *frame) keepWritten(list []durable.Change) []durable.Change {
	for _, r := range f.io.writing {
		r.syncFiles()
		if r.node == "" {
			continue
		}
		if p, err := r.soFar(len(r.outputs) > 0 && r.outputs[0].IsNamed()); err == nil {
			list = append(list, durable.Set(r.node, keyParked, p))
		}
	}
	return list
}

// leaveToLaterRun leaves what is written for files to a later run.
func (r *redirection) leaveToLaterRun() {
	for _, output := range r.outputs {
		output.Leave()
	}
}

// saveSoFar gives what was captured up to now for the journal, unless it is to become a secret.
func (r *redirection) saveSoFar(c capture) (durable.Value, error) {
	text, err := c.SoFar()
	if err != nil || r.frame.run.isSecret(c.target.Name) {
		return durable.Value{Secret: true}, err
	}
	return r.frame.run.saveValue(value.Captured(text)), nil
}

// capturedBefore returns the text that an earlier run has captured.
func (r *redirection) capturedBefore() (string, error) {
	if len(r.captures) >= len(r.parked.Captured) {
		return "", nil
	}
	return restoreValue(r.parked.Captured[len(r.captures)], r.frame).Exact()
}

// takeFile goes on with atomic output that an earlier run has begun.
func (r *redirection) takeFile() (world.Draft, error) {
	p := r.parked.Files[len(r.outputs)]
	if p.Name == lostName || p.Target == lostName {
		return nil, fmt.Errorf("a file that was to be replaced cannot be found: %w", errLostName)
	}
	return files.Take(files.Parked{Name: string(p.Name), Target: string(p.Target), Inode: p.Inode})
}

func (f *frame) keptNames() *keptNames {
	names := &keptNames{names: []durable.Text{}}
	if past := *keep(f, new(*fileNames)); past != nil {
		names.past = *past
	}
	return names
}

// saveNames notes them for later runs.
func (f *frame) saveNames(k *keptNames) { *keep(f, new(*fileNames)) = (*fileNames)(&k.names) }

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
	name, err := r.frame.redirectWord(n.Target)
	if err == nil {
		r.kept.names = append(r.kept.names, r.frame.run.saveName(name))
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
			r.inside.io.files[number] = in.FD
			return nil
		}
	}
	fd, err := r.frame.run.World.Open(ctx, r.start(), name, unix.O_RDONLY)
	if err := r.connect(fd, err, number); err != nil {
		return err
	}
	if in := place.KeepInput(number, fd); in != nil {
		r.inputs = append(r.inputs, in)
	}
	return nil
}

// lostInput is the failure of what would read from a stream that a continued script cannot go on with, or of a program
// that would be given one; nil: none of these streams is one.
func (f *frame) lostInput(program bool, streams ...int) *Failure {
	if why := f.run.durable.LostInput(program, streams...); why != "" {
		return newFailure(KindError, ast.Pos{}, why)
	}
	return nil
}
