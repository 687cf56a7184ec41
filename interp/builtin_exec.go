package interp

import (
	"context"

	"ftsh/interp/process"
)

// runExec replaces the shell by a program. In a branch or a stage, or where the
// interpreter cannot be replaced, has a journal to keep, or has yet to keep what the program writes, it
// runs the program and ends as that does.
func (f *frame) runExec(ctx context.Context, c invocation) error {
	if len(c.args) == 1 {
		return usage("exec COMMAND [ARGUMENT …]")
	}
	if f.branch != 0 || f.owed > 0 || f.run.Exec == nil || f.run.durable != nil {
		return f.execApart(ctx, c)
	}
	args := c.args[1:]
	path, err := f.findProgram(args[0])
	if err != nil {
		return startFailure(args[0], err)
	}
	environ, err := f.environment()
	if err != nil {
		return err
	}
	err = f.run.Exec(&process.Command{Path: path, Args: args, Env: environ, Dir: f.dir.Directory,
		Files: f.files.upToLastOpen(), ID: f.id})
	return startFailure(args[0], err)
}

// execApart runs the program of an exec that cannot replace the shell.
func (f *frame) execApart(ctx context.Context, c invocation) error {
	end := &Exit{pos: c.pos, replaced: true}
	c.args = c.args[1:]
	err := f.runProgram(ctx, c)
	failure := asFailure(err)
	switch {
	case failure == nil:
		return end
	case failure.cut != nil || failure.Kind != KindExit && failure.Kind != KindSignal:
		return err // cut off, or not started
	}
	end.Status, end.failure = failure.Status, failure
	return end
}
