package interp

import (
	"context"
	"slices"

	"ftsh/ast"
)

// set replaces the arguments of the script, or of the function that is running:
// `set -- word …`. The parser lets nothing but `--` follow it.
func (f *frame) set(_ context.Context, _ ast.Pos, args []string) error {
	if len(args) == 0 || args[0] != "--" {
		return usage("set -- [WORD …]")
	}
	f.params = slices.Clone(args[1:])
	return nil
}
