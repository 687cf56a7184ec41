package repl_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"ftsh/testdata/shelltest"
)

// pause is longer than the keyboard takes anything to belong together that has no
// other sign of it.
const pause = 200 * time.Millisecond

// sendSplit types bytes with pauses where a | stands.
func (c *console) sendSplit(keys string) {
	c.T.Helper()
	for i, part := range strings.Split(keys, "|") {
		if i > 0 {
			time.Sleep(pause)
		}
		c.Send(part)
	}
}

// signals returns what sends a signal to the shell.
func (c *console) signals() (send func(syscall.Signal)) {
	c.T.Helper()
	c.Runs("echo $$ > pid")
	text, err := os.ReadFile(filepath.Join(c.Home, "pid"))
	pid, _ := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || pid == 0 {
		c.T.Fatal(string(text), err)
	}
	return func(sig syscall.Signal) {
		c.T.Helper()
		if err := syscall.Kill(pid, sig); err != nil {
			c.T.Fatal(err)
		}
	}
}

// A SIGINT that comes while a statement is typed drops that one, and not the next.
func TestSignalWhileTyping(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{})
	signal := c.signals()
	c.Send("echo half")
	c.CursorAfter(prompt + "echo half")
	signal(syscall.SIGINT)
	c.Sees(prompt+"echo half^C", prompt)
	c.Runs("echo next", "next")
}

// SIGUSR1 and SIGUSR2 are for the programs under way, and nothing where there are none.
func TestSignalsForPrograms(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{Files: map[string]string{
		"bin/work": "#!/bin/sh\ntrap 'echo got $1; exit 0' $1\necho working\nwhile :; do sleep 0.1; done\n",
	}})
	signal := c.signals()
	for name, sig := range map[string]syscall.Signal{"USR1": syscall.SIGUSR1, "USR2": syscall.SIGUSR2} {
		c.Send("echo half")
		c.CursorAfter(prompt + "echo half")
		signal(sig)
		signal(syscall.SIGINT) // has come after it
		c.Sees(prompt+"echo half^C", prompt)
		c.Send(ctrlL + "work " + name + "\r")
		c.Sees(prompt+"work "+name, "working")
		signal(sig)
		c.Sees(prompt+"work "+name, "working", "got "+name, prompt)
		c.Send(ctrlL)
	}
}

// SIGXCPU ends what runs, and the shell, as SIGTERM does.
func TestSignalsThatEndThePrompt(t *testing.T) {
	const work = "try\recho on; sleep 1000\rfinally\recho cleaned\rend\r"
	for name, test := range map[string]struct {
		sig         syscall.Signal
		text, shown string
		status      string
		cleaned     bool
	}{
		"SIGXCPU at the prompt": {syscall.SIGXCPU, "echo half", "half", "XCPU", false},
		"SIGXCPU while it runs": {syscall.SIGXCPU, work, "end\non", "XCPU", true},
		"SIGTERM while it runs": {syscall.SIGTERM, work, "end\non", "TERM", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newConsole(t, shelltest.ConsoleConfig{})
			signal := c.signals()
			c.Send(test.text)
			c.Shows(test.shown)
			signal(test.sig)
			if status := c.Leaves(); status != test.status {
				t.Error("status", status)
			}
			if strings.Contains(string(c.Raw), "cleaned\r\n") != test.cleaned {
				t.Error("finally ran or did not")
			}
		})
	}
}

func TestCtrlCOnADumbTerminal(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{Env: []string{"TERM=dumb"}})
	c.CursorAfter(prompt)
	c.Send("echo half")
	c.CursorAfter(prompt + "echo half")
	c.Send(ctrlC)
	c.Sees(prompt+"echo half^C", prompt)
	c.Send("echo next\r")
	c.Sees(prompt+"echo next", "next", prompt)
	c.Send("try\r")
	c.CursorAfter("try... ")
	c.Send(ctrlC)
	c.Sees("try... ^C", prompt)
	c.Send("try\r")
	c.CursorAfter("try... ")
	c.Send(ctrlD)
	c.Sees(prompt+"try", "try...", prompt)
	c.Send("echo still here\r")
	c.Sees("still here", prompt)
	c.Send(ctrlD)
	c.Leaves()
}

// Lines that are sent without being marked as pasted are taken one after another,
// however many they are.
func TestBurst(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{})
	c.CursorAfter(prompt)
	c.Send("try\r" + strings.Repeat("n=1\r", 300) + "echo done\rend\r")
	c.Sees("try…     n=1", "try…     echo done", "try… end", "done", prompt)
}

// However the bytes of a key are divided, it is that key.
func TestSplitKeys(t *testing.T) {
	for name, test := range map[string]struct{ keys, want string }{
		"a character of three bytes": {"echo \xe4|\xb8\x96|", "echo 世|"},
		"a broken character":         {"echo \xe4|b", "echo b|"},
		"a sequence":                 {"echo ab\x1b[|D", "echo a|b"},
		"a sequence in three":        {"echo ab cd\x1b[1|;5|D", "echo ab |cd"},
		"application mode":           {"echo ab\x1bO|D", "echo a|b"},
		"a sequence broken off":      {"echo ab\x1b[1;\x01", "|echo ab"},
		"colours":                    {"echo a\x1b]11;rgb:0000|/0000/0000\x1b\\b", "echo ab|"},
		"colours with BEL":           {"echo a\x1b]11;rgb:0000/0000/0000\ab", "echo ab|"},
		"a device string":            {"echo a\x1bP1+r544e|=78\x1b\\b", "echo ab|"},
		"mouse":                      {"echo a\x1b[<0;12;3M\x1b[<0;12;3mb", "echo ab|"},
		"an old mouse":               {"echo a\x1b[M !!b", "echo ab|"},
		"no answer, but Alt-]":       {"echo a\x1b]bc\x01", "|echo abc"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newConsole(t, shelltest.ConsoleConfig{})
			c.CursorAfter(prompt)
			c.sendSplit(strings.TrimSuffix(test.keys, "|"))
			before, after, _ := strings.Cut(test.want, "|")
			c.Wait("the cursor at | in "+test.want, func() bool {
				return c.Row(0) == strings.TrimRight(prompt+before+after, " ") && c.BeforeCursor() == prompt+before
			})
		})
	}
}

// A paste is not run line by line, however it is divided.
func TestSplitPaste(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{})
	c.CursorAfter(prompt)
	c.sendSplit("\x1b[20|0~touch a\ntouch b\n\x1b[20|1~")
	c.Sees(prompt+"touch a", "… touch b", "…")
	for _, name := range []string{"a", "b"} {
		if _, err := os.Stat(filepath.Join(c.Home, name)); err == nil {
			t.Error("pasted text ran without Enter")
		}
	}
	c.Send(ctrlC)
	c.CursorAfter(prompt)
	c.Runs("echo next", "next")
}

// A paste whose end does not come consists of what has come of it.
func TestPasteWithoutEnd(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{})
	c.CursorAfter(prompt)
	c.Send("\x1b[200~echo a\necho b")
	c.Sees(prompt+"echo a", "… echo b")
	c.Send("\recho c") // it was only slow
	c.Sees(prompt+"echo a", "… echo b", "… echo c")
	c.Send("\x1b[201~" + enter)
	c.Sees("a", "b", "c", prompt)
	c.Send("\x1b[200~echo d")
	c.CursorAfter(prompt + "echo d")
	c.Send(enter)
	c.Sees(prompt+"echo d", "d", prompt)
}

// A program that died may have left the keyboard in the protocol of kitty.
func TestCrashInTheProtocolOfKitty(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{Files: map[string]string{
		"bin/edit": "#!/bin/sh\nprintf '\\033[>1u'\nstty raw\nexit 3\n",
	}})
	c.CursorAfter(prompt)
	c.Send("edit\r")
	c.Shows("failed: edit: ")
	c.Wait("the usual keys", func() bool { return strings.Contains(string(c.Raw), "\x1b[<u") })
	c.Send("echo\x1b[32ua\x1b[98;1u\x1b[97;5u")
	c.Wait("the cursor at the beginning", func() bool { return c.BeforeCursor() == prompt })
	c.Send("\x1b[13u")
	c.Sees(prompt+"echo ab", "ab", prompt)
}

// What stands above the prompt stays when the terminal becomes narrower or wider.
func TestResizeKeepsOutput(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{Columns: 60, Rows: 20})
	c.Runs("echo one; echo two; echo three", "one", "two", "three")
	text := "echo " + strings.Repeat("a", 100)
	c.Send(text)
	c.Wait("three rows", func() bool { return c.Screen.CursorPosition().Y == 5 })
	for _, columns := range []int{40, 30, 57, 20, 61} {
		c.Resize(columns, 20)
		c.Wait("the text at that width", func() bool {
			whole := strings.HasSuffix(strings.Join(c.Lines(), ""), prompt+text)
			return whole && c.Screen.CursorPosition().X == (len(prompt+text))%columns
		})
	}
	c.Shows("one\ntwo\nthree")
}

// A long line is one line to the terminal, so that it can be copied.
func TestLongLineHasNoNewlines(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{Columns: 40, Rows: 10, Env: []string{"NO_COLOR=1"}})
	c.CursorAfter(prompt)
	text := "echo " + strings.Repeat("abcdefgh ", 10)
	c.Send(text + enter)
	c.Wait("the line in one piece", func() bool { return strings.Contains(string(c.Raw), prompt+text+"\x1b[K") })
}

// Enter in the middle of a statement that is not complete divides the line there.
func TestEnterInTheMiddle(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{})
	c.CursorAfter(prompt)
	c.Send("try\recho a\recho b" + up + enter)
	c.Sees(prompt+"try", "try…     echo a", "try…", "try…     echo b")
	c.Wait("the cursor in the new line", func() bool { return c.Screen.CursorPosition().Y == 2 })
	c.Send("echo new\x1b>\rend\r")
	c.Sees("try… end", "a", "new", "b", prompt)
}

// What is told of a failure begins a line of its own.
func TestFailureAfterOutputWithoutNewline(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{})
	c.CursorAfter(prompt)
	c.Entered("echo -n x; false")
	c.Sees("x⏎", "failed: false: ended with status 1", prompt)
	c.Entered("echo -n x; echo $nosuch")
	c.Shows("x⏎\nprompt:1:17: ")
}

func TestAllFailedBranchesAreTold(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{Columns: 60, Rows: 40})
	c.CursorAfter(prompt)
	c.Send("forall n in 1 2 3 .keepgoing.\rfailure \"no $n\"\rend\r")
	for _, n := range []string{"1", "2", "3"} {
		c.Shows("no " + n)
	}
	c.CursorAfter(prompt)
	const many = "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24"
	c.Send(ctrlL + "forall n in " + many + " .keepgoing.\rfailure \"no $n\"\rend\r")
	c.Sees("and 3 more branches", prompt)
	if told := strings.Count(strings.Join(c.Now(), "\n"), "failed: "); told != 21 {
		t.Errorf("%d branches were told", told)
	}
	c.Send(ctrlL + "failure \"no 1\"\r")
	c.Sees("failed: failure no 1: no 1", prompt)
	c.Send(ctrlL + "try\rforall n in 1 2 .keepgoing. .limit. 1\rfalse\rend\rcatch\rfailure other\rend\r")
	c.Sees("try… end", "failed: line 3: false: other", "failed: n=2: ended with status 1", prompt)
}

// A prompt function that takes too long leaves the prompt as it was.
func TestHungPromptFunction(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{})
	c.CursorAfter(prompt)
	c.Send("function prompt\rif .not. .exists. hang\rreturn \"ok> \"\rend\rsleep 1000\rend\r")
	c.CursorAfter("ok> ")
	c.Send("touch hang\r")
	c.Sees("ok> touch hang", "the function prompt took longer than 0.5 s, and was ended", "ok>")
	c.CursorAfter("ok> ")
	c.Send("true\r")
	c.Sees("ok> true", "ok>")
	c.CursorAfter("ok> ")
	c.Send("rm hang\r")
	c.Sees("ok> rm hang", "ok>")
}

// What is told of a failed try, and where it breaks.
func TestFailedTryIsTold(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{Columns: 48, Rows: 24})
	c.CursorAfter(prompt)
	c.Send("try 2 times every 1 ms\rsh -c 'exit 3' some words of it\rend\r")
	c.Wait("how often, in rows that break at blanks", func() bool {
		all := strings.Join(c.Lines(), "\n")
		return strings.Contains(all, "\nfailed: line 2: sh -c exit 3 some words of it:\n"+
			"ended with status 3, tried 2 times in ")
	})
}

// On a narrow terminal the caret stands below the place.
func TestCaretOnANarrowTerminal(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{Columns: 20, Rows: 30})
	c.CursorAfter(prompt)
	c.Send("echo one two three four five six && echo 世\r")
	c.Shows("    …five six && e…\n              ^\n")
}
