package main

import "testing"

func TestPromptRuns(t *testing.T) {
	t.Parallel()
	c := newConsole(t, consoleConfig{})
	c.cursorAfter(prompt)
	c.entered("echo hello")
	c.sees(prompt+"echo hello", "hello", prompt)
	c.send("\x04")
	if status := c.leaves(); status != "0" {
		t.Error("status", status)
	}
}

func TestPromptReadsWholeStatements(t *testing.T) {
	t.Parallel()
	c := newConsole(t, consoleConfig{})
	c.cursorAfter(prompt)
	c.entered("try 2 times")
	c.cursorAfter("try… ")
	c.entered(`echo "a`)
	c.cursorAfter(`"… `)
	c.entered(`b"`)
	c.cursorAfter("try… ")
	c.entered("end")
	c.sees(prompt+"try 2 times", `try… echo "a`, `"… b"`, "try… end", "a", "b", prompt)
}
