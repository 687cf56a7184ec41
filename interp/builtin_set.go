package interp

import (
	"context"
	"slices"
)

// runSet replaces the arguments of the script, or of the function that is running:
// `set -- word …`. The parser lets nothing but `--` follow it.
func (f *frame) runSet(_ context.Context, c invocation) error {
	if len(c.args) < 2 || c.args[1] != "--" {
		return usage("set -- [WORD …]")
	}
	f.params = parameters{words: slices.Clone(c.args[2:])}
	return nil
}
