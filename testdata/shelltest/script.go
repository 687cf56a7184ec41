package shelltest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"

	"ftsh/testdata/skip"
)

// Scripts runs the room's testdata/script/*.txtar: real scripts, the real program, and
// afterwards nothing may be left of them.
func Scripts(t *testing.T) {
	t.Helper()
	shells := shellsFor(t)
	var parent atomic.Value // of the scripts' directories; testscript removes it only if no script was left out by -run
	t.Cleanup(func() {
		if dir, any := parent.Load().(string); any {
			_ = os.Remove(dir) // but for what -testwork keeps
		}
	})
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			parent.Store(filepath.Dir(env.WorkDir))
			return setUp(env, shells)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "takes": takes, "ftsh": ftsh,
			"tracer": func(ts *testscript.TestScript, _ bool, _ []string) { ts.Check(shells.tracer()) },
		},
		Condition: Condition,
	})
}

// Condition tells whether a script may do what only the administrator may: be another
// user, or mount; and whether the race detector is on.
func Condition(name string) (bool, error) {
	switch name {
	case "root":
		return os.Geteuid() == 0, nil
	case "race":
		return skip.UnderRace, nil
	case "mounts":
		return exec.Command("unshare", "--mount", "true").Run() == nil, nil
	}
	return false, fmt.Errorf("unknown condition %q", name)
}

func setUp(env *testscript.Env, shells *shells) error {
	shell, err := shells.of(env.WorkDir)
	if err != nil {
		return err
	}
	mark := strconv.Itoa(os.Getpid()) + filepath.Base(env.WorkDir)
	env.Setenv(Marker, mark)
	env.Setenv("PATH", filepath.Dir(shell)+":"+env.Getenv("PATH"))
	env.Setenv("HOME", env.WorkDir)
	env.Setenv("FTSH_LOG_LEVEL", "10")
	env.Setenv("FTSH_STATE_DIR", env.WorkDir+"/.state")
	temp := filepath.Join(env.WorkDir, ".tmp")
	env.Setenv("TMPDIR", temp)
	env.Defer(func() { CheckNothingLeft(env.T(), mark, temp) })
	return os.MkdirAll(temp, 0o700)
}

// ftsh runs the shell; in the scripts `exec ftsh …` is the same.
func ftsh(ts *testscript.TestScript, neg bool, args []string) {
	if err := ts.Exec("ftsh", args...); (err != nil) != neg {
		ts.Fatalf("it ended with %s", StatusOf(err))
	}
}

// exits runs a command and wants its exit status: `exits 3 ftsh x.ftsh`, or its death: `exits TERM ftsh …`.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS command …")
	}
	err := ts.Exec(args[1], args[2:]...)
	if got := StatusOf(err); got != args[0] {
		ts.Fatalf("status %s, want %s", got, args[0])
	}
}

// StatusOf returns the exit status of a command, or the name of the signal it died of.
func StatusOf(err error) string {
	if err == nil {
		return "0"
	}
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return err.Error()
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return strings.TrimPrefix(unix.SignalName(status.Signal()), "SIG")
	}
	return strconv.Itoa(exit.ExitCode())
}

// takes runs a command and wants the wall time to lie between two bounds: `takes 1s 3s ftsh x.ftsh`.
func takes(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 3 {
		ts.Fatalf("usage: takes LEAST MOST command …")
	}
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
