package interp_test

import (
	"testing"

	"ftsh/testdata/shelltest"
	"ftsh/testdata/skip"
)

func TestMain(m *testing.M) {
	skip.Collections()
	shelltest.Main(m, nil)
}
