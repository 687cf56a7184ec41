package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestCtrlCDropsTheLine(t *testing.T) {
	t.Parallel()
	c := newConsole(t, consoleConfig{})
	c.cursorAfter(prompt)
	c.send("try\recho half")
	c.cursorAfter("try… echo half")
	c.send(ctrlC)
	c.sees(prompt+"try", "try… echo half^C", prompt)
	c.runs("echo whole", "whole")
}

func TestCtrlD(t *testing.T) {
	t.Parallel()
	c := newConsole(t, consoleConfig{})
	c.cursorAfter(prompt)
	c.send("try\r" + ctrlD + ctrlD)
	c.typed("echo x")
	c.cursorAfter("try… echo x")
	c.send(left + ctrlD) // deletes
	c.cursorAfter("try… echo ")
	c.send(ctrlC)
	c.cursorAfter(prompt)
	c.send(ctrlD)
	if status := c.leaves(); status != "0" {
		t.Error("status", status)
	}
}

func TestExit(t *testing.T) {
	t.Parallel()
	c := newConsole(t, consoleConfig{})
	c.cursorAfter(prompt)
	c.entered("exit 7")
	if status := c.leaves(); status != "7" {
		t.Error("status", status)
	}
}

func TestHangUpAtThePrompt(t *testing.T) {
	t.Parallel()
	c := newConsole(t, consoleConfig{})
	c.cursorAfter(prompt)
	c.typed("touch ran")
	c.hangUp()
	if status := c.leaves(); status != "HUP" {
		t.Error("status", status)
	}
	if _, err := os.Stat(filepath.Join(c.home, "ran")); err == nil {
		t.Error("what was half typed ran")
	}
}

func TestCtrlCCancels(t *testing.T) {
	t.Parallel()
	c := newConsole(t, consoleConfig{})
	c.cursorAfter(prompt)
	c.send("try for 1 hour\recho begun\rsleep 1000\rfinally\recho cleaned\rend\r")
	c.sees("try… end", "begun")
	c.send(ctrlC)
	c.sees("begun", "^Ccleaned", "", prompt)
	c.runs("echo next", "next")
}

func TestSecondCtrlCSkipsTheWaiting(t *testing.T) {
	t.Parallel()
	c := newConsole(t, consoleConfig{files: map[string]string{
		"bin/stubborn": "#!/bin/sh\ntrap '' INT TERM\necho running\nwhile :; do sleep 1; done\n",
	}})
	c.cursorAfter(prompt)
	c.entered("stubborn")
	c.shows("running")
	c.send(ctrlC)
	c.shows("^C")
	c.send(ctrlC)
	c.shows("^C^C")
	c.cursorAfter(prompt)
	c.runs("echo next", "next")
}

func TestFailuresAreTold(t *testing.T) {
	t.Parallel()
	c := newConsole(t, consoleConfig{columns: 120, rows: 40})
	c.runs("false", "failed: false: ended with status 1")
	c.runs("nosuchprogram x", "failed: nosuchprogram: no such program")
	c.runs("echo $nosuch", "prompt:1:6: variable nosuch was never set; ${nosuch:-text} gives a default",
		"    echo $nosuch", "         ^", "help variables tells more")
	c.runs("a && b", "prompt:1:3: && is not known here; write the second command on a line of its own, it only runs if the first succeeds",
		"    a && b", "      ^", "help bash tells more")
	c.cursorAfter(prompt)
	c.entered("try for 3 bananas")
	c.shows("help try tells more")
}

func TestStartScript(t *testing.T) {
	t.Parallel()
	c := newConsole(t, consoleConfig{files: map[string]string{".config/ftsh/rc.ftsh": `
function greet
    echo "hello $1"
end
function prompt
    echo -n "[$PWD] "
end
editor=ed
echo ready
`}})
	c.sees("ready", "["+c.home+"]")
	c.entered("greet $editor")
	c.sees("hello ed", "["+c.home+"]")
	c.entered("cd /")
	c.sees("[/]")
}

func TestBrokenStartScript(t *testing.T) {
	t.Parallel()
	c := newConsole(t, consoleConfig{files: map[string]string{".config/ftsh/rc.ftsh": "x=1\ny=(\n"}})
	c.shows("rc.ftsh:2:4:")
	c.cursorAfter(prompt)
}

func TestPromptFunction(t *testing.T) {
	t.Parallel()
	c := newConsole(t, consoleConfig{})
	c.cursorAfter(prompt)
	c.send("count=0\rfunction prompt\rcount=$count .add. 1\rreturn \"$count: \"\rend\r")
	c.cursorAfter("1: ")
	c.entered("true")
	c.cursorAfter("1: ") // it runs apart
	c.send("function prompt\rfalse\rend\r")
	c.cursorAfter(prompt)
	c.send("function prompt\recho running > /dev/tty\rsleep 1000\rend\r")
	c.sees("function prompt… end", "running")
	c.send(ctrlC)
	c.cursorAfter(prompt)
}

func TestHelp(t *testing.T) {
	t.Parallel()
	c := newConsole(t, consoleConfig{env: []string{"PAGER=showpage -x"}, files: map[string]string{
		"bin/showpage": "#!/bin/sh\nsed -n 's/\x1b[^m]*m//g; 1s/^/page begins: /p' $2\n",
	}})
	c.cursorAfter(prompt)
	c.entered("help")
	c.shows("Ctrl-R       search the history")
	c.shows("help TOPIC shows a page of the manual:")
	c.shows("forall")
	c.entered("help loops") // which is higher than the terminal
	c.sees("page begins: Loops: `for`, `forany`, hedging", prompt)
	c.entered("help nosuch")
	c.shows("the manual has no page nosuch; help lists the pages")
	c.entered("help loops | wc -l -> n")
	c.entered("help | head -n 1")
	c.shows("A statement that is complete runs on Enter")
}

func TestColours(t *testing.T) {
	t.Parallel()
	c := newConsole(t, consoleConfig{})
	c.cursorAfter(prompt)
	c.send(`x=1; ls 'a b' $x # c`)
	c.cursorAfter(prompt + `x=1; ls 'a b' $x # c`)
	for text, want := range map[string]string{"ls": "32", "'a b'": "33", "$x": "36", "# c": "2"} {
		c.colourOf(text, want)
	}
	c.send(ctrlU + "nosuchprogram x")
	c.colourOf("nosuchprogram", "31")
	c.send(ctrlU + "try for 3 minutes")
	c.colourOf("try", "1;35")
}

// colourOf waits until a text has been written in a colour.
func (c *console) colourOf(text, colour string) {
	c.t.Helper()
	c.wait(text+" in the colour "+colour, func() bool { return strings.Contains(string(c.raw), "\x1b["+colour+"m"+text+"\x1b[0m") })
}

func TestNoColour(t *testing.T) {
	t.Parallel()
	c := newConsole(t, consoleConfig{columns: 120, rows: 24, env: []string{"NO_COLOR=1"}})
	c.runs("ls $HOME/nothing 'a b' # c", "ls: cannot access '"+c.home+"/nothing': No such file or directory",
		"ls: cannot access 'a b': No such file or directory", "failed: ls "+c.home+"/nothing a b: ended with status 2")
	for _, sequence := range regexp.MustCompile("\x1b\\[[0-9;]*m").FindAllString(string(c.raw), -1) {
		switch sequence {
		case "\x1b[0m", "\x1b[1;4m": // what stands out, without a colour
		default:
			t.Errorf("%q was written", sequence)
		}
	}
}

func TestDumbTerminal(t *testing.T) {
	t.Parallel()
	c := newConsole(t, consoleConfig{env: []string{"TERM=dumb"}})
	c.cursorAfter(prompt)
	c.send("try 1 time\r")
	c.cursorAfter("try... ")
	c.send("echo x\r")
	c.sees("try... echo x", "try...")
	c.send("end\r")
	c.sees("try... end", "x", prompt)
	c.send("echo a\x7f" + "b\r") // the kernel does the editing
	c.sees("b", prompt)
	c.send(ctrlD)
	c.leaves()
	if strings.Contains(string(c.raw), "\x1b") {
		t.Errorf("escape sequences were written: %q", c.raw)
	}
}

func TestMatchingBrackets(t *testing.T) {
	t.Parallel()
	c := newConsole(t, consoleConfig{})
	c.cursorAfter(prompt)
	c.send("x=(1 .add. (2))")
	c.wait("the outer brackets to stand out", func() bool { return strings.Count(string(c.raw), "\x1b[1;4m)") > 0 })
	c.send(ctrlU + "if true\rtry\rtrue\rend\rend")
	c.sees(prompt+"if true", "if… try", "try… true", "try… end", "if… end  # if in line 1")
	c.send(left + left + left + left)
	c.sees("try… end  # try in line 2", "if… end")
}

func TestViMode(t *testing.T) {
	t.Parallel()
	c := newConsole(t, consoleConfig{files: map[string]string{".config/ftsh/rc.ftsh": "FTSH_EDITMODE=vi\n", historyFile: "echo old\n"}})
	c.cursorAfter(prompt)
	c.send("echo one two")
	c.cursorAfter(prompt + "echo one two")
	c.send(escape)
	c.send("0")
	c.cursorAfter(prompt)
	c.send("w")
	c.cursorAfter(prompt + "echo ")
	c.send("dw")
	c.wait("a word to go", func() bool { return c.row(0) == prompt+"echo two" || c.row(0) == prompt+"echo  two" })
	c.send("$rX0xx")
	c.send("eeeeAy" + escape + "rz")
	c.send("k")
	c.cursorAfter(prompt + "echo old")
	c.send(enter)
	c.sees("old", prompt)
	c.send(escape + ctrlD)
	c.leaves()
}
