package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

const historyFile = ".local/state/ftsh/history"

func (c *console) history() string {
	text, _ := os.ReadFile(filepath.Join(c.home, historyFile))
	return string(text)
}

func TestHistoryKeepsStatementsWhole(t *testing.T) {
	t.Parallel()
	c := newConsole(t, consoleConfig{})
	c.cursorAfter(prompt)
	c.send("try 2 times\recho one\rend\r")
	c.sees("one", prompt)
	c.send("echo two\r")
	c.sees("two", prompt)
	c.send(up + up)
	c.sees(prompt+"try 2 times", "try… echo one", "try… end  # try in line 1")
	c.cursorAfter("try… end")
	c.send(up + ctrlE + back + back + back + "other" + enter) // edited in the middle, run from there
	c.sees("try… echo other", "try… end", "other", prompt)
	if got, want := c.history(), "try 2 times\\necho one\\nend\necho two\ntry 2 times\\necho other\\nend\n"; got != want {
		t.Errorf("history %q, want %q", got, want)
	}
}

func TestHistoryFileIsPrivate(t *testing.T) {
	t.Parallel()
	c := newConsole(t, consoleConfig{files: map[string]string{historyFile: "echo old\n"}})
	c.cursorAfter(prompt)
	c.send(up + enter)
	c.sees("old", prompt)
	info, err := os.Stat(filepath.Join(c.home, historyFile))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info.Mode(), err)
	}
}

func TestHistoryGoesWhereXDGSays(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	c := newConsole(t, consoleConfig{env: []string{"XDG_STATE_HOME=" + state}})
	c.cursorAfter(prompt)
	c.runs("true")
	text, err := os.ReadFile(filepath.Join(state, "ftsh/history"))
	if string(text) != "true\n" {
		t.Error(string(text), err)
	}
}

func TestHistoryFoldsAndLeavesOut(t *testing.T) {
	t.Parallel()
	c := newConsole(t, consoleConfig{})
	c.cursorAfter(prompt)
	for _, text := range []string{"true a", "true b", "true a", " true secret", "", "true c", "true a"} {
		c.runs(text)
	}
	c.send(up + up + up)
	c.sees(prompt + "true b")
	c.send(up + ctrlU + "exit\r")
	c.leaves()
	again := newConsole(t, consoleConfig{files: map[string]string{historyFile: c.history()}})
	again.cursorAfter(prompt)
	for _, want := range []string{"exit", "true a", "true c", "true b", "true b"} {
		again.send(up)
		again.sees(prompt + want)
	}
}

func TestHistoryOfManySessions(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	var sessions sync.WaitGroup
	for n := range 4 {
		c := newConsole(t, consoleConfig{env: []string{"XDG_STATE_HOME=" + state}})
		sessions.Go(func() {
			for i := range 10 {
				c.cursorAfter(prompt)
				c.send(fmt.Sprintf("try\ntrue %d %d\nend\r", n, i))
				want := fmt.Sprintf("try… true %d %d\ntry… end\n%s", n, i, strings.TrimSpace(prompt))
				c.wait("the statement to run", func() bool { return strings.HasSuffix(strings.Join(c.lines(), "\n"), want) })
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

func TestHistorySearch(t *testing.T) {
	t.Parallel()
	c := newConsole(t, consoleConfig{files: map[string]string{historyFile: "echo first\ntry 1 time\\necho second\\nend\necho third\n"}})
	c.cursorAfter(prompt)
	c.send(ctrlR)
	c.cursorAfter("search: ")
	c.typed("echo")
	c.sees(prompt+"echo third", "search: echo")
	c.send(ctrlR)
	c.sees(prompt+"try 1 time", "try… echo second", "try… end", "search: echo")
	c.send(ctrlR)
	c.sees(prompt+"echo first", "search: echo")
	c.typed("x")
	c.sees(prompt+"echo first", "not found: echox")
	c.send(back + "\x13") // Ctrl-S
	c.sees(prompt+"try 1 time", "try… echo second", "try… end", "search: echo")
	c.send("\x07") // Ctrl-G
	c.sees(prompt)
	c.cursorAfter(prompt)
	c.send(ctrlR + "FIRST")
	c.sees(prompt, "not found: FIRST")
	c.send(back + back + back + back + back + "first" + enter)
	c.sees("first", prompt)
}

func TestHistoryKeepsWhatIsWrong(t *testing.T) {
	t.Parallel()
	c := newConsole(t, consoleConfig{})
	c.cursorAfter(prompt)
	c.entered("echo a && echo b")
	c.shows("prompt:1:8:")
	c.shows("\n           ^")
	c.cursorAfter(prompt)
	c.send(up)
	c.cursorAfter(prompt + "echo a && echo b")
}
