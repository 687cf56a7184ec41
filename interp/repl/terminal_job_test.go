package repl_test

import (
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"ftsh/testdata/shelltest"

	"golang.org/x/sys/unix"
)

// rawProgram behaves as an editor does: another screen, no echo, keys one by one.
const rawProgram = `#!/bin/sh
old=$(stty -g)
enter() { stty raw -echo; printf '\033[?1049h\033[2J\033[Hediting\r\n'; }
leave() { printf '\033[?1049l'; stty "$old"; }
enter
while key=$(dd bs=1 count=1 2>/dev/null); do
	case $key in
	q) leave; echo left; exit 0 ;;
	c) exit 3 ;;
	k) kill -9 $$ ;;
	z) leave; kill -TSTP 0; enter ;;
	*) printf 'key %s\r\n' "$key" ;;
	esac
done
`

func TestEditor(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{Files: map[string]string{"bin/edit": rawProgram}})
	c.CursorAfter(prompt)
	c.Send("edit\r")
	c.Shows("editing")
	c.Send("a" + "\x03")
	c.Sees("editing", "key a", "key")
	c.Send("q")
	c.Sees(prompt+"edit", "left", prompt)
	c.Runs("echo next", "next")
}

func TestEditorIsStoppedAndGoesOn(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{Files: map[string]string{"bin/edit": rawProgram}})
	c.CursorAfter(prompt)
	c.Send("x=1\r")
	c.Sees(prompt+"x=1", prompt)
	c.Send("try 1 time\redit\recho \"x is $x\"\rx=3\rend\r")
	c.Shows("editing")
	c.Send("z")
	c.Sees("try… end", "", "stopped: try 1 time … (fg goes on with it)", prompt)
	c.Runs("jobs", "1  stopped  try 1 time …")
	c.Runs("x=2")
	c.Send("fg\r")
	c.Shows("editing")
	c.Send("ab")
	c.Shows("key b")
	c.Send("q")
	c.Sees("left", "x is 1", prompt)
	c.Runs("echo $x", "2") // what was stopped had gone its own way
	c.Runs("jobs")
	c.Runs("fg", "failed: fg: nothing is stopped")
}

func TestCtrlZ(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{Files: map[string]string{
		"bin/count": "#!/bin/sh\necho counting\nread a\necho got $a\n",
	}})
	c.CursorAfter(prompt)
	c.Send("count\r")
	c.Shows("counting")
	c.Send(ctrlZ)
	c.Sees("^Z", "stopped: count (fg goes on with it)", prompt)
	c.Send("count | cat\r")
	c.Shows("counting\n^Z")
	c.Wait("the second to run", func() bool { return strings.Count(strings.Join(c.Lines(), "\n"), "counting") == 2 })
	c.Send(ctrlZ)
	c.Shows("stopped: count | cat (fg goes on with it)")
	c.CursorAfter(prompt)
	c.Runs("jobs", "1  stopped  count", "2  stopped  count | cat")
	c.Send("fg 1\r")
	c.Sees(prompt+"fg 1", "count")
	c.Send("one\r")
	c.Sees("one", "got one", prompt)
	c.Send("fg\r")
	c.Sees(prompt+"fg", "count | cat")
	c.Send("two\r")
	c.Sees("two", "got two", prompt)
}

// A number of a stopped statement may have a % before it, as in other shells.
func TestNumbersWithPercent(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{Columns: 120, Rows: 50, Files: map[string]string{
		"bin/work": "#!/bin/sh\necho working\nread a\n",
		"bin/deaf": "#!/bin/sh\ntrap '' TERM\necho working\nwhile :; do read a; sleep 0.1; done\n",
	}})
	c.CursorAfter(prompt)
	for _, text := range []string{"work", "try\rwork\rfinally\recho cleaned\rend", "deaf"} {
		c.Send(text + "\r")
		c.Wait(text+" to work", func() bool { lines := c.Lines(); return lines[len(lines)-1] == "working" })
		c.Send(ctrlZ)
		c.CursorAfter(prompt)
	}
	c.Runs("jobs", "1  stopped  work", "2  stopped  try …", "3  stopped  deaf")
	c.Runs("kill %4", "failed: kill %4: no stopped statement has the number 4; jobs lists them")
	c.Runs("kill %1 1", "failed: kill %1 1: 1 is no stopped statement, as %1 is; end processes by a kill of their own")
	c.Runs("kill -USR1 %1",
		"failed: kill -USR1 %1: a stopped statement cannot get the signal USR1, only be ended, or by -9 be ended at once")
	c.Runs("kill %2", "cleaned", "ended: try …")
	c.Runs("kill -9 %3", "ended: deaf")
	c.Runs("jobs", "1  stopped  work")
	c.Send("fg %1\r")
	c.Sees(prompt+"fg %1", "work")
	c.Send("\r")
	c.CursorAfter(prompt)
	c.Runs("jobs")
	c.Runs("fg %1", "failed: fg %1: nothing is stopped")
}

// A kill of processes is the program.
func TestKillOfProcesses(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{Columns: 120, Rows: 30, Files: map[string]string{
		"bin/kill": "#!/bin/sh\necho \"program: $*\"\necho other >&2\n",
	}})
	c.CursorAfter(prompt)
	c.Runs("kill -TERM 1234 2> file | tr a-z A-Z", "PROGRAM: -TERM 1234")
	c.Runs("cat file", "other")
}

func TestNoBackground(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{Columns: 200, Rows: 30})
	c.Runs("bg %1",
		"prompt:1:1: bg is not known here, as nothing runs in the background; write  fg  to go on with what is stopped, "+
			"or  forall … end  to run commands at the same time", "    bg %1", "    ^", "help bash tells more")
}

// begins waits until a statement has begun to run: the cursor is below it.
func (c *console) begins(text string) {
	c.T.Helper()
	c.Wait(text+" to run", func() bool {
		lines := c.Lines()
		return strings.HasSuffix(lines[len(lines)-1], text) && c.Screen.CursorPosition().Y == len(lines)
	})
}

func TestCtrlCOnlyReachesWhatHasTheTerminal(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{Files: map[string]string{
		"bin/count": "#!/bin/sh\necho counting\nread a\necho got $a\n",
	}})
	c.CursorAfter(prompt)
	c.Send("count\r")
	c.Shows("counting")
	c.Send(ctrlZ)
	c.CursorAfter(prompt)
	c.Send("sleep 1000\r")
	c.begins("sleep 1000")
	c.Send(ctrlC)
	c.Sees(prompt+"sleep 1000", "^C", prompt)
	c.Send("fg\r")
	c.Sees(prompt+"fg", "count")
	c.Send("x\r")
	c.Sees("got x", prompt)
	c.Send("count\r")
	c.Sees(prompt+"count", "counting")
	c.Send(ctrlZ)
	c.CursorAfter(prompt)
	c.Send("fg\r")
	c.Sees(prompt+"fg", "count")
	c.Send(ctrlC)
	c.Sees("count", "^C", prompt)
}

func TestLeavingWithStoppedStatements(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{Files: map[string]string{"bin/edit": rawProgram}})
	c.CursorAfter(prompt)
	c.Send("edit\r")
	c.Shows("editing")
	c.Send("z")
	c.CursorAfter(prompt)
	c.Send(ctrlD)
	c.Sees("1 stopped; fg goes on, leaving once more ends it", prompt)
	c.Send(ctrlD)
	if status := c.Leaves(); status != "0" {
		t.Error("status", status)
	}
}

func TestStoppedStatementMeetsItsLimit(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{Columns: 120, Rows: 24, Files: map[string]string{
		"bin/count": "#!/bin/sh\necho counting\nread a\necho got $a\n",
	}})
	c.CursorAfter(prompt)
	c.Send("try for 1 second\rcount\rend\r")
	c.Shows("counting")
	c.Send(ctrlZ)
	c.CursorAfter(prompt)
	c.Send("sleep 1.2\r")
	c.Sees(prompt+"sleep 1.2",
		"try for 1 second …, which was stopped, has failed: prompt:2:1: the limit of 1s passed", prompt)
	c.Runs("jobs")
}

// playPager is a program that handles Ctrl-C as a pager does: it is not ended by it.
func playPager() {
	signals := make(chan os.Signal, 10)
	signal.Notify(signals, syscall.SIGINT)
	before, err := unix.IoctlGetTermios(1, unix.TCGETS)
	if err != nil {
		fmt.Println(err)
		return
	}
	modes := *before
	modes.Lflag = modes.Lflag&^(unix.ICANON|unix.ECHO) | unix.NOFLSH
	_ = unix.IoctlSetTermios(1, unix.TCSETS, &modes)
	defer unix.IoctlSetTermios(1, unix.TCSETS, before)
	keys := make(chan byte)
	go func() {
		var key [1]byte
		for {
			_, _ = unix.Read(1, key[:])
			keys <- key[0]
		}
	}()
	for fmt.Println("ready"); ; {
		select {
		case <-signals:
			fmt.Println("interrupted")
		case key := <-keys:
			fmt.Println("key", string(key))
			if key == 'q' {
				return
			}
		}
	}
}

func TestPagerHandlesCtrlC(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{})
	c.CursorAfter(prompt)
	c.Send("yes | page\r")
	c.Shows("ready")
	for n := range 3 {
		c.Send(ctrlC)
		c.Wait("the pager to notice", func() bool { return strings.Count(string(c.Raw), "interrupted") == n+1 })
	}
	c.Send("b")
	c.Shows("key b")
	c.Send("q")
	c.Wait("the prompt", func() bool { return c.BeforeCursor() == prompt })
}

// What handles Ctrl-C and then gives up cancels the statement, so that it is
// not tried again.
func TestCooperativeExit(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{Files: map[string]string{"bin/work": `#!/bin/sh
stty noflsh # or the kernel may drop what is written soon after Ctrl-C
trap 'echo tidying; exit 20' INT
echo working
while :; do sleep 1; done
`}})
	c.CursorAfter(prompt)
	c.Send("try for 1 hour\rwork\rend\r")
	c.Shows("working")
	c.Send(ctrlC)
	c.Sees("working", "^Ctidying", "", prompt)
}

// What handles Ctrl-C and goes on is ended by the second.
func TestStubbornHandler(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{Files: map[string]string{"bin/work": `#!/bin/sh
trap 'echo no' INT
trap 'echo all right; exit 1' TERM
echo working
while :; do sleep 0.1; done
`}})
	c.CursorAfter(prompt)
	c.Send("work\r")
	c.Shows("working")
	c.Send(ctrlC)
	c.Shows("no")
	c.Repeats(ctrlC, "all right") // what comes at once after the first may count as that one
	c.CursorAfter(prompt)
}

// A shell at the prompt of another has the terminal, and gives it back.
func TestPromptInPrompt(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{})
	c.CursorAfter(prompt)
	c.Send("ftsh\r")
	c.Sees(prompt+"ftsh", prompt)
	c.CursorAfter(prompt)
	c.Send("x=inner\r")
	c.Sees(prompt+"x=inner", prompt)
	c.Send("sleep 1000\r")
	c.begins("sleep 1000")
	c.Send(ctrlC)
	c.Sees(prompt+"sleep 1000", "^C", prompt)
	c.Runs("echo $x", "inner")
	c.Send("exit\r")
	c.Sees(prompt+"exit", prompt)
	c.Runs("sh -c 'echo outer'", "outer")
}

// The terminal is the shell's own while nothing but the shell runs.
func TestCtrlZInAWait(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{})
	c.CursorAfter(prompt)
	c.Send("try for 1 hour every 10 minutes\rfalse\rend\r")
	c.Shows("attempt 1 failed, next in")
	c.Send(ctrlZ)
	c.Shows("no program runs that could be stopped; Ctrl-C cancels")
	c.Shows("attempt 1 failed, next in")
	c.Send(ctrlC)
	c.CursorAfter(prompt)
	c.Runs("jobs")
	c.Entered("echo waiting; sleep 1000")
	c.Sees("waiting")
	c.Send(ctrlZ)
	c.Sees("waiting", "no program runs that could be stopped; Ctrl-C cancels")
	c.Send(ctrlC)
	c.CursorAfter(prompt)
}

func TestCtrlZAtThePrompt(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{})
	c.CursorAfter(prompt)
	c.Typed("echo a")
	c.Send(ctrlZ)
	c.Typed("b")
	c.Send(enter)
	c.Sees(prompt+"echo ab", "ab", prompt)
}
