package repl_test

import (
	"strings"
	"testing"

	"ftsh/testdata/shelltest"
)

// A long line leaves no torn copies of it when the terminal becomes narrower and wider while it is typed: in the steps
// that somebody sees, and in quick ones.
func TestResizeLeavesNoCopies(t *testing.T) {
	t.Parallel()
	for name, piece := range map[string]string{"ascii": "abcdefghi ", "wide": "一二三四五 "} {
		for speed, seen := range map[string]bool{"slowly": true, "quickly": false} {
			t.Run(name+" "+speed, func(t *testing.T) {
				t.Parallel()
				c := newConsole(t, shelltest.ConsoleConfig{Columns: 100, Rows: 30})
				resizeAmid(c, "echo "+strings.Repeat(piece, 25)+"END", seen)
			})
		}
	}
}

func resizeAmid(c *console, text string, seen bool) {
	c.T.Helper()
	c.CursorAfter(prompt)
	c.Send("echo above\r")
	c.Sees(prompt+"echo above", "above", prompt)
	c.Send(text)
	c.Shows("END")
	for _, columns := range []int{40, 60, 33, 100} {
		c.Resize(columns, 30)
		if !seen && columns != 100 {
			continue
		}
		c.Wait("the text, once", func() bool {
			var all string
			for _, line := range c.Lines()[2:] {
				all += line
			}
			return strings.ReplaceAll(all, " ", "") == strings.ReplaceAll(prompt+text, " ", "")
		})
	}
	c.Wait("what stands above", func() bool { return strings.Join(c.Lines()[:2], " ") == prompt+"echo above above" })
}
