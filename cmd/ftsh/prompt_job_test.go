package main

import (
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

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
	c := newConsole(t, consoleConfig{files: map[string]string{"bin/edit": rawProgram}})
	c.cursorAfter(prompt)
	c.send("edit\r")
	c.shows("editing")
	c.send("a" + "\x03")
	c.sees("editing", "key a", "key")
	c.send("q")
	c.sees(prompt+"edit", "left", prompt)
	c.runs("echo next", "next")
}

func TestEditorIsStoppedAndGoesOn(t *testing.T) {
	t.Parallel()
	c := newConsole(t, consoleConfig{files: map[string]string{"bin/edit": rawProgram}})
	c.cursorAfter(prompt)
	c.send("x=1\r")
	c.sees(prompt+"x=1", prompt)
	c.send("try 1 time\redit\recho \"x is $x\"\rx=3\rend\r")
	c.shows("editing")
	c.send("z")
	c.sees("try… end", "", "stopped: try 1 time … (fg goes on with it)", prompt)
	c.runs("jobs", "1  stopped  try 1 time …")
	c.runs("x=2")
	c.send("fg\r")
	c.shows("editing")
	c.send("ab")
	c.shows("key b")
	c.send("q")
	c.sees("left", "x is 1", prompt)
	c.runs("echo $x", "2") // what was stopped had gone its own way
	c.runs("jobs")
	c.runs("fg", "failed: fg: nothing is stopped")
}

func TestCtrlZ(t *testing.T) {
	t.Parallel()
	c := newConsole(t, consoleConfig{files: map[string]string{"bin/count": "#!/bin/sh\necho counting\nread a\necho got $a\n"}})
	c.cursorAfter(prompt)
	c.send("count\r")
	c.shows("counting")
	c.send(ctrlZ)
	c.sees("^Z", "stopped: count (fg goes on with it)", prompt)
	c.send("count | cat\r")
	c.shows("counting\n^Z")
	c.wait("the second to run", func() bool { return strings.Count(strings.Join(c.lines(), "\n"), "counting") == 2 })
	c.send(ctrlZ)
	c.shows("stopped: count | cat (fg goes on with it)")
	c.cursorAfter(prompt)
	c.runs("jobs", "1  stopped  count", "2  stopped  count | cat")
	c.send("fg 1\r")
	c.sees(prompt+"fg 1", "count")
	c.send("one\r")
	c.sees("one", "got one", prompt)
	c.send("fg\r")
	c.sees(prompt+"fg", "count | cat")
	c.send("two\r")
	c.sees("two", "got two", prompt)
}

func TestCtrlCOnlyReachesWhatHasTheTerminal(t *testing.T) {
	t.Parallel()
	c := newConsole(t, consoleConfig{files: map[string]string{"bin/count": "#!/bin/sh\necho counting\nread a\necho got $a\n"}})
	c.cursorAfter(prompt)
	c.send("count\r")
	c.shows("counting")
	c.send(ctrlZ)
	c.cursorAfter(prompt)
	c.send("sleep 1000\r")
	c.wait("sleep to run", func() bool { return strings.HasSuffix(c.lines()[len(c.lines())-1], "sleep 1000") })
	c.send(ctrlC)
	c.sees(prompt+"sleep 1000", "^C", prompt)
	c.send("fg\r")
	c.sees(prompt+"fg", "count")
	c.send("x\r")
	c.sees("got x", prompt)
	c.send("count\r")
	c.sees(prompt+"count", "counting")
	c.send(ctrlZ)
	c.cursorAfter(prompt)
	c.send("fg\r")
	c.sees(prompt+"fg", "count")
	c.send(ctrlC)
	c.sees("count", "^C", prompt)
}

func TestLeavingWithStoppedStatements(t *testing.T) {
	t.Parallel()
	c := newConsole(t, consoleConfig{files: map[string]string{"bin/edit": rawProgram}})
	c.cursorAfter(prompt)
	c.send("edit\r")
	c.shows("editing")
	c.send("z")
	c.cursorAfter(prompt)
	c.send(ctrlD)
	c.sees("1 stopped; fg goes on, leaving once more ends it", prompt)
	c.send(ctrlD)
	if status := c.leaves(); status != "0" {
		t.Error("status", status)
	}
}

func TestStoppedStatementMeetsItsLimit(t *testing.T) {
	t.Parallel()
	c := newConsole(t, consoleConfig{columns: 120, rows: 24, files: map[string]string{"bin/count": "#!/bin/sh\necho counting\nread a\necho got $a\n"}})
	c.cursorAfter(prompt)
	c.send("try for 1 second\rcount\rend\r")
	c.shows("counting")
	c.send(ctrlZ)
	c.cursorAfter(prompt)
	c.send("sleep 1.2\r")
	c.sees(prompt+"sleep 1.2", "try for 1 second …, which was stopped, has failed: prompt:2:1: the limit of 1s passed", prompt)
	c.runs("jobs")
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
	c := newConsole(t, consoleConfig{})
	c.cursorAfter(prompt)
	c.send("yes | page\r")
	c.shows("ready")
	for n := range 3 {
		c.send(ctrlC)
		c.wait("the pager to notice", func() bool { return strings.Count(string(c.raw), "interrupted") == n+1 })
	}
	c.send("b")
	c.shows("key b")
	c.send("q")
	c.wait("the prompt", func() bool { return c.beforeCursor() == prompt })
}

// What handles Ctrl-C and then gives up cancels the statement, so that it is
// not tried again.
func TestCooperativeExit(t *testing.T) {
	t.Parallel()
	c := newConsole(t, consoleConfig{files: map[string]string{"bin/work": `#!/bin/sh
trap 'echo tidying; exit 20' INT
echo working
while :; do sleep 1; done
`}})
	c.cursorAfter(prompt)
	c.send("try for 1 hour\rwork\rend\r")
	c.shows("working")
	c.send(ctrlC)
	c.sees("working", "^Ctidying", "", prompt)
}

// What handles Ctrl-C and goes on is ended by the second.
func TestStubbornHandler(t *testing.T) {
	t.Parallel()
	c := newConsole(t, consoleConfig{files: map[string]string{"bin/work": `#!/bin/sh
trap 'echo no' INT
trap 'echo all right; exit 1' TERM
echo working
while :; do sleep 0.1; done
`}})
	c.cursorAfter(prompt)
	c.send("work\r")
	c.shows("working")
	c.send(ctrlC)
	c.shows("no")
	c.repeats(ctrlC, "all right") // what comes at once after the first may count as that one
	c.cursorAfter(prompt)
}

// stops presses Ctrl-Z until the statement is stopped: less misses one that
// comes just before it begins to wait for a key.
func (c *console) stops(text string) {
	c.t.Helper()
	c.repeats(ctrlZ, "stopped: "+text)
}

// repeats presses a key, and again every five seconds, until a text is on the screen.
func (c *console) repeats(key, text string) {
	c.t.Helper()
	again := time.NewTicker(5 * time.Second)
	defer again.Stop()
	done := make(chan struct{})
	defer close(done)
	go func() {
		for {
			select {
			case <-again.C:
				_, _ = c.pty.WriteString(key)
			case <-done:
				return
			}
		}
	}()
	c.send(key)
	c.shows(text)
}

// A shell at the prompt of another has the terminal, and gives it back.
func TestPromptInPrompt(t *testing.T) {
	t.Parallel()
	c := newConsole(t, consoleConfig{})
	c.cursorAfter(prompt)
	c.send("ftsh\r")
	c.sees(prompt+"ftsh", prompt)
	c.cursorAfter(prompt)
	c.send("x=inner\r")
	c.sees(prompt+"x=inner", prompt)
	c.send("sleep 1000\r")
	c.wait("sleep to run", func() bool { return strings.HasSuffix(c.lines()[len(c.lines())-1], "sleep 1000") })
	c.send(ctrlC)
	c.sees(prompt+"sleep 1000", "^C", prompt)
	c.runs("echo $x", "inner")
	c.send("exit\r")
	c.sees(prompt+"exit", prompt)
	c.runs("sh -c 'echo outer'", "outer")
}

// The terminal is the shell's own while nothing but the shell runs.
func TestCtrlZInAWait(t *testing.T) {
	t.Parallel()
	c := newConsole(t, consoleConfig{})
	c.cursorAfter(prompt)
	c.send("try for 1 hour every 10 minutes\rfalse\rend\r")
	c.shows("attempt 1 failed, next in")
	c.send(ctrlZ)
	c.shows("no program runs that could be stopped; Ctrl-C cancels")
	c.shows("attempt 1 failed, next in")
	c.send(ctrlC)
	c.cursorAfter(prompt)
	c.runs("jobs")
	c.entered("echo waiting; sleep 1000")
	c.sees("waiting")
	c.send(ctrlZ)
	c.sees("waiting", "no program runs that could be stopped; Ctrl-C cancels")
	c.send(ctrlC)
	c.cursorAfter(prompt)
}

func TestCtrlZAtThePrompt(t *testing.T) {
	t.Parallel()
	c := newConsole(t, consoleConfig{})
	c.cursorAfter(prompt)
	c.typed("echo a")
	c.send(ctrlZ)
	c.typed("b")
	c.send(enter)
	c.sees(prompt+"echo ab", "ab", prompt)
}
