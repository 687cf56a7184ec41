package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/testdata/shelltest"
)

// backgroundCases are scripts in the background of a terminal, and how they end there.
var backgroundCases = []struct{ name, script, want string }{
	{"a program reads", "try for 500 ms; cat -; end", "status 1"},
	{"it sets the terminal's modes", "try for 500 ms; stty -echo; end", "status 1"},
	{"each attempt", "try 2 times each 300 ms every 0 s; cat -; end", "status 1"},
	{"a stage", "try for 500 ms; cat - | cat; end", "status 1"},
	{"branches", "try for 500 ms; forall i in 1 2 3; cat -; end; end", "status 1"},
	{"in a function", "function f; cat -; end; try for 500 ms; f; end", "status 1"},
	{"caught", "try for 500 ms; cat -; catch; exit 5; end", "status 5"},
	{"one reads, another goes on", "forall c in 'cat - ' true; try for 500 ms; sh -c $c; catch; true; end; end",
		"status 0"},
	{"the shell itself waits for input", "try for 500 ms; read x; end", "status 1"},
	{"a person stops it", "sh -c 'kill -TSTP 0; exit 3'", "status 148"},
}

// What a program does at the terminal from the background stops that program, and not the shell.
func TestBackground(t *testing.T) {
	t.Parallel()
	shell := shelltest.Shell(t)
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("SKIPPED: no bash, which tells of a job that stops")
	}
	for _, tt := range backgroundCases {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			said := atTerminal(t, "", fmt.Sprintf(`"%s" -t 1 -c "$SCRIPT" & wait $!; echo "status $?"; kill -KILL %%1`, shell),
				"SCRIPT="+tt.script)
			if !strings.Contains(said, tt.want+"\r\n") {
				t.Errorf("got %q, want %s of\n%s", said, tt.want, tt.script)
			}
		})
	}
}

// foregroundCases are scripts whose programs are stopped in the background, one of which puts its id into the file
// stopped, and what they say in the foreground, where "typed" is typed.
var foregroundCases = []struct{ name, script, want string }{
	{"a program reads", "sh -c 'echo $$ > stopped; exec sed \"s|^|got |; q\"'", "got typed"},
	{"and its parent waits", "sh -c 'echo $$ > stopped; head -n 1; echo parent'", "parent"},
	{"a stage", "sh -c 'echo $$ > stopped; exec head -n 1' | sed 's/^/stage /'", "stage typed"},
	{"it sets the terminal's modes", "sh -c 'echo $$ > stopped; stty -echo; echo set'", "set"},
}

// What was stopped for the terminal goes on when the terminal is given to the shell, which was no stopped job.
func TestForeground(t *testing.T) {
	t.Parallel()
	shell := shelltest.Shell(t)
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("SKIPPED: no bash, which gives the terminal to a job")
	}
	for _, tt := range foregroundCases {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			said := atTerminal(t, "typed\n", fmt.Sprintf(`"%s" -t 1 -c "$SCRIPT" &
				until grep -qs '^State:.T' "/proc/$(cat stopped)/status"; do sleep 0.01; done 2> /dev/null
				sleep 1.1 # longer than it takes to stop
				fg; echo "status $?"`, shell), "SCRIPT=try for 20 s; "+tt.script+"; end")
			if !strings.Contains(said, tt.want+"\r\n") || !strings.Contains(said, "status 0\r\n") {
				t.Errorf("got %q, want %s of\n%s", said, tt.want, tt.script)
			}
		})
	}
}

// atTerminal runs a command line with jobs at a terminal of its own, where something is typed before, and returns what
// appears there.
func atTerminal(t *testing.T, typed, line string, env ...string) string {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	must(t, err)
	defer master.Close()
	must(t, unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	must(t, err)
	terminal, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	must(t, err)
	_, err = master.WriteString(typed)
	must(t, err)
	c := exec.Command("bash", "--norc", "-m", "-c", line)
	c.Dir, c.Env = t.TempDir(), append(os.Environ(), env...)
	c.Stdin, c.Stdout, c.Stderr = terminal, terminal, terminal
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	must(t, c.Start())
	_ = terminal.Close()
	late := time.AfterFunc(time.Minute, func() { _ = c.Process.Kill() })
	defer late.Stop()
	var said bytes.Buffer
	_, _ = io.Copy(&said, master) // until nobody has the terminal any more
	_ = c.Wait()
	return said.String()
}

// overdueCases are scripts of which a command is past its limit while the shell is stopped: COMMAND, which says that
// it has begun, and never ends by itself.
var overdueCases = []struct{ name, script, want string }{
	{"limit", "try for 1 s\n COMMAND\ncatch\n echo ${error.kind} ${error.reason}\nend", "timeout deadline"},
	{"each", "try 1 time each 1 s\n COMMAND\ncatch\n echo ${error.kind} ${error.message}\nend",
		"timeout the limit of 1s for each attempt passed"},
	{"nested", "try for 1 s\n try for 1 h\n  COMMAND\n catch\n  echo inner\n end\ncatch\n echo ${error.kind}\nend",
		"timeout"},
	{"pipeline", "try for 1 s\n COMMAND | cat\ncatch\n echo ${error.kind}\nend", "timeout"},
	{"branches", "try for 1 s\n forall i in 1 2\n  COMMAND\n end\ncatch\n echo ${error.kind}\nend", "timeout"},
	{"function", "function f\n COMMAND\nend\ntry for 1 s\n f\ncatch\n echo ${error.kind}\nend", "timeout"},
	{"capture", "try for 1 s\n COMMAND -> x\ncatch\n echo ${error.kind}\nend", "timeout"},
	{"it asks for success when told to end", "try for 1 s\n sh -c 'trap \"exit 0\" TERM; echo > begun; sleep 1000 " +
		"& wait'\n" +
		"catch\n echo ${error.kind}\nend", "timeout"},
	{"finally", "try for 1 s\n try\n  true\n finally\n  COMMAND\n end\ncatch\n echo ${error.kind}\nend", "timeout"},
	{"finally within finally", "try for 1 s\n try\n  try\n   true\n  finally\n   COMMAND\n  end\n finally\n  " +
		"echo last\n end\ncatch\n echo ${error.kind}\nend", "last\ntimeout"},
	{"finally after the limit", "try for 1 s\n try\n  sh -c 'exec sleep 1000'\n finally\n  COMMAND\n end\ncatch\n " +
		"echo ${error.kind}\nend", "timeout"},
	{"verify", "try for 1 s key k\n true\nverify\n COMMAND\ncatch\n echo ${error.kind}\nend", "timeout"},
	{"the next attempt", "try 2 times each 1 s every 0 s\n sh -c 'test -e begun || { echo > begun; exec sleep 1000; }'\n" +
		"end\necho done", "done"},
}

// While a shell is stopped its guardian ends what is past its limit, and when it goes on that is a timeout.
func TestOverdueWhileStopped(t *testing.T) {
	t.Parallel()
	shell := shelltest.Shell(t)
	for _, tt := range overdueCases {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			script := strings.ReplaceAll(tt.script, "COMMAND", "sh -c 'echo > begun; setsid sleep 1000 & exec sleep 1000'")
			c := exec.Command(shell, "-t", "5", "-c", script)
			var said, failed bytes.Buffer
			c.Dir, c.Env, c.Stdout, c.Stderr = dir, append(os.Environ(), "OVERDUE="+dir), &said, &failed
			must(t, c.Start())
			waitUntil(t, "the command begins", func() bool { _, err := os.Stat(filepath.Join(dir, "begun")); return err == nil })
			waitUntil(t, "there is a guardian", func() bool { return guardianOf(c.Process.Pid) != 0 })
			_ = c.Process.Signal(syscall.SIGSTOP)
			waitUntil(t, "what is past its limit ends", func() bool {
				return len(withVariable("OVERDUE="+dir,
					c.Process.Pid)) == 0
			})
			_ = c.Process.Signal(syscall.SIGCONT)
			_ = c.Wait()
			if got := strings.TrimSpace(said.String()); got != tt.want || failed.Len() > 0 {
				t.Errorf("got %q and %q, want %q of\n%s", got, failed.String(), tt.want, script)
			}
		})
	}
}

// withVariable finds the processes that have a variable in their environment, but for a shell and its guardian.
func withVariable(entry string, shell int) (found []string) {
	names, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, name := range names {
		text, _ := os.ReadFile(name)
		pid := filepath.Base(filepath.Dir(name))
		if bytes.Contains(text, []byte(entry)) && pid != fmt.Sprint(shell) && pid != fmt.Sprint(guardianOf(shell)) {
			found = append(found, pid)
		}
	}
	return found
}
