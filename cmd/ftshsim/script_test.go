package main

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"ftsh/testdata/shelltest"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"ftshsim": main})
}

// TestScripts runs testdata/script/*.txtar. With UPDATE=1 it rewrites what they
// compare with.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata/script", UpdateScripts: os.Getenv("UPDATE") != "",
		Condition: shelltest.Condition})
}
