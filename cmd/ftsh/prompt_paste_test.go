package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func paste(text string) string { return "\x1b[200~" + text + "\x1b[201~" }

// Pasted text runs only on Enter, however many newlines it has.
func TestPasteIsInsertedWhole(t *testing.T) {
	t.Parallel()
	c := newConsole(t, consoleConfig{})
	c.cursorAfter(prompt)
	c.send(paste("touch a\ntouch b\n"))
	c.sees(prompt+"touch a", "… touch b", "…")
	if _, err := os.Stat(filepath.Join(c.home, "a")); err == nil {
		t.Error("pasted text ran without Enter")
	}
	c.send(enter)
	c.sees("…", prompt)
	for _, name := range []string{"a", "b"} {
		if _, err := os.Stat(filepath.Join(c.home, name)); err != nil {
			t.Error(err)
		}
	}
}

func TestPasteOfAnUnfinishedStatement(t *testing.T) {
	t.Parallel()
	c := newConsole(t, consoleConfig{})
	c.cursorAfter(prompt)
	c.send(paste("try 1 time\r\techo 'x"))
	c.sees(prompt+"try 1 time", "try…         echo 'x")
	c.send("y'\rend\r")
	c.sees("try… end", "xy", prompt)
}

func TestPasteHasNoControlCharacters(t *testing.T) {
	t.Parallel()
	c := newConsole(t, consoleConfig{})
	c.cursorAfter(prompt)
	c.send(paste("echo a\x1b]0;b\x07\x03\x04\x15c"))
	c.cursorAfter(prompt + "echo a]0;bc")
}

func TestPasteInTheMiddle(t *testing.T) {
	t.Parallel()
	c := newConsole(t, consoleConfig{})
	c.cursorAfter(prompt)
	c.send("echo ()" + left + paste("世\n界"))
	c.sees(prompt+"echo (世", "… 界)")
	c.cursorAfter("… 界")
	c.send(up)
	c.wait("the cursor to be a line higher", func() bool { return c.screen.CursorPosition().Y == 0 })
}

// A paste that is higher than the terminal shows what is around the cursor.
func TestPasteHigherThanTheTerminal(t *testing.T) {
	t.Parallel()
	c := newConsole(t, consoleConfig{columns: 40, rows: 10})
	c.cursorAfter(prompt)
	c.send(paste("try 1 time\n" + strings.Repeat("echo -n x\n", 50) + "echo\nend"))
	c.wait("the end of what was pasted", func() bool { return c.row(9) == "try… end  # try in line 1" && c.row(0) == "try… echo -n x" })
	c.send("\x1b<") // Alt-<: to the beginning
	c.wait("its beginning", func() bool { return c.row(0) == prompt+"try 1 time" })
	c.send(enter)
	c.sees("try… end", strings.Repeat("x", 40), strings.Repeat("x", 10), prompt)
}

// What is typed while a command runs is for the command.
func TestTypeAheadReachesTheCommand(t *testing.T) {
	t.Parallel()
	c := newConsole(t, consoleConfig{files: map[string]string{"bin/ask": "#!/bin/sh\nread a; read b; echo \"got $a, $b\"\n"}})
	c.cursorAfter(prompt)
	c.send("ask\rone\rtwo\r")
	c.shows("got one, two")
	c.cursorAfter(prompt)
}

// What the command does not read is for the next prompt.
func TestTypeAheadReachesThePrompt(t *testing.T) {
	t.Parallel()
	c := newConsole(t, consoleConfig{files: map[string]string{"bin/ask": "#!/bin/sh\necho ready; read a <fifo; echo gone on\n"}})
	c.cursorAfter(prompt)
	c.send("mkfifo fifo\r")
	c.sees(prompt+"mkfifo fifo", prompt)
	c.send("ask\r")
	c.sees("ready")
	c.send("echo one\recho two\recho thr")
	c.shows("echo thr")
	fifo, err := os.OpenFile(filepath.Join(c.home, "fifo"), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	fifo.Close()
	c.sees(prompt+"echo one", "one", prompt+"echo two", "two", prompt+"echo thr")
	c.cursorAfter(prompt + "echo thr")
}
