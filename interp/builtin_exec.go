package interp

import (
	"context"

	"ftsh/ast"
	"ftsh/interp/process"
)

// exec replaces the shell by a program. In a branch or a stage, or where the
// interpreter cannot be replaced, it runs the program and ends as that does.
func (f *frame) exec(ctx context.Context, pos ast.Pos, args []string) error {
	if len(args) == 0 {
		return usage("exec COMMAND [ARGUMENT …]")
	}
	if f.branch || f.run.Exec == nil {
		return f.execApart(ctx, pos, args)
	}
	path, err := f.find(args[0])
	if err != nil {
		return startFailure(args[0], err)
	}
	environ, err := f.environment()
	if err != nil {
		return err
	}
	err = f.run.Exec(&process.Command{Path: path, Args: args, Env: environ, Dir: f.dir, Files: f.files.open()})
	return startFailure(args[0], err)
}

// execApart runs the program of an exec that cannot replace the shell.
func (f *frame) execApart(ctx context.Context, pos ast.Pos, args []string) error {
	err := f.program(ctx, pos, args)
	if failure := asFailure(err); failure != nil && failure.Kind != KindExit {
		return err
	} else if failure != nil {
		return &Exit{failure.Status, pos}
	}
	return &Exit{0, pos}
}
