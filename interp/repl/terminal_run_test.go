package repl_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ftsh/testdata/shelltest"
)

func TestCtrlCDropsTheLine(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{})
	c.CursorAfter(prompt)
	c.Send("try\recho half")
	c.CursorAfter("try…     echo half")
	c.Send(ctrlC)
	c.Sees(prompt+"try", "try…     echo half^C", prompt)
	c.Runs("echo whole", "whole")
}

func TestCtrlD(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{})
	c.CursorAfter(prompt)
	c.Send("try\r" + ctrlD + ctrlD)
	c.Typed("echo x")
	c.CursorAfter("try…     echo x")
	c.Send(left + ctrlD) // deletes
	c.CursorAfter("try…     echo ")
	c.Send(ctrlC)
	c.CursorAfter(prompt)
	c.Send(ctrlD)
	if status := c.Leaves(); status != "0" {
		t.Error("status", status)
	}
}

func TestExit(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{})
	c.CursorAfter(prompt)
	c.Entered("exit 7")
	if status := c.Leaves(); status != "7" {
		t.Error("status", status)
	}
}

func TestHangUpAtThePrompt(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{})
	c.CursorAfter(prompt)
	c.Typed("touch ran")
	c.HangUp()
	if status := c.Leaves(); status != "HUP" {
		t.Error("status", status)
	}
	if _, err := os.Stat(filepath.Join(c.Home, "ran")); err == nil {
		t.Error("what was half typed ran")
	}
}

func TestCtrlCCancels(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{})
	c.CursorAfter(prompt)
	c.Send("try for 1 hour\recho begun\rsleep 1000\rfinally\recho cleaned\rend\r")
	c.Sees("try… end", "begun")
	c.Send(ctrlC)
	c.Sees("begun", "^C", "cleaned", prompt)
	c.Runs("echo next", "next")
}

func TestSecondCtrlCSkipsTheWaiting(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{Args: []string{"-t", "1h"}, Files: map[string]string{
		"bin/stubborn": "#!/bin/sh\ntrap '' INT\ntrap 'echo asked to end' TERM\necho running\nwhile :; do sleep 1; done\n",
	}})
	c.CursorAfter(prompt)
	c.Entered("stubborn")
	c.Shows("running")
	c.Send(ctrlC)
	c.Shows("asked to end") // what comes at once after the first may count as that one
	c.Send(ctrlC)
	c.CursorAfter(prompt)
	c.Runs("echo next", "next")
}

func TestFailuresAreTold(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{Columns: 120, Rows: 40})
	c.Runs("false", "failed: false: ended with status 1")
	c.Runs("nosuchprogram x", "failed: nosuchprogram: no such program")
	c.Runs("echo $nosuch", "prompt:1:6: variable nosuch was never set; ${nosuch:-text} gives a default",
		"    echo $nosuch", "         ^", "help variables tells more")
	c.Runs("a && b",
		"prompt:1:3: && is not known here; write the second command on a line of its own, it only runs if the first succeeds",
		"    a && b", "      ^", "help bash tells more")
	c.CursorAfter(prompt)
	c.Entered("try for 3 bananas")
	c.Shows("help try tells more")
}

func TestStartScript(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{Files: map[string]string{".config/ftsh/rc.ftsh": `
function greet
    echo "hello $1"
end
function prompt
    echo -n "[$PWD] "
end
editor=ed
echo ready
`}})
	c.Sees("ready", "["+c.Home+"]")
	c.Entered("greet $editor")
	c.Sees("hello ed", "["+c.Home+"]")
	c.Entered("cd /")
	c.Sees("[/]")
}

func TestBrokenStartScript(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{Columns: 200, Rows: 24,
		Files: map[string]string{".config/ftsh/rc.ftsh": "x=1\ny=(\n"}})
	c.Shows("rc.ftsh:2:4:")
	c.CursorAfter(prompt)
}

// Which lines of a start script are not read for its mistakes is said.
func TestStartScriptIsNotRead(t *testing.T) {
	for name, test := range map[string]struct{ text, lines string }{
		"a habit":         {"x=1\nalias l=ls\ny=2\n", "line 2 was not read"},
		"a group":         {"x=1\nif $x = 1\n  y=2\nend\ny=3\n", "lines 2 to 4 were not read"},
		"no end":          {"x=1\nfunction f\n  echo\ny=2\n", "line 2 and what follows were not read"},
		"in the last one": {"x=1\ny=(\n", "line 2 and what follows were not read"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newConsole(t, shelltest.ConsoleConfig{Files: map[string]string{".config/ftsh/rc.ftsh": test.text}})
			c.Shows("\n~/.config/ftsh/rc.ftsh: " + test.lines + "\n")
			c.Runs("echo $x", "1")
		})
	}
}

// A line of the start script that fails is named with its file, and the rest runs.
func TestFailingStartScript(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{Columns: 200, Rows: 40, Files: map[string]string{
		".config/ftsh/rc.ftsh": `x=1
nosuchprogram
echo "x is $x"
function fails
    false
end
try
    fails
end
if $nosuch .eql. 1
    echo never
end
echo last
`,
	}})
	c.Sees("failed: ~/.config/ftsh/rc.ftsh:2: nosuchprogram: no such program", "x is 1",
		"failed: ~/.config/ftsh/rc.ftsh:5: false: ended with status 1",
		c.Home+"/.config/ftsh/rc.ftsh:10:4: variable nosuch was never set; ${nosuch:-text} gives a default",
		"    if $nosuch .eql. 1", "       ^", "help variables tells more", "last", prompt)
	c.Runs("fails", "failed: ~/.config/ftsh/rc.ftsh:5: false: ended with status 1")
}

// Of a start script with syntax errors runs what surely is as it was meant.
func TestWrongStartScript(t *testing.T) {
	for name, test := range map[string]struct{ text, shown string }{
		"an expression":           {"echo 1\nx=(\necho 2\n", "1\n2\n"},
		"in a group":              {"try\necho 1 && false\necho 2\nend\necho 3\n", "3\n"},
		"in a header":             {"if $x = 3\necho 1\nend\necho 2\n", "2\n"},
		"in a function":           {"function f\necho 1 && false\nend\necho 2\nf\necho 3\n", "2\n3\n"},
		"a habit":                 {"echo 1\nalias l=ls\necho 2\n", "1\n2\n"},
		"a group of other shells": {"echo 1\nf() {\necho 2\necho x && y\necho 3\n}\necho 4\n", "1\n4\n"},
		"a case":                  {"echo 1\ncase x in\nx) true ;;\ny)\necho 2\nesac\necho 3\n", "1\n3\n"},
		"no end":                  {"echo 1\ntry\necho 2\n", "1\n"},
		"a sourced file":          {"echo 1\nsource sub\necho 2\n", "1\n2\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newConsole(t, shelltest.ConsoleConfig{Columns: 200, Rows: 60, Files: map[string]string{
				".config/ftsh/rc.ftsh": test.text, ".config/ftsh/sub": "echo 9\necho 8 && 7\n",
			}})
			c.CursorAfter(prompt)
			shown := ""
			for _, row := range c.Now() {
				if len(row) == 1 {
					shown += row + "\n"
				}
			}
			if shown != test.shown {
				t.Errorf("it printed %q, want %q; the screen:\n%s", shown, test.shown, c.Picture())
			}
			c.Shows(".config/ftsh/")
		})
	}
}

func TestPromptFunction(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{})
	c.CursorAfter(prompt)
	c.Send("count=0\rfunction prompt\rcount=$count .add. 1\rreturn \"$count: \"\rend\r")
	c.CursorAfter("1: ")
	c.Entered("true")
	c.CursorAfter("1: ") // it runs apart
	c.Send("function prompt\rfalse\rend\r")
	c.CursorAfter(prompt)
	c.Send("function prompt\recho running > /dev/tty\rsleep 1000\rend\r")
	c.Shows("function prompt… end\nrunning") // for half a second, then the prompt is the usual one
	c.Send(ctrlC)
	c.CursorAfter(prompt)
}

func TestHelp(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{Env: []string{"PAGER=showpage -x"}, Files: map[string]string{
		"bin/showpage": "#!/bin/sh\nsed -n 's/\x1b[^m]*m//g; 1s/^/page begins: /p' $2\n",
	}})
	c.CursorAfter(prompt)
	c.Entered("help")
	c.Shows("Alt-.        the last word of the one before")
	c.Shows("help TOPIC shows a page of the manual")
	c.Shows("reference      The ftsh language")
	for _, asked := range []string{"?", "man ftsh", "ftsh help"} {
		c.Send(ctrlL)
		c.Sees(prompt)
		c.Send(asked + "\r")
		c.Shows("reference      The ftsh language")
		c.CursorAfter(prompt)
	}
	c.Entered("help loops") // which is higher than the terminal
	c.Sees("page begins: Loops: for, lists, break, lines of a file", prompt)
	c.Entered("help nosuch")
	c.Shows("the manual has no page nosuch; help lists the pages")
	c.Entered("help loops | wc -l -> n")
	c.Entered("help | head -n 1")
	c.Shows("The pages of the manual. Begin with those marked *.")
	c.Send(ctrlL)
	c.Runs("quit", "exit leaves, and so does Ctrl-D")
}

// Who has no history yet is greeted.
func TestGreeting(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{Files: map[string]string{historyFile: ""}})
	c.Sees("ftsh 8.0 — help for help, Ctrl-D leaves", prompt)
	c.Send("echo -n\r\x04")
	c.Leaves()
	again := newConsole(t, shelltest.ConsoleConfig{Files: map[string]string{historyFile: c.history()}})
	again.CursorAfter(prompt)
	if lines := again.Now(); len(lines) != 1 {
		t.Error(lines)
	}
}

func TestColours(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{})
	c.CursorAfter(prompt)
	c.Send(`x=1; ls 'a b' $x # c`)
	c.CursorAfter(prompt + `x=1; ls 'a b' $x # c`)
	for text, want := range map[string]string{"ls": "32", "'a b'": "33", "$x": "36", "# c": "2"} {
		c.colourOf(text, want)
	}
	c.Send(ctrlU + "nosuchprogram x")
	c.colourOf("nosuchprogram", "31")
	c.Send(ctrlU + "try for 3 minutes")
	c.colourOf("try", "1;35")
}

// colourOf waits until a text has been written in a colour.
func (c *console) colourOf(text, colour string) {
	c.T.Helper()
	c.Wait(text+" in the colour "+colour, func() bool {
		return strings.Contains(string(c.Raw), "\x1b["+colour+"m"+text+"\x1b[0m")
	})
}

func TestNoColour(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{Columns: 120, Rows: 24, Env: []string{"NO_COLOR=1"}})
	c.Runs("ls ${nosuch:-nothing} 'a b' # c", "ls: cannot access 'nothing': No such file or directory",
		"ls: cannot access 'a b': No such file or directory", "failed: ls nothing a b: ended with status 2")
	for _, sequence := range regexp.MustCompile("\x1b\\[[0-9;]*m").FindAllString(string(c.Raw), -1) {
		switch sequence {
		case "\x1b[0m", "\x1b[1;4m": // what stands out, without a colour
		default:
			t.Errorf("%q was written", sequence)
		}
	}
}

func TestDumbTerminal(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{Env: []string{"TERM=dumb"}})
	c.CursorAfter(prompt)
	c.Send("try 1 time\r")
	c.CursorAfter("try... ")
	c.Send("echo x\r")
	c.Sees("try... echo x", "try...")
	c.Send("end\r")
	c.Sees("try... end", "x", prompt)
	c.Send("echo a\x7f" + "b\r") // the kernel does the editing
	c.Sees("b", prompt)
	c.Send(ctrlD)
	c.Leaves()
	if strings.Contains(string(c.Raw), "\x1b") {
		t.Errorf("escape sequences were written: %q", c.Raw)
	}
}

func TestMatchingBrackets(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{})
	c.CursorAfter(prompt)
	c.Send("x=(1 .add. (2))")
	c.Wait("the outer brackets to stand out", func() bool { return strings.Count(string(c.Raw), "\x1b[1;4m)") > 0 })
	c.Send(ctrlU + "if true\rtry\rtrue\rend\rend")
	c.Sees(prompt+"if true", "if…     try", "try…         true", "try…     end", "if… end  # if in line 1")
	c.Send(left + left + left + left)
	c.Sees("try…     end  # try in line 2", "if… end")
}

func TestViMode(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{Files: map[string]string{
		".config/ftsh/rc.ftsh": "FTSH_EDITMODE=vi\n", historyFile: "echo old\n",
	}})
	c.CursorAfter(prompt)
	c.Send("echo one two")
	c.CursorAfter(prompt + "echo one two")
	c.Send(escape)
	c.Send("0")
	c.CursorAfter(prompt)
	c.Send("w")
	c.CursorAfter(prompt + "echo ")
	c.Send("dw")
	c.Wait("a word to go", func() bool { return c.Row(0) == prompt+"echo two" || c.Row(0) == prompt+"echo  two" })
	c.Send("$rX0xx")
	c.Send("eeeeAy" + escape + "rz")
	c.Send("k")
	c.CursorAfter(prompt + "echo ol")
	c.Send(enter)
	c.Sees("old", prompt)
	c.Send(escape + ctrlD)
	c.Leaves()
}
