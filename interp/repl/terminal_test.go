package repl_test

import (
	"testing"

	"ftsh/testdata/shelltest"
)

const prompt = shelltest.Prompt

func TestMain(m *testing.M) {
	shelltest.Main(m, map[string]func(){"page": playPager})
}

// console is the shell on a terminal.
type console struct{ *shelltest.Console }

func newConsole(t *testing.T, config shelltest.ConsoleConfig) *console {
	t.Helper()
	return &console{shelltest.NewConsole(t, config)}
}

func TestPromptRuns(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{})
	c.CursorAfter(prompt)
	c.Entered("echo hello")
	c.Sees(prompt+"echo hello", "hello", prompt)
	c.Send("\x04")
	if status := c.Leaves(); status != "0" {
		t.Error("status", status)
	}
}

func TestPromptReadsWholeStatements(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{})
	c.CursorAfter(prompt)
	c.Entered("try 2 times")
	c.CursorAfter("try…     ")
	c.Entered(`echo "a`)
	c.CursorAfter(`"… `)
	c.Entered(`b"`)
	c.CursorAfter("try…     ")
	c.Entered("end")
	c.Sees(prompt+"try 2 times", `try…     echo "a`, `"… b"`, "try… end", "a", "b", prompt)
}
