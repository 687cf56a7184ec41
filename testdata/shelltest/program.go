package shelltest

import (
	"flag"
	"fmt"
	"hash/maphash"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"

	"ftsh/testdata/skip"
)

// sideBySide limits the tests that run at the same time, if nobody says another number.
// They wait more than they compute.
const sideBySide = "10"

// shells builds the shell once, with and without the race detector, when it is first needed.
type shells struct {
	plain, raced func() (path string, err error)
	tracer       func() error
}

func shellsIn(dir string) *shells {
	return &shells{
		plain:  sync.OnceValues(func() (string, error) { return Build(dir, false) }),
		raced:  sync.OnceValues(func() (string, error) { return Build(racedIn(dir), true) }),
		tracer: sync.OnceValue(func() error { return buildTracer(dir) }),
	}
}

func racedIn(dir string) string { return filepath.Join(dir, "race") }

// shared are those of all tests of a program, in a directory that Main removes. Without Main each test has its own.
var shared *shells

// Main runs the tests of a package, which may all use one shell; it is found on PATH, too, once
// Shell was called. The test binary plays the programs, which are on PATH under their names.
func Main(m testscript.TestingM, programs map[string]func()) {
	all := map[string]func(){"lead": lead}
	maps.Copy(all, programs)
	testscript.Main(room{m}, all)
}

// room runs the tests of a room.
type room struct{ testscript.TestingM }

func (r room) Run() int {
	settle()
	if parallel := flag.Lookup("test.parallel"); parallel != nil {
		_ = parallel.Value.Set(sideBySide) // the command line is read later, and wins
	}
	dir, err := os.MkdirTemp("", "shelltest-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	_ = os.Chmod(dir, 0o755) // other users may run the shell, too
	_ = os.Setenv("PATH", racedIn(dir)+":"+dir+":"+os.Getenv("PATH"))
	shared = shellsIn(dir)
	return r.TestingM.Run()
}

// settle makes shells independent of what the tests were started from.
var settle = sync.OnceFunc(func() {
	heedSignals()
	closeOnExec()
})

// heedSignals sees to it that shells do not ignore the signals that the tests were
// told to ignore: SIGINT in the background of a script, SIGHUP under nohup.
func heedSignals() {
	for _, sig := range []os.Signal{syscall.SIGINT, syscall.SIGQUIT, syscall.SIGHUP} {
		if signal.Ignored(sig) {
			signal.Notify(make(chan os.Signal, 1), sig) // programs that are started do not inherit handlers
		}
	}
}

// closeOnExec keeps from shells the descriptors that the tests have inherited, such as
// the one by which flock(1) holds its lock.
func closeOnExec() {
	entries, _ := os.ReadDir("/proc/self/fd")
	for _, entry := range entries {
		var fd int
		if _, err := fmt.Sscan(entry.Name(), &fd); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
}

// Shell is the path of the shell under test. If the tests have the race detector, so does the shell; where
// FTSH_RACE_SHELLS is a number N, only that of one test in N has it, drawn anew each time.
func Shell(t testing.TB) string {
	t.Helper()
	path, err := shellsFor(t).of(t.Name())
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// Tracer builds ftsh-trace, once, where the shells under test find it on PATH. It has a module of its own.
func Tracer(t testing.TB) {
	t.Helper()
	if err := shellsFor(t).tracer(); err != nil {
		t.Fatal(err)
	}
}

func buildTracer(dir string) error {
	module, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return err
	}
	cmd := exec.Command("go", "build", "-C", filepath.Join(strings.TrimSpace(string(module)), "cmd/ftsh-trace"),
		"-buildvcs=false", "-o", dir+"/", ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("cannot build ftsh-trace: %w\n%s", err, out)
	}
	return nil
}

// shellsFor are those that a test uses.
func shellsFor(t testing.TB) *shells {
	settle()
	if shared != nil {
		return shared
	}
	return shellsIn(t.TempDir())
}

// Path is PATH with the shell under test in front.
func Path(t testing.TB) string {
	t.Helper()
	return filepath.Dir(Shell(t)) + ":" + os.Getenv("PATH")
}

// of is the shell of the test, or script, of that name.
func (s *shells) of(name string) (path string, err error) {
	if skip.UnderRace && drawn(name) {
		return s.raced()
	}
	return s.plain()
}

var seed = maphash.MakeSeed()

// drawn tells whether the shell of that test has the race detector.
func drawn(name string) bool {
	n, err := strconv.ParseUint(os.Getenv("FTSH_RACE_SHELLS"), 10, 64)
	return err != nil || n == 0 || maphash.String(seed, name)%n == 0
}

// Build builds the shell in a folder, unless FTSH_PROGRAM names a ready one, such as that of a release.
// `go run` keeps what it has linked in Go's cache, where the tests of the next room find it.
func Build(dir string, race bool) (string, error) {
	path, half := filepath.Join(dir, "ftsh"), filepath.Join(dir, "half")
	if err := os.MkdirAll(half, 0o755); err != nil {
		return "", err
	}
	if ready := os.Getenv("FTSH_PROGRAM"); ready != "" {
		ready, err := filepath.Abs(ready)
		if err == nil {
			err = os.Symlink(ready, path)
		}
		return path, err
	}
	args, cgo := []string{"run", "-buildvcs=false", "-exec", "cp -t '" + half + "'"}, "CGO_ENABLED=0"
	if race {
		args, cgo = append(args, "-race"), "CGO_ENABLED=1"
	}
	cmd := exec.Command("go", append(args, "ftsh/cmd/ftsh")...)
	cmd.Env = append(os.Environ(), cgo)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("cannot build the shell: %w\n%s", err, out)
	}
	return path, os.Rename(filepath.Join(half, "ftsh"), path) // whole, as others may look for it on PATH
}
