package repl_test

import (
	"strings"
	"testing"

	"ftsh/testdata/shelltest"
)

// long is wider than two rows of 40 cells. The row's last cell stays empty where
// a character of two cells would be cut.
const long = "echo 一二三四五六七八九十一二三四五六七八九十一二三四五六七八九十 end"

func TestLongLinesWrap(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{Columns: 40, Rows: 10})
	c.CursorAfter(prompt)
	c.Typed(long)
	c.Sees(prompt+"echo 一二三四五六七八九十一二三",
		"四五六七八九十一二三四五六七八九十 end")
	for range 5 {
		c.Send(left)
	}
	c.CursorAfter("四五六七八九十一二三四五六七八九")
	c.Send(strings.Repeat(left, 16))
	c.Wait("the cursor on the first character of the second row", func() bool {
		p := c.Screen.CursorPosition()
		return p.X == 0 && p.Y == 1
	})
	c.Send(left)
	c.CursorAfter(prompt + "echo 一二三四五六七八九十一二")
	c.Send("x")
	c.Sees(prompt+"echo 一二三四五六七八九十一二x三",
		"四五六七八九十一二三四五六七八九十 end")
	c.Send("y")
	c.Sees(prompt+"echo 一二三四五六七八九十一二xy",
		"三四五六七八九十一二三四五六七八九十 end")
	c.Send(enter)
	c.Shows("一二三四五六七八九十一二xy三")
}

// A text that fills the row exactly leaves the cursor in the next.
func TestFullRow(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{Columns: 40, Rows: 10})
	c.CursorAfter(prompt)
	c.Typed("echo " + strings.Repeat("a", 26))
	c.Send("a")
	c.Wait("the cursor in the next row", func() bool { p := c.Screen.CursorPosition(); return p.X == 0 && p.Y == 1 })
	c.Sees(prompt + "echo " + strings.Repeat("a", 27))
	c.Send(back)
	c.CursorAfter(prompt + "echo " + strings.Repeat("a", 26))
	c.Send("bc" + enter)
	c.Sees(prompt+"echo "+strings.Repeat("a", 26)+"b", "c", strings.Repeat("a", 26)+"bc", prompt)
}

// Nothing is left of a longer text.
func TestShrinkingText(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{Columns: 40, Rows: 10})
	c.CursorAfter(prompt)
	c.Send(long)
	c.Shows(" end")
	c.Send(ctrlU + "x")
	c.Wait("one row", func() bool { return len(c.Lines()) == 1 && c.Row(0) == prompt+"x" })
}

// Wrapped text at the bottom of the screen scrolls it.
func TestWrapAtTheBottom(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{Columns: 40, Rows: 4})
	c.CursorAfter(prompt)
	c.Send("echo 1; echo 2; echo 3\r")
	c.Sees("1", "2", "3", prompt)
	c.Send(strings.Repeat("世", 30))
	c.Sees("2", "3", prompt+strings.Repeat("世", 16), strings.Repeat("世", 14))
	c.Send(ctrlU + "echo 4\r")
	c.Sees(prompt+"echo 4", "4", prompt)
}

func TestNarrowMenu(t *testing.T) {
	t.Parallel()
	name := strings.Repeat("長", 30)
	c := newConsole(t, shelltest.ConsoleConfig{Columns: 40, Rows: 12, Files: map[string]string{
		"d/" + name + "1": "", "d/" + name + "2": "",
	}})
	c.CursorAfter(prompt)
	c.Send("cat d/\t")
	c.Shows("d/" + strings.Repeat("長", 13))
	c.Send("\t")
	c.Sees(prompt+"cat d/"+strings.Repeat("長",
		13), strings.Repeat("長", 17), strings.Repeat("長", 19)+"…", strings.Repeat("長", 19)+"…")
	c.CursorAfter(strings.Repeat("長", 17))
	c.Send("2\r")
	c.Wait("the prompt", func() bool { return c.BeforeCursor() == prompt })
}
