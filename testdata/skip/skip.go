// Package skip is for tests that cannot run everywhere, or take long. It tells whoever
// runs the tests, also where `go test` shows nothing of a package that passes.
package skip

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"testing"

	"golang.org/x/sys/unix"
)

// Test skips a test, and says why.
func Test(t testing.TB, format string, args ...any) {
	t.Helper()
	Say(t, format, args...)
	t.SkipNow()
}

// Say says why a part of a test is left out.
func Say(t testing.TB, format string, args ...any) {
	t.Helper()
	reason := fmt.Sprintf(format, args...)
	t.Log("SKIPPED: " + reason)
	if out := outputOfGo(); out != nil {
		dir, _ := os.Getwd()
		fmt.Fprintf(out, "skipped %s in %s: %s\n", t.Name(), filepath.Base(dir), reason)
		_ = out.Close()
	}
}

// UnlessLong skips a test that takes long, unless FTSH_TEST=long asks for it.
func UnlessLong(t testing.TB, why string) {
	t.Helper()
	if !Long() {
		Test(t, "%s; FTSH_TEST=long runs it", why)
	}
}

// Long reports whether tests may take long.
func Long() bool { return os.Getenv("FTSH_TEST") == "long" }

// Fewer is by how much less of what is random, or cut off at many points, is tried with the race detector, where it
// takes ten times as long: .ci/long rest tries all of it without. It is odd, as every other point is cut off otherwise.
const Fewer = 5

// Times says how often something random is tried, in long tests and otherwise.
func Times(long, short int) int {
	switch {
	case Long():
		return long
	case UnderRace:
		return (short + Fewer - 1) / Fewer
	}
	return short
}

// Collections skips three of four garbage collections, as ftshsim does: where many small things are made, and few are
// alive at a time, the collector runs most of the time otherwise. The TestMain of a room calls it.
func Collections() { debug.SetGCPercent(400) }

// Simulation skips a test of what a simulation says, under the race detector: each simulation is one goroutine at a
// time, and takes ten times as long. That several at once do not disturb each other is for tests that do not call it,
// such as TestProcessors, TestManyAtOnce and TestAnyProcessors.
func Simulation(t testing.TB) {
	t.Helper()
	if UnderRace {
		Test(t, "a simulation is one goroutine at a time, and takes ten times as long with the race detector")
	}
}

// Without skips a test that needs programs that are not installed.
func Without(t testing.TB, programs ...string) {
	t.Helper()
	for _, name := range programs {
		if _, err := exec.LookPath(name); err != nil {
			Test(t, "it needs %s, which is not installed", name)
		}
	}
}

// outputOfGo is standard error of the `go test` that has started these tests, which
// keeps for itself what the tests of a package write if they pass. It is nil
// where there is none, or it cannot be had.
func outputOfGo() *os.File {
	parent := os.Getppid()
	name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", parent))
	if err != nil || !bytes.Equal(name, []byte("go\n")) {
		return nil
	}
	pidfd, err := unix.PidfdOpen(parent, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(pidfd)
	fd, err := unix.PidfdGetfd(pidfd, 2, 0)
	if err != nil {
		return nil
	}
	return os.NewFile(uintptr(fd), "standard error of go")
}
