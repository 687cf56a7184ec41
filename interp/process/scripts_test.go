package process_test

import (
	"testing"

	"ftsh/testdata/shelltest"
)

// TestScripts runs testdata/script/*.txtar.
func TestScripts(t *testing.T) { shelltest.Scripts(t) }
