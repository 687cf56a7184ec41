package repl_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"ftsh/testdata/shelltest"
)

const historyFile = shelltest.HistoryFile

func (c *console) history() string {
	text, _ := os.ReadFile(filepath.Join(c.Home, historyFile))
	return strings.TrimPrefix(string(text), "\n")
}

func TestHistoryKeepsStatementsWhole(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{})
	c.CursorAfter(prompt)
	c.Send("try 2 times\recho one\rend\r")
	c.Sees("one", prompt)
	c.Send("echo two\r")
	c.Sees("two", prompt)
	c.Send(up + up)
	c.Sees(prompt+"try 2 times", "try…     echo one", "try… end  # try in line 1")
	c.CursorAfter("try… end")
	c.Send(up + ctrlE + back + back + back + "other" + enter) // edited in the middle, run from there
	c.Sees("try…     echo other", "try… end", "other", prompt)
	if got, want := c.history(), "try 2 times\\necho one\\nend\necho two\ntry 2 times\\necho other\\nend\n"; got != want {
		t.Errorf("history %q, want %q", got, want)
	}
}

func TestHistoryFileIsPrivate(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{Files: map[string]string{historyFile: "echo old\n"}})
	c.CursorAfter(prompt)
	c.Send(up + enter)
	c.Sees("old", prompt)
	info, err := os.Stat(filepath.Join(c.Home, historyFile))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info.Mode(), err)
	}
}

func TestHistoryGoesWhereXDGSays(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	c := newConsole(t, shelltest.ConsoleConfig{Env: []string{"XDG_STATE_HOME=" + state}})
	c.CursorAfter(prompt)
	c.Runs("true")
	text, err := os.ReadFile(filepath.Join(state, "ftsh/history"))
	if string(text) != "true\n" {
		t.Error(string(text), err)
	}
}

func TestHistoryFoldsAndLeavesOut(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{})
	c.CursorAfter(prompt)
	for _, text := range []string{"true a", "true b", "true a", " true secret", "", "true c", "true a"} {
		c.Runs(text)
	}
	c.Send(up + up + up)
	c.Sees(prompt + "true b")
	c.Send(up + ctrlU + "exit\r")
	c.Leaves()
	again := newConsole(t, shelltest.ConsoleConfig{Files: map[string]string{historyFile: c.history()}})
	again.CursorAfter(prompt)
	for _, want := range []string{"exit", "true a", "true c", "true b", "true b"} {
		again.Send(up)
		again.Sees(prompt + want)
	}
}

func TestHistoryOfManySessions(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	var sessions sync.WaitGroup
	for n := range 4 {
		c := newConsole(t, shelltest.ConsoleConfig{Env: []string{"XDG_STATE_HOME=" + state}})
		sessions.Go(func() {
			for i := range 10 {
				c.CursorAfter(prompt)
				c.Send(fmt.Sprintf("try\ntrue %d %d\nend\r", n, i))
				want := fmt.Sprintf("try…     true %d %d\ntry… end\n%s", n, i, strings.TrimSpace(prompt))
				c.Wait("the statement to run", func() bool { return strings.HasSuffix(strings.Join(c.Lines(), "\n"), want) })
			}
		})
	}
	sessions.Wait()
	text, _ := os.ReadFile(filepath.Join(state, "ftsh/history"))
	for n := range 4 {
		for i := range 10 {
			if want := fmt.Sprintf("try\\ntrue %d %d\\nend\n", n, i); strings.Count(string(text), want) != 1 {
				t.Errorf("%q is not in the history once", want)
			}
		}
	}
}

// What could move the cursor of the terminal is not written as it is.
func TestHistoryIsVisible(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{Files: map[string]string{
		historyFile: "echo \x1b[2J\x1b]0;title\a \u009bx\n" + `try\n` + "\ttrue\n",
	}})
	c.CursorAfter(prompt)
	c.Send("history > list\r")
	c.Sees(prompt+"history > list", prompt)
	text, err := os.ReadFile(filepath.Join(c.Home, "list"))
	if strings.ContainsAny(string(text), "\x1b\a\u009b") || !strings.Contains(string(text), "try\n\ttrue\n") {
		t.Errorf("it printed %q, %v", text, err)
	}
}

func TestHistorySearch(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{
		Files: map[string]string{historyFile: "echo first\ntry 1 time\\necho second\\nend\necho third\n"}})
	c.CursorAfter(prompt)
	c.Send(ctrlR)
	c.CursorAfter("search: ")
	c.Typed("echo")
	c.Sees(prompt+"echo third", "search: echo")
	c.Send(ctrlR)
	c.Sees(prompt+"try 1 time", "try…     echo second", "try… end", "search: echo")
	c.Send(ctrlR)
	c.Sees(prompt+"echo first", "search: echo")
	c.Typed("x")
	c.Sees(prompt+"echo first", "not found: echox")
	c.Send(back + "\x13") // Ctrl-S
	c.Sees(prompt+"try 1 time", "try…     echo second", "try… end", "search: echo")
	c.Send("\x07") // Ctrl-G
	c.Sees(prompt)
	c.CursorAfter(prompt)
	c.Send(ctrlR + "first" + ctrlC)
	c.Sees(prompt+"^C", prompt)
	c.CursorAfter(prompt)
	c.Send(ctrlR + "FIRST")
	c.Sees(prompt, "not found: FIRST")
	c.Send(back + back + back + back + back + "first" + enter)
	c.Sees("first", prompt)
}

func TestHistoryKeepsWhatIsWrong(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{})
	c.CursorAfter(prompt)
	c.Entered("echo a && echo b")
	c.Shows("prompt:1:8:")
	c.Shows("\n           ^")
	c.CursorAfter(prompt)
	c.Send(up)
	c.CursorAfter(prompt + "echo a && echo b")
}
