package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"

	"ftsh/interp/process"
)

// marker is the variable by which whatever a script test has started is found again.
const marker = "FTSH_TEST_MARK"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == process.GuardianFlag {
		main() // the guardian of a shell under test, which executes the same program again
	}
	testscript.Main(heedful{m}, map[string]func(){"ftsh": main, "page": playPager, "lead": lead})
}

// heedful runs tests whose shells do not ignore the signals that the tests were told
// to ignore: SIGINT in the background of a script, SIGHUP under nohup.
type heedful struct{ testscript.TestingM }

func (h heedful) Run() int {
	for _, sig := range []os.Signal{syscall.SIGINT, syscall.SIGQUIT, syscall.SIGHUP} {
		if signal.Ignored(sig) {
			signal.Notify(make(chan os.Signal, 1), sig) // programs that are started do not inherit handlers
		}
	}
	return h.TestingM.Run()
}

// TestScripts runs testdata/script/*.txtar: real scripts, the real program, and
// afterwards nothing may be left of them.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:   "../../testdata/script",
		Setup: setUpScript,
		Cmds:  map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "takes": takes},
	})
}

func setUpScript(env *testscript.Env) error {
	mark := strconv.Itoa(os.Getpid()) + filepath.Base(env.WorkDir)
	env.Setenv(marker, mark)
	env.Setenv("HOME", env.WorkDir)
	env.Setenv("FTSH_LOG_LEVEL", "10")
	env.Setenv("FTSH_STATE_DIR", env.WorkDir+"/.state")
	temp := filepath.Join(env.WorkDir, ".tmp")
	env.Setenv("TMPDIR", temp)
	env.Defer(func() { checkNothingLeft(env.T(), mark, temp) })
	return os.MkdirAll(temp, 0o700)
}

// checkNothingLeft fails the test if a process or temporary file outlived it.
func checkNothingLeft(t testscript.T, mark, temp string) {
	for wait := time.Now().Add(2 * time.Second); len(carriers(mark)) > 0 && time.Now().Before(wait); {
		time.Sleep(10 * time.Millisecond) // what a test has killed may not have died yet
	}
	for pid, name := range carriers(mark) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
		t.Log("left behind: process ", pid, " ", name)
		defer t.FailNow()
	}
	left, _ := os.ReadDir(temp)
	for _, entry := range left {
		t.Log("left behind: temporary file ", entry.Name())
		defer t.FailNow()
	}
}

// carriers are the living processes that have the mark in their environment.
func carriers(mark string) map[int]string {
	found := map[int]string{}
	paths, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range paths {
		environ, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(environ, []byte(marker+"="+mark+"\x00")) {
			continue
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		name, _ := os.ReadFile(filepath.Dir(path) + "/cmdline")
		found[pid] = strings.ReplaceAll(string(name), "\x00", " ")
	}
	return found
}

// exits runs a command and wants its exit status: `exits 3 ftsh x.ftsh`, or its death: `exits TERM ftsh …`.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS command …")
	}
	err := ts.Exec(args[1], args[2:]...)
	if got := statusOf(err); got != args[0] {
		ts.Fatalf("status %s, want %s", got, args[0])
	}
}

func statusOf(err error) string {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return map[bool]string{true: "0", false: fmt.Sprint(err)}[err == nil]
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return strings.TrimPrefix(unix.SignalName(status.Signal()), "SIG")
	}
	return strconv.Itoa(exit.ExitCode())
}

// takes runs a command and wants the wall time to lie between two bounds: `takes 1s 3s ftsh x.ftsh`.
func takes(ts *testscript.TestScript, neg bool, args []string) {
	least, err1 := time.ParseDuration(args[0])
	most, err2 := time.ParseDuration(args[1])
	ts.Check(errors.Join(err1, err2))
	start := time.Now()
	err := ts.Exec(args[2], args[3:]...)
	if (err != nil) != neg {
		ts.Fatalf("ended with %v", err)
	}
	if took := time.Since(start); took < least || took > most {
		ts.Fatalf("took %v, want %v to %v", took, least, most)
	}
}
