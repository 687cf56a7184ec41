package interp_test

import (
	"runtime/debug"
	"testing"

	"ftsh/testdata/shelltest"
)

func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // thousands of shells live and die here, each of them small
	shelltest.Main(m, nil)
}
