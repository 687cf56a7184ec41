package interp_test

import (
	"testing"

	"ftsh/testdata/shelltest"
)

func TestMain(m *testing.M) { shelltest.Main(m, nil) }
