package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// bottom waits until the last row of the terminal matches a pattern.
func (c *console) bottom(pattern string) {
	c.t.Helper()
	re := regexp.MustCompile("^" + pattern + "$")
	c.wait("a last row like "+pattern, func() bool { return re.MatchString(c.row(c.screen.Height() - 1)) })
}

// until runs something when a file is there, without asking for it all the time.
const until = `mkfifo "$1"; read x <"$1"; true`

// release lets a program go on that waits at a fifo, or will.
func (c *console) release(name string) {
	c.t.Helper()
	path := filepath.Join(c.home, name)
	for end := time.Now().Add(slow); ; time.Sleep(time.Millisecond) {
		fifo, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err == nil {
			_ = fifo.Close()
			return
		}
		if !os.IsNotExist(err) || time.Now().After(end) {
			c.t.Fatal(err)
		}
	}
}

func TestWaitIsShown(t *testing.T) {
	t.Parallel()
	c := newConsole(t, consoleConfig{args: []string{"x.ftsh"}, files: map[string]string{"x.ftsh": `echo begun

try for 2 hours or 5 times every 30 minutes
    sh -c 'exit 3'
end
`}})
	c.bottom(`try, line 3: attempt 1 of 5 failed, next in (30 min 0 s|29 min \d\d s), (2 h 0|1 h 59) min left: sh: en…`)
	c.send(ctrlC)
	if status := c.leaves(); status != "INT" {
		t.Error("status", status)
	}
	c.isClean()
}

// isClean checks that the shell has left nothing of its view: no text in the last
// row, no part of the terminal that does not scroll.
func (c *console) isClean() {
	c.t.Helper()
	if last := c.row(c.screen.Height() - 1); last != "" {
		c.t.Errorf("in the last row: %s", last)
	}
	defer func() {
		if c.t.Failed() {
			c.t.Logf("the last that came: %q", c.raw[max(0, len(c.raw)-600):])
		}
	}()
	at := c.screen.CursorPosition()
	_, _ = c.screen.WriteString(strings.Repeat("\n", c.screen.Height()) + "x")
	if c.row(0) != "" || c.screen.CursorPosition().Y != c.screen.Height()-1 {
		c.t.Errorf("the terminal does not scroll as a whole; the cursor was at %v", at)
	}
}

func TestCountdownAndItsEnd(t *testing.T) {
	t.Parallel()
	c := newConsole(t, consoleConfig{columns: 40, rows: 10, args: []string{"x.ftsh"}, files: map[string]string{"x.ftsh": `
echo -n 'no newline 世界'
try 2 times backoff fixed from 2500 ms
    test ${try.attempt} -eq 2
end
echo ' goes on'
`}})
	c.bottom(`try:3 1/2, next 3 s: test: ended with …`)
	c.bottom(`try:3 1/2, next 2 s: test: ended with …`)
	c.bottom(`try:3 1/2, next 1 s: test: ended with …`)
	if status := c.leaves(); status != "0" {
		t.Error("status", status)
	}
	if !strings.Contains(strings.Join(c.lines(), "\n"), "goes on") || len(c.lines()) != 4 {
		t.Error(c.picture())
	}
	c.isClean()
}

func TestShortWaitsAreNotShown(t *testing.T) {
	t.Parallel()
	c := newConsole(t, consoleConfig{args: []string{"x.ftsh"}, files: map[string]string{"x.ftsh": `
try 4 times backoff fixed from 50 ms
    test ${try.attempt} -eq 4
end
`}})
	c.leaves()
	if strings.Contains(string(c.raw), "\x1b") {
		t.Errorf("%q", c.raw)
	}
}

func TestEnterTriesAtOnce(t *testing.T) {
	t.Parallel()
	c := newConsole(t, consoleConfig{})
	c.cursorAfter(prompt)
	c.send("try 3 times every 1000 seconds\rtest ${try.attempt} -eq 3\rend\r")
	c.bottom(`try, line 1: attempt 1 of 3 failed, next in 16 min .*`)
	c.send(enter)
	c.bottom(`try, line 1: attempt 2 of 3 failed, next in 16 min .*`)
	c.send(enter)
	c.sees("try… end", prompt)
	c.runs("echo next", "next")
}

// What is typed during a wait, other than Enter, is for the prompt.
func TestTypeAheadInAWait(t *testing.T) {
	t.Parallel()
	c := newConsole(t, consoleConfig{})
	c.cursorAfter(prompt)
	c.send("try 2 times every 2 seconds\rtest ${try.attempt} -eq 2\rend\r")
	c.bottom(`try, line 1: attempt 1 of 2 failed, next in .*`)
	c.send("echo ahead\recho fur")
	c.sees("try… end", prompt+"echo ahead", "ahead", prompt+"echo fur")
}

func TestCtrlCInAWait(t *testing.T) {
	t.Parallel()
	c := newConsole(t, consoleConfig{})
	c.cursorAfter(prompt)
	c.send("try for 1 hour every 1000 seconds\rfalse\rfinally\recho cleaned\rend\r")
	c.bottom(`try, line 1: attempt 1 failed, next in 16 min .*`)
	c.send(ctrlC)
	c.sees("cleaned", "", prompt)
	c.runs("echo next", "next")
}

const branches = `
forall x in a b c d .limit. 3
    sh -c '` + until + `' fifo fifo-$x
    sh -c 'for i in 1 2 3 4 5 6 7 8; do echo $1 says $i; done' x $x
end
echo all done
`

func TestForallBar(t *testing.T) {
	t.Parallel()
	c := newConsole(t, consoleConfig{columns: 80, rows: 12, args: []string{"x.ftsh"}, files: map[string]string{"x.ftsh": branches}})
	c.bottom(`forall x, line 2: ▒{21}░{7} 0 done, 0 failed, 3 running of 4`)
	c.release("fifo-a")
	c.bottom(`forall x, line 2: █{7}▒{21} 1 done, 0 failed, 3 running of 4`)
	c.wait("the output above", func() bool { return c.row(7) == "a says 8" })
	c.release("fifo-b")
	c.bottom(`forall x, line 2: █{14}▒{14} 2 done, 0 failed, 2 running of 4`)
	c.release("fifo-d")
	c.wait("the output to scroll above", func() bool { return c.row(9) == "d says 8" && c.row(0) == "b says 7" })
	c.bottom(`forall x, line 2: █{21}▒{7} 3 done, 0 failed, 1 running of 4`)
	c.release("fifo-c")
	c.leaves()
	c.sees("c says 7", "c says 8", "all done")
	c.isClean()
}

func TestNarrowForallBarWithWaits(t *testing.T) {
	t.Parallel()
	c := newConsole(t, consoleConfig{columns: 40, rows: 12, args: []string{"x.ftsh"}, files: map[string]string{"x.ftsh": `
forall x in 1 .to. 9 .keepgoing.
    if $x .eql. 1
        failure "nicht gut: 世界"
    end
    try for 1 hour every 1000 seconds
        sh -c 'exit 3'
    end
end
`}})
	c.bottom(`try:6 1, next 16 min 40 s, … \(and 5 more\)|try:6 1, next 16 min .* \(and 5 more\)`)
	c.wait("the bar", func() bool { return c.row(8) == "forall:2 █▒▒▒▒▒▒▒▒▒▒▒▒▒ 0+8/9, 1 failed" })
	c.send(ctrlC)
	c.leaves()
	c.isClean()
}

// An editor that is started in a branch has the terminal to itself.
func TestFullScreenProgramInForall(t *testing.T) {
	t.Parallel()
	c := newConsole(t, consoleConfig{args: []string{"x.ftsh"}, files: map[string]string{
		"x.ftsh": "forall x in a b\nif $x .eq. a\nsh -c '" + until + "' fifo fifo-a\nelse\nsh -c '" + until + "' fifo fifo-b\nedit\nend\nend\n",
		"bin/edit": `#!/bin/sh
old=$(stty -g)
stty raw -echo
mkfifo fifo-e
printf '\033[?1049h\033[2J\033[Hediting\033[24;1Hstatus line'
read x <fifo-e
printf '\033[?1049l'
stty "$old"
`}})
	c.bottom(`forall x, line 1: ▒+ 0 done, 0 failed, 2 running of 2`)
	c.release("fifo-b")
	c.shows("status line")
	c.release("fifo-a")
	c.wait("the editor's screen to be as it was", func() bool {
		return c.row(0) == "editing" && c.row(23) == "status line"
	})
	c.release("fifo-e")
	c.leaves()
	c.isClean()
}

func TestProgressIsOff(t *testing.T) {
	for name, test := range map[string]struct {
		args []string
		env  []string
	}{
		"never":            {args: []string{"--progress", "never", "x.ftsh"}},
		"never, inherited": {args: []string{"x.ftsh"}, env: []string{"FTSH_PROGRESS=never"}},
		"a text":           {args: []string{"-c", "try 2 times every 1 second\ntest ${try.attempt} -eq 2\nend"}},
		"a dumb terminal":  {args: []string{"x.ftsh"}, env: []string{"TERM=dumb"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newConsole(t, consoleConfig{args: test.args, env: test.env, files: map[string]string{
				"x.ftsh": "try 2 times every 1 second\ntest ${try.attempt} -eq 2\nend\n",
			}})
			if status := c.leaves(); status != "0" {
				t.Error("status", status)
			}
			if strings.Contains(string(c.raw), "\x1b") {
				t.Errorf("%q", c.raw)
			}
		})
	}
}

func TestProgressAlways(t *testing.T) {
	t.Parallel()
	c := newConsole(t, consoleConfig{files: map[string]string{"x.ftsh": "try for 1 hour every 1000 seconds\nfalse\nend\n"}})
	c.cursorAfter(prompt)
	c.send("ftsh --progress always x.ftsh 2> log\r")
	c.bottom(`try, line 1: attempt 1 failed, next in 16 min .*`)
	c.send(ctrlC)
	c.wait("the prompt", func() bool {
		return strings.HasSuffix(strings.Join(c.lines(), "\n"), strings.TrimSpace(prompt)) && len(c.lines()) > 1
	})
}

// A nested shell draws only if no other does.
func TestNestedShells(t *testing.T) {
	t.Parallel()
	c := newConsole(t, consoleConfig{args: []string{"outer.ftsh"}, files: map[string]string{
		"outer.ftsh": "forall x in 1 2\nftsh inner.ftsh\nend\n",
		"inner.ftsh": "try for 1 hour every 1000 seconds\nfalse\nend\n",
	}})
	c.wait("one view", func() bool {
		text := strings.Join(c.lines(), "\n")
		return strings.Count(text, "try, line 1:")+strings.Count(text, "forall x") == 1
	})
	c.send(ctrlC)
	c.leaves()
	c.isClean()
}

func TestResizeWhileWaiting(t *testing.T) {
	t.Parallel()
	c := newConsole(t, consoleConfig{args: []string{"x.ftsh"}, files: map[string]string{"x.ftsh": "try for 1 hour every 1000 seconds\nfalse\nend\n"}})
	c.bottom(`try, line 1: attempt 1 failed, next in 16 min .*`)
	c.resize(40, 30)
	c.bottom(`try:1 1, next 16 min .*`)
	if got := c.row(23); got != "" {
		t.Errorf("left in the row where it was: %s", got)
	}
	c.resize(100, 10)
	c.bottom(`try, line 1: attempt 1 failed, next in 16 min .* left: false: ended with status 1`)
	c.send(ctrlC)
	c.leaves()
	c.isClean()
}

func TestStoppedWhileWaiting(t *testing.T) {
	t.Parallel()
	c := newConsole(t, consoleConfig{files: map[string]string{"x.ftsh": "try for 1 hour every 1000 seconds\nfalse\nend\n"}})
	c.cursorAfter(prompt)
	c.send("exec bash --norc --noprofile -i\r")
	c.shows("bash-")
	c.send("PS1='$ '\r")
	c.wait("bash", func() bool { return c.beforeCursor() == "$ " })
	c.send("ftsh x.ftsh\r")
	c.bottom(`try, line 1: attempt 1 failed, next in 16 min .*`)
	c.send(ctrlZ)
	c.shows("Stopped")
	c.wait("bash", func() bool { return c.beforeCursor() == "$ " && c.row(23) == "" })
	c.send("fg\r")
	c.bottom(`try, line 1: attempt 1 failed, next in 16 min .*`)
	c.send(ctrlC)
	c.wait("bash", func() bool { return c.beforeCursor() == "$ " && c.row(23) == "" })
	c.send("exit\r")
	c.leaves()
}
