package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	"golang.org/x/sys/unix"

	"ftsh/testdata/shelltest"
	"ftsh/testdata/write"
)

// A conformance case is a txtar file. Before its first file stand settings:
//
//	flags: -l 20       options of the shell, args: a 'b c' arguments of the script, as sh reads them
//	env: NAME=value    one more variable of the environment (may repeat)
//	exit: 1            the status that is wanted, 0 by default, or `signal 15`
//	min: 1.0 max: 3.0  bounds of the time that it takes, in seconds
//	timeout: 20        when to give up, in seconds
//	original: same     the case holds for ftsh 7, too
//
// Of its files, script.ftsh is run and stdin feeds it. stdout must be written,
// stdout.sorted the same in any order; stderr.has and stderr.hasnot are lines that must, and must not,
// occur in standard error; after/NAME gives what a file holds afterwards, and absent
// lists files that are not there. All other files lie in the working folder.

// TestConformance runs the cases that belong to the reference of the language.
//
// They run side by side. One that fails runs again when no other does: some have
// bounds in time, and some look at all processes of the machine.
func TestConformance(t *testing.T) {
	paths, err := filepath.Glob("../../testdata/conformance*/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	var mu sync.Mutex
	var again []string // the cases that failed beside others
	t.Run("together", func(t *testing.T) {
		for _, path := range paths {
			t.Run(caseName(path), func(t *testing.T) {
				t.Parallel()
				if conforms(t, path) != nil {
					mu.Lock()
					defer mu.Unlock()
					again = append(again, path)
				}
			})
		}
	})
	for _, path := range again {
		t.Run(caseName(path), func(t *testing.T) { runsAlone(t, path) })
	}
}

func caseName(path string) string { return strings.TrimSuffix(filepath.Base(path), ".txtar") }

// runsAlone runs a case up to three times, since a busy machine may make it late. Other tests of this kind on the
// machine wait meanwhile, by a lock that leaves nothing behind.
func runsAlone(t *testing.T, path string) {
	machine, err := os.Open(os.DevNull)
	must(t, err)
	defer machine.Close()
	for end := time.Now().Add(patience); unix.Flock(int(machine.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil; {
		if time.Now().After(end) {
			t.Log("somebody has locked " + os.DevNull + " all the time; going on without")
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	for attempt := 1; ; attempt++ {
		err := conforms(t, path)
		switch {
		case err == nil:
			return
		case attempt == 3:
			t.Fatal(err)
		}
		t.Logf("run %d: %v", attempt, err)
	}
}

// conformance is one run of a case.
type conformance struct {
	settings map[string]string
	environ  []string
	files    map[string]string
	dir      string
	took     time.Duration
	stdout   bytes.Buffer
	stderr   bytes.Buffer
}

// conforms runs a case and says in what it is not as wanted.
func conforms(t *testing.T, path string) error {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	must(t, err)
	c := &conformance{settings: map[string]string{}, files: map[string]string{}, dir: t.TempDir()}
	for line := range strings.Lines(string(archive.Comment)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if name == "env" {
			c.environ = append(c.environ, value)
		}
		c.settings[name] = value
	}
	for _, file := range archive.Files {
		c.files[file.Name] = string(file.Data)
		c.lay(t, file.Name, file.Data)
	}
	mark := strconv.Itoa(os.Getpid()) + c.dir
	status := c.run(t, mark)
	wrong := []error{c.status(status), c.output(), c.afterwards(), c.bounds()}
	for pid, name := range shelltest.Carriers(mark) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
		wrong = append(wrong, fmt.Errorf("left behind: process %d %s", pid, name))
	}
	if err := errors.Join(wrong...); err != nil {
		return fmt.Errorf("%w\nstderr: %s", err, c.stderr.Bytes())
	}
	return nil
}

// lay puts a file of the case into the working folder, unless it only says what is wanted.
func (c *conformance) lay(t *testing.T, name string, text []byte) {
	t.Helper()
	if wanted := []string{"stdin", "stdout", "stdout.sorted", "stderr.has", "stderr.hasnot",
		"absent"}; slices.Contains(wanted, name) ||
		strings.HasPrefix(name, "after/") {
		return
	}
	path := filepath.Join(c.dir, name)
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	write.Program(t, path, text)
}

// run runs the script and returns how it ended.
func (c *conformance) run(t *testing.T, mark string) string {
	t.Helper()
	limit, err := strconv.Atoi(cmp.Or(c.settings["timeout"], "20"))
	must(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), time.Duration(limit)*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c",
		fmt.Sprintf("exec ftsh %s script.ftsh %s", c.settings["flags"], c.settings["args"]))
	cmd.Dir = c.dir
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "FTSH_") {
			cmd.Env = append(cmd.Env, variable)
		}
	}
	cmd.Env = append(cmd.Env, "FTSH="+shelltest.Shell(t), "PATH="+c.dir+":"+shelltest.Path(t), shelltest.Marker+"="+mark)
	cmd.Env = append(cmd.Env, c.environ...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(c.files["stdin"]), &c.stdout, &c.stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	start := time.Now()
	err = cmd.Run()
	c.took = time.Since(start)
	return shelltest.StatusOf(err)
}

// status compares the exit status, or the signal that the shell died of.
func (c *conformance) status(got string) error {
	want := cmp.Or(c.settings["exit"], "0")
	if number, signal := strings.CutPrefix(want, "signal "); signal {
		n, _ := strconv.Atoi(number)
		want = strings.TrimPrefix(unix.SignalName(syscall.Signal(n)), "SIG")
	}
	if got != want {
		return fmt.Errorf("status %s, want %s", got, want)
	}
	return nil
}

// output compares what was written with what was wanted.
func (c *conformance) output() error {
	got := c.stdout.String()
	if want, given := c.files["stdout"]; given && got != want {
		return fmt.Errorf("stdout:\n%swant:\n%s", got, want)
	}
	if want, given := c.files["stdout.sorted"]; given && sorted(got) != sorted(want) {
		return fmt.Errorf("stdout, sorted:\n%swant:\n%s", sorted(got), sorted(want))
	}
	for line := range strings.Lines(c.files["stderr.has"]) {
		if line = strings.TrimSuffix(line, "\n"); !strings.Contains(c.stderr.String(), line) {
			return fmt.Errorf("stderr has no %q", line)
		}
	}
	for line := range strings.Lines(c.files["stderr.hasnot"]) {
		if line = strings.TrimSuffix(line, "\n"); strings.Contains(c.stderr.String(), line) {
			return fmt.Errorf("stderr has %q", line)
		}
	}
	return nil
}

func sorted(text string) string {
	return strings.Join(slices.Sorted(strings.Lines(text)), "")
}

// afterwards looks at the files that the script has left.
func (c *conformance) afterwards() error {
	for name, want := range c.files {
		if name, after := strings.CutPrefix(name, "after/"); after {
			if got, err := os.ReadFile(filepath.Join(c.dir, name)); err != nil || string(got) != want {
				return fmt.Errorf("%s holds %q, want %q (%v)", name, got, want, err)
			}
		}
	}
	for _, name := range strings.Fields(c.files["absent"]) {
		if _, err := os.Lstat(filepath.Join(c.dir, name)); err == nil {
			return fmt.Errorf("%s should not exist", name)
		}
	}
	return nil
}

// bounds compares the time that it took.
func (c *conformance) bounds() error {
	least, _ := strconv.ParseFloat(cmp.Or(c.settings["min"], "0"), 64)
	most, _ := strconv.ParseFloat(cmp.Or(c.settings["max"], "3600"), 64)
	if took := c.took.Seconds(); took < least || took > most {
		return fmt.Errorf("took %.2f s, want %v to %v", took, least, most)
	}
	return nil
}
