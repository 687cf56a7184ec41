package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"ftsh/testdata/shelltest"
	"ftsh/testdata/skip"
)

// TestLargeState holds that a shell which goes on with a state of 50 MB needs at most 120 MB for it: the state is not
// in memory twice.
func TestLargeState(t *testing.T) {
	t.Parallel()
	var script strings.Builder
	for n := range 55 {
		fmt.Fprintf(&script, "seq 1 140000 -> v%d\n", n)
	}
	script.WriteString(`try 2 times backoff fixed from 1 ms
    sh -c 'test -e died || { touch died; kill -9 $PPID; }'
end
sh -c 'grep VmHWM /proc/$PPID/status'
`)
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "state.ftsh"), []byte(script.String()), 0o600))
	program := leanShell(t)
	run := func() (string, error) {
		cmd := exec.Command(program, "--journal", filepath.Join(dir, "j"), "state.ftsh")
		cmd.Dir = dir
		out, err := cmd.Output()
		return string(out), err
	}
	if _, err := run(); err == nil {
		t.Fatal("it was not killed")
	}
	out, err := run()
	must(t, err)
	fields := strings.Fields(out)
	if len(fields) != 3 {
		t.Fatalf("it said %q", out)
	}
	peak, err := strconv.Atoi(fields[1])
	must(t, err)
	if peak > 120_000 {
		t.Errorf("its peak was %d kB", peak)
	}
	t.Logf("%d kB", peak)
}

// leanShell is a shell without the race detector, which takes memory of its own.
func leanShell(t *testing.T) string {
	t.Helper()
	if !skip.UnderRace {
		return shelltest.Shell(t)
	}
	program := filepath.Join(t.TempDir(), "ftsh")
	build := exec.Command("go", "build", "-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}
