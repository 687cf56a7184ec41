package interp

import (
	"context"
	"strconv"

	"ftsh/ast"
)

// runUmask sets the umask of the process. The parser has seen to it that it stands at the top level, unless its name
// came out of a variable.
func (f *frame) runUmask(_ context.Context, c invocation) error {
	if len(c.args) != 2 {
		return usage("umask MODE, in octal digits such as 027")
	}
	mask, err := strconv.ParseUint(c.args[1], 8, 32)
	switch {
	case err != nil || mask > 0o777:
		return usage("umask MODE, in octal digits such as 027")
	case f.state.branch != 0 || f.call.function != nil:
		return newFailure(KindError, ast.Pos{}, "umask concerns all of the script; it stands at its top level")
	}
	if err := f.run.World.Umask(int(mask)); err != nil {
		return newFailure(KindError, ast.Pos{}, "umask: "+err.Error())
	}
	f.state.umask = int(mask) + 1
	return nil
}
