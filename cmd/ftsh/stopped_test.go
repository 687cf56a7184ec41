package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/testdata/shelltest"
)

// stoppedCases are scripts that are stopped in a command that orders something. ORDER does so, and ends when
// it is told to, with the status behind it; until the shell goes on the limit passes.
var stoppedCases = []struct{ name, script, want string }{
	{"each", "try 3 times each LIMIT every 0 s\n ORDER 0\nend", "order"},
	{"limit", "try for LIMIT\n ORDER 0\nend", "order"},
	{"pipeline", "try 3 times each LIMIT every 0 s\n ORDER 0 | cat\nend", "order"},
	{"later stage", "try 3 times each LIMIT every 0 s\n echo x | ORDER 0\nend", "order"},
	{"branches", "try 3 times each LIMIT every 0 s\n forall x in 1\n ORDER 0\n end\nend", "order"},
	{"hedged", "try 3 times each LIMIT every 0 s\n forany x in 1 .hedge. 1 h\n ORDER 0\n end\nend", "order"},
	{"function", "function f\n ORDER 0\nend\ntry 3 times each LIMIT every 0 s\n f\nend", "order"},
	{"own failure", "try for LIMIT\n ORDER 5\ncatch\n echo ${error.kind} ${error.status} ${error.reason} >> orders\nend",
		"order exit 5 deadline"},
	{"of a pipeline", "try for LIMIT\n ORDER 5 | cat\ncatch\n echo ${error.kind} ${error.status} >> orders\nend",
		"order exit 5"},
	{"of an attempt", "try 1 time each LIMIT\n ORDER 5\ncatch\n echo ${error.kind} ${error.status} >> orders\nend",
		"order exit 5"},
	{"nested", "try for LIMIT\n try 5 times\n  ORDER 5\n catch\n  echo more >> orders\n end\n" +
		"catch\n echo ${error.kind} ${error.status} >> orders\nend", "order exit 5"},
	{"nothing further begins", "try for LIMIT\n ORDER 0\n echo more >> orders\ncatch\n echo ${error.kind} >> orders\nend",
		"order timeout"},
	{"no other stage", "try for LIMIT\n ORDER 0 | /bin/sleep 30\ncatch\n echo ${error.kind} >> orders\nend",
		"order timeout"},
}

// What has ended when a stopped shell goes on has its own outcome, though a limit has passed meanwhile.
func TestStoppedShell(t *testing.T) {
	t.Parallel()
	shell := shelltest.Shell(t)
	for _, tt := range stoppedCases {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := unix.Mkfifo(filepath.Join(dir, "go"), 0o600); err != nil {
				t.Fatal(err)
			}
			const limit = 3 * time.Second
			order := `sh -c 'echo $$ > begun; read x < go; echo order >> orders; exit $0'`
			script := strings.NewReplacer("LIMIT", limit.String(), "ORDER", order).Replace(tt.script)
			c := exec.Command(shell, "-t", "1", "-c", script)
			c.Dir = dir
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			pid := waitForFile(t, filepath.Join(dir, "begun"))
			began := time.Now() // the limit has, too
			stopShell(t, c, dir, pid)
			time.Sleep(time.Until(began.Add(limit + 100*time.Millisecond))) // for the limit to pass
			_ = c.Process.Signal(syscall.SIGCONT)
			_ = c.Wait()
			text, _ := os.ReadFile(filepath.Join(dir, "orders"))
			if got := strings.Join(strings.Fields(string(text)), " "); got != tt.want {
				t.Errorf("got %q, want %q of\n%s", got, tt.want, script)
			}
		})
	}
}

// stopShell stops a shell, and lets its command, and what reads from that, end meanwhile.
func stopShell(t *testing.T, c *exec.Cmd, dir, command string) {
	t.Helper()
	waitUntil(t, "the shell closes its end of the pipe", func() bool { return !sharesPipe(c.Process.Pid, command) })
	_ = c.Process.Signal(syscall.SIGSTOP)
	waitUntil(t, "the shell stops", func() bool { return stateOf(fmt.Sprint(c.Process.Pid)) == "T" })
	if err := os.WriteFile(filepath.Join(dir, "go"), []byte("\n"), 0); err != nil {
		t.Fatal(err)
	}
	waitUntil(t, "the command ends", func() bool { return stateOf(command) == "Z" })
	waitUntil(t, "all that read from it end", func() bool { return !runsCat(c.Process.Pid) })
}

// sharesPipe reports whether a shell has the pipe that a command writes to, if it does.
func sharesPipe(shell int, command string) bool {
	output, _ := os.Readlink("/proc/" + command + "/fd/1")
	names, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", shell))
	return strings.HasPrefix(output, "pipe:") && slices.ContainsFunc(names, func(name string) bool {
		file, _ := os.Readlink(name)
		return file == output
	})
}

// runsCat reports whether a child of a process is a cat that lives.
func runsCat(parent int) bool {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", parent))
	for _, name := range lists {
		list, _ := os.ReadFile(name)
		for pid := range strings.FieldsSeq(string(list)) {
			comm, _ := os.ReadFile("/proc/" + pid + "/comm")
			if string(comm) == "cat\n" && stateOf(pid) != "Z" {
				return true
			}
		}
	}
	return false
}

// stateOf is the letter of a process's state, "" if there is none.
func stateOf(pid string) string {
	text, _ := os.ReadFile("/proc/" + pid + "/stat")
	_, after, _ := strings.Cut(string(text), ") ")
	state, _, _ := strings.Cut(after, " ")
	return state
}

// waitForFile waits for a file with a line, and returns that.
func waitForFile(t *testing.T, name string) (line string) {
	t.Helper()
	waitUntil(t, name, func() bool {
		text, _ := os.ReadFile(name)
		line = strings.TrimSpace(string(text))
		return line != ""
	})
	return line
}

// waitUntil waits until something holds; after a while it fails the test.
func waitUntil(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain: %s", what)
		}
	}
}
