package main

import (
	"strings"
	"testing"
)

// long is wider than two rows of 40 cells. The row's last cell stays empty where
// a character of two cells would be cut.
const long = "echo 一二三四五六七八九十一二三四五六七八九十一二三四五六七八九十 end"

func TestLongLinesWrap(t *testing.T) {
	t.Parallel()
	c := newConsole(t, consoleConfig{columns: 40, rows: 10})
	c.cursorAfter(prompt)
	c.typed(long)
	c.sees(prompt+"echo 一二三四五六七八九十一二三", "四五六七八九十一二三四五六七八九十 end")
	for range 5 {
		c.send(left)
	}
	c.cursorAfter("四五六七八九十一二三四五六七八九")
	c.send(strings.Repeat(left, 16))
	c.wait("the cursor on the first character of the second row", func() bool { p := c.screen.CursorPosition(); return p.X == 0 && p.Y == 1 })
	c.send(left)
	c.cursorAfter(prompt + "echo 一二三四五六七八九十一二")
	c.send("x")
	c.sees(prompt+"echo 一二三四五六七八九十一二x三", "四五六七八九十一二三四五六七八九十 end")
	c.send("y")
	c.sees(prompt+"echo 一二三四五六七八九十一二xy", "三四五六七八九十一二三四五六七八九十 end")
	c.send(enter)
	c.shows("一二三四五六七八九十一二xy三")
}

// A text that fills the row exactly leaves the cursor in the next.
func TestFullRow(t *testing.T) {
	t.Parallel()
	c := newConsole(t, consoleConfig{columns: 40, rows: 10})
	c.cursorAfter(prompt)
	c.typed("echo " + strings.Repeat("a", 26))
	c.send("a")
	c.wait("the cursor in the next row", func() bool { p := c.screen.CursorPosition(); return p.X == 0 && p.Y == 1 })
	c.sees(prompt + "echo " + strings.Repeat("a", 27))
	c.send(back)
	c.cursorAfter(prompt + "echo " + strings.Repeat("a", 26))
	c.send("bc" + enter)
	c.sees(prompt+"echo "+strings.Repeat("a", 26)+"b", "c", strings.Repeat("a", 26)+"bc", prompt)
}

// Nothing is left of a longer text.
func TestShrinkingText(t *testing.T) {
	t.Parallel()
	c := newConsole(t, consoleConfig{columns: 40, rows: 10})
	c.cursorAfter(prompt)
	c.send(long)
	c.shows(" end")
	c.send(ctrlU + "x")
	c.wait("one row", func() bool { return len(c.lines()) == 1 && c.row(0) == prompt+"x" })
}

// Wrapped text at the bottom of the screen scrolls it.
func TestWrapAtTheBottom(t *testing.T) {
	t.Parallel()
	c := newConsole(t, consoleConfig{columns: 40, rows: 4})
	c.cursorAfter(prompt)
	c.send("echo 1; echo 2; echo 3\r")
	c.sees("1", "2", "3", prompt)
	c.send(strings.Repeat("世", 30))
	c.sees("2", "3", prompt+strings.Repeat("世", 16), strings.Repeat("世", 14))
	c.send(ctrlU + "echo 4\r")
	c.sees(prompt+"echo 4", "4", prompt)
}

func TestNarrowMenu(t *testing.T) {
	t.Parallel()
	name := strings.Repeat("長", 30)
	c := newConsole(t, consoleConfig{columns: 40, rows: 12, files: map[string]string{"d/" + name + "1": "", "d/" + name + "2": ""}})
	c.cursorAfter(prompt)
	c.send("cat d/\t")
	c.shows("d/" + strings.Repeat("長", 13))
	c.send("\t")
	c.sees(prompt+"cat d/"+strings.Repeat("長", 13), strings.Repeat("長", 17), strings.Repeat("長", 19)+"…", strings.Repeat("長", 19)+"…")
	c.cursorAfter(strings.Repeat("長", 17))
	c.send("2\r")
	c.wait("the prompt", func() bool { return c.beforeCursor() == prompt })
}
