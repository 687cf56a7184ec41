package progress_test

import (
	"strings"
	"testing"

	"ftsh/testdata/shelltest"
)

const (
	prompt = shelltest.Prompt
	enter  = "\r"
	ctrlC  = "\x03"
	ctrlZ  = "\x1a"
)

func TestMain(m *testing.M) {
	shelltest.Main(m, nil)
}

// console is the shell on a terminal.
type console struct{ *shelltest.Console }

func newConsole(t *testing.T, config shelltest.ConsoleConfig) *console {
	t.Helper()
	return &console{shelltest.NewConsole(t, config)}
}

// until runs something when a file is there, without asking for it all the time.
const until = `mkfifo "$1"; read x <"$1"; true`

func TestWaitIsShown(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{Args: []string{"x.ftsh"}, Files: map[string]string{"x.ftsh": `echo begun

try for 2 hours or 5 times every 30 minutes
    sh -c 'exit 3'
end
`}})
	c.Bottom(`try, line 3: attempt 1 of 5 failed, next in (30 min 0 s|29 min \d\d s), (2 h 0|1 h 59) min left: sh: en…`)
	c.Send(ctrlC)
	if status := c.Leaves(); status != "INT" {
		t.Error("status", status)
	}
	c.isClean()
}

// isClean checks that the shell has left nothing of its view: no text in the last
// row, no part of the terminal that does not scroll.
func (c *console) isClean() {
	c.T.Helper()
	if last := c.Row(c.Screen.Height() - 1); last != "" {
		c.T.Errorf("in the last row: %s", last)
	}
	defer func() {
		if c.T.Failed() {
			c.T.Logf("the last that came: %q", c.Raw[max(0, len(c.Raw)-600):])
		}
	}()
	at := c.Screen.CursorPosition()
	_, _ = c.Screen.WriteString(strings.Repeat("\n", c.Screen.Height()) + "x")
	if c.Row(0) != "" || c.Screen.CursorPosition().Y != c.Screen.Height()-1 {
		c.T.Errorf("the terminal does not scroll as a whole; the cursor was at %v", at)
	}
}

func TestCountdownAndItsEnd(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{Columns: 40, Rows: 10, Args: []string{"-l", "10", "x.ftsh"},
		Files: map[string]string{"x.ftsh": `
echo -n 'no newline 世界'
try 2 times backoff fixed from 2500 ms
    test ${try.attempt} -eq 2
end
echo ' goes on'
`}})
	c.Bottom(`try:3 1/2, next 3 s: test: ended with …`)
	c.Bottom(`try:3 1/2, next 2 s: test: ended with …`)
	c.Bottom(`try:3 1/2, next 1 s: test: ended with …`)
	if status := c.Leaves(); status != "0" {
		t.Error("status", status)
	}
	if !strings.Contains(strings.Join(c.Lines(), "\n"), "goes on") || len(c.Lines()) != 6 {
		t.Error(c.Picture())
	}
	c.isClean()
}

func TestShortWaitsAreNotShown(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{Args: []string{"x.ftsh"}, Files: map[string]string{"x.ftsh": `
try 4 times backoff fixed from 50 ms
    test ${try.attempt} -eq 4
end
`}})
	c.Leaves()
	if strings.Contains(string(c.Raw), "\x1b") {
		t.Errorf("%q", c.Raw)
	}
}

func TestEnterTriesAtOnce(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{})
	c.CursorAfter(prompt)
	c.Send("try 3 times every 1000 seconds\rtest ${try.attempt} -eq 3\rend\r")
	c.Bottom(`try, line 1: attempt 1 of 3 failed, next in 16 min .*`)
	c.Send(enter)
	c.Bottom(`try, line 1: attempt 2 of 3 failed, next in 16 min .*`)
	c.Send(enter)
	c.Sees("try… end", prompt)
	c.Runs("echo next", "next")
}

// What is typed during a wait, other than Enter, is for the prompt.
func TestTypeAheadInAWait(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{})
	c.CursorAfter(prompt)
	c.Send("try 2 times every 2 seconds\rtest ${try.attempt} -eq 2\rend\r")
	c.Bottom(`try, line 1: attempt 1 of 2 failed, next in .*`)
	c.Send("echo ahead\recho fur")
	c.Sees("try… end", prompt+"echo ahead", "ahead", prompt+"echo fur")
}

func TestCtrlCInAWait(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{})
	c.CursorAfter(prompt)
	c.Send("try for 1 hour every 1000 seconds\rfalse\rfinally\recho cleaned\rend\r")
	c.Bottom(`try, line 1: attempt 1 failed, next in 16 min .*`)
	c.Send(ctrlC)
	c.Sees("", "cleaned", prompt)
	c.Runs("echo next", "next")
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
	c := newConsole(t, shelltest.ConsoleConfig{Columns: 80, Rows: 12, Args: []string{"x.ftsh"},
		Files: map[string]string{"x.ftsh": branches}})
	c.Bottom(`forall x, line 2: ▒{21}░{7} 0 done, 0 failed, 3 running of 4`)
	c.Release("fifo-a")
	c.Bottom(`forall x, line 2: █{7}▒{21} 1 done, 0 failed, 3 running of 4`)
	c.Wait("the output above", func() bool { return c.Row(7) == "a says 8" })
	c.Release("fifo-b")
	c.Bottom(`forall x, line 2: █{14}▒{14} 2 done, 0 failed, 2 running of 4`)
	c.Release("fifo-d")
	c.Wait("the output to scroll above", func() bool { return c.Row(9) == "d says 8" && c.Row(0) == "b says 7" })
	c.Bottom(`forall x, line 2: █{21}▒{7} 3 done, 0 failed, 1 running of 4`)
	c.Release("fifo-c")
	c.Leaves()
	c.Sees("c says 7", "c says 8", "all done")
	c.isClean()
}

// What .grouped. holds back comes above the view, in the order of the list.
func TestGroupedAboveTheBar(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{Columns: 80, Rows: 12, Args: []string{"x.ftsh"},
		Files: map[string]string{"x.ftsh": strings.Replace(branches, ".limit. 3", ".grouped.", 1)}})
	c.Bottom(`forall x, line 2: ▒{28} 0 done, 0 failed, 4 running of 4`)
	c.Release("fifo-b")
	c.Bottom(`forall x, line 2: █{7}▒{21} 1 done, 0 failed, 3 running of 4`)
	c.Wait("nothing of b before a", func() bool { return c.Row(0) == "" })
	c.Release("fifo-a")
	c.Bottom(`forall x, line 2: █{14}▒{14} 2 done, 0 failed, 2 running of 4`)
	c.Wait("the output above", func() bool { return c.Row(9) == "b says 8" && c.Row(1) == "a says 8" })
	c.Release("fifo-d")
	c.Release("fifo-c")
	c.Leaves()
	c.Sees("c says 8", "d says 1", "d says 2", "d says 3", "d says 4", "d says 5", "d says 6", "d says 7", "d says 8",
		"all done")
	c.isClean()
}

func TestNarrowForallBarWithWaits(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{Columns: 40, Rows: 12, Args: []string{"x.ftsh"},
		Files: map[string]string{"x.ftsh": `
forall x in 1 .to. 9 .keepgoing.
    if $x .eql. 1
        failure "nicht gut: 世界"
    end
    try for 1 hour every 1000 seconds
        sh -c 'exit 3'
    end
end
`}})
	c.Bottom(`try:6 x=\d+ 1, next 16 min.* \(and 5 more\)`)
	c.Wait("the bar", func() bool { return c.Row(8) == "forall:2 █▒▒▒▒▒▒▒▒▒▒▒▒▒ 0+8/9, 1 failed" })
	c.Send(ctrlC)
	c.Leaves()
	c.isClean()
}

// An editor that is started in a branch has the terminal to itself.
func TestFullScreenProgramInForall(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{Args: []string{"x.ftsh"}, Files: map[string]string{
		"x.ftsh": "forall x in a b\nif $x .eq. a\nsh -c '" + until + "' fifo fifo-a\nelse\nsh -c '" + until +
			"' fifo fifo-b\nedit\nend\nend\n",
		"bin/edit": `#!/bin/sh
old=$(stty -g)
stty raw -echo
mkfifo fifo-e
printf '\033[?1049h\033[2J\033[Hediting\033[24;1Hstatus line'
read x <fifo-e
printf '\033[?1049l'
stty "$old"
`}})
	c.Bottom(`forall x, line 1: ▒+ 0 done, 0 failed, 2 running of 2`)
	c.Release("fifo-b")
	c.Shows("status line")
	c.Release("fifo-a")
	c.Wait("the editor's screen to be as it was", func() bool {
		return c.Row(0) == "editing" && c.Row(23) == "status line"
	})
	c.Release("fifo-e")
	c.Leaves()
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
			c := newConsole(t, shelltest.ConsoleConfig{Args: test.args, Env: test.env, Files: map[string]string{
				"x.ftsh": "try 2 times every 1 second\ntest ${try.attempt} -eq 2\nend\n",
			}})
			if status := c.Leaves(); status != "0" {
				t.Error("status", status)
			}
			if strings.Contains(string(c.Raw), "\x1b") {
				t.Errorf("%q", c.Raw)
			}
		})
	}
}

func TestProgressAlways(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{
		Files: map[string]string{"x.ftsh": "try for 1 hour every 1000 seconds\nfalse\nend\n"}})
	c.CursorAfter(prompt)
	c.Send("ftsh --progress always x.ftsh 2> log\r")
	c.Bottom(`try, line 1: attempt 1 failed, next in 16 min .*`)
	c.Send(ctrlC)
	c.Wait("the prompt", func() bool {
		return strings.HasSuffix(strings.Join(c.Lines(), "\n"), strings.TrimSpace(prompt)) && len(c.Lines()) > 1
	})
}

// A nested shell draws only if no other does.
func TestNestedShells(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{Args: []string{"outer.ftsh"}, Files: map[string]string{
		"outer.ftsh": "forall x in 1 2\nftsh inner.ftsh\nend\n",
		"inner.ftsh": "try for 1 hour every 1000 seconds\nfalse\nend\n",
	}})
	c.Wait("one view", func() bool {
		text := strings.Join(c.Lines(), "\n")
		return strings.Count(text, "try, line 1:")+strings.Count(text, "forall x") == 1
	})
	c.Send(ctrlC)
	c.Leaves()
	c.isClean()
}

func TestResizeWhileWaiting(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{Args: []string{"x.ftsh"},
		Files: map[string]string{"x.ftsh": "try for 1 hour every 1000 seconds\nfalse\nend\n"}})
	c.Bottom(`try, line 1: attempt 1 failed, next in 16 min .*`)
	c.Resize(40, 30)
	c.Bottom(`try:1 1, next 16 min .*`)
	c.Wait("nothing to be left in the row where it was", func() bool { return c.Row(23) == "" })
	c.Resize(100, 10)
	c.Bottom(`try, line 1: attempt 1 failed, next in 16 min .* left: false: ended with status 1`)
	c.Send(ctrlC)
	c.Leaves()
	c.isClean()
}

func TestStoppedWhileWaiting(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{
		Files: map[string]string{"x.ftsh": "try for 1 hour every 1000 seconds\nfalse\nend\n"}})
	c.CursorAfter(prompt)
	c.Send("exec bash --norc --noprofile -i\r")
	c.Shows("bash-")
	c.Send("PS1='$ '\r")
	c.Wait("bash", func() bool { return c.BeforeCursor() == "$ " })
	c.Send("ftsh x.ftsh\r")
	c.Bottom(`try, line 1: attempt 1 failed, next in 16 min .*`)
	c.Send(ctrlZ)
	c.Shows("Stopped")
	c.Wait("bash", func() bool { return c.BeforeCursor() == "$ " && c.Row(23) == "" })
	c.Send("fg\r")
	c.Bottom(`try, line 1: attempt 1 failed, next in 16 min .*`)
	c.Send(ctrlC)
	c.Wait("bash", func() bool { return c.BeforeCursor() == "$ " && c.Row(23) == "" })
	c.Send("exit\r")
	c.Leaves()
}
