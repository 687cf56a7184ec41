package interp_test

import (
	"testing"

	"ftsh/testdata/shelltest"
)

// TestScripts runs testdata/script/*.txtar.
func TestScripts(t *testing.T) {
	t.Parallel()
	shelltest.Scripts(t)
}
