package repl_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ftsh/testdata/shelltest"
)

func paste(text string) string { return "\x1b[200~" + text + "\x1b[201~" }

// Pasted text runs only on Enter, however many newlines it has.
func TestPasteIsInsertedWhole(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{})
	c.CursorAfter(prompt)
	c.Send(paste("touch a\ntouch b\n"))
	c.Sees(prompt+"touch a", "… touch b", "…")
	if _, err := os.Stat(filepath.Join(c.Home, "a")); err == nil {
		t.Error("pasted text ran without Enter")
	}
	c.Send(enter)
	c.Sees("…", prompt)
	for _, name := range []string{"a", "b"} {
		if _, err := os.Stat(filepath.Join(c.Home, name)); err != nil {
			t.Error(err)
		}
	}
}

func TestPasteOfAnUnfinishedStatement(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{})
	c.CursorAfter(prompt)
	c.Send(paste("try 1 time\r\techo 'x"))
	c.Sees(prompt+"try 1 time", "try…         echo 'x")
	c.Send("y'\rend\r")
	c.Sees("try… end", "xy", prompt)
}

func TestPasteHasNoControlCharacters(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{})
	c.CursorAfter(prompt)
	c.Send(paste("echo a\x1b]0;b\x07\x03\x04\x15c"))
	c.CursorAfter(prompt + "echo a]0;bc")
}

func TestPasteInTheMiddle(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{})
	c.CursorAfter(prompt)
	c.Send("echo ()" + left + paste("世\n界"))
	c.Sees(prompt+"echo (世", "… 界)")
	c.CursorAfter("… 界")
	c.Send(up)
	c.Wait("the cursor to be a line higher", func() bool { return c.Screen.CursorPosition().Y == 0 })
}

// A paste that is higher than the terminal shows what is around the cursor.
func TestPasteHigherThanTheTerminal(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{Columns: 40, Rows: 10})
	c.CursorAfter(prompt)
	c.Send(paste("try 1 time\n" + strings.Repeat("echo -n x\n", 50) + "echo\nend"))
	c.Wait("the end of what was pasted", func() bool {
		return c.Row(9) == "try… end  # try in line 1" && c.Row(0) == "try…     echo -n x"
	})
	c.Send("\x1b<") // Alt-<: to the beginning
	c.Wait("its beginning", func() bool { return c.Row(0) == prompt+"try 1 time" })
	c.Send(enter)
	c.Sees("try… end", strings.Repeat("x", 40), strings.Repeat("x", 10), prompt)
}

// What is typed while a command runs is for the command.
func TestTypeAheadReachesTheCommand(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{Files: map[string]string{
		"bin/ask": "#!/bin/sh\nread a; read b; echo \"got $a, $b\"\n",
	}})
	c.CursorAfter(prompt)
	c.Send("ask\rone\rtwo\r")
	c.Shows("got one, two")
	c.CursorAfter(prompt)
}

// What the command does not read is for the next prompt.
func TestTypeAheadReachesThePrompt(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{Files: map[string]string{
		"bin/ask": "#!/bin/sh\necho ready; read a <fifo; echo gone on\n",
	}})
	c.CursorAfter(prompt)
	c.Send("mkfifo fifo\r")
	c.Sees(prompt+"mkfifo fifo", prompt)
	c.Send("ask\r")
	c.Sees("ready")
	c.Send("echo one\recho two\recho thr")
	c.Shows("echo thr")
	fifo, err := os.OpenFile(filepath.Join(c.Home, "fifo"), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	fifo.Close()
	c.Sees(prompt+"echo one", "one", prompt+"echo two", "two", prompt+"echo thr")
	c.CursorAfter(prompt + "echo thr")
}
