package repl

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

// laidOut is a text in rows, with the cursor at a place.
func laidOut(text string, cursor, columns int) *layout {
	l := newLayout(columns, 1000, false)
	l.putPrompt("> ")
	runes := []rune(text)
	s := newScan(text, func(string) style { return stylePlain })
	l.putText(s, s.styles, len(string(runes[:cursor])))
	return l
}

func TestLayout(t *testing.T) {
	for name, test := range map[string]struct {
		text        string
		cursor      int
		rows        string
		row, column int
	}{
		"short":                          {"abc", 3, "> abc", 0, 5},
		"the row is full":                {"abcdefgh", 8, "> abcdefgh|", 1, 0},
		"wrapped":                        {"abcdefghij", 9, "> abcdefgh|ij", 1, 1},
		"no half of a wide character":    {"abcdefg世x", 9, "> abcdefg|世x", 1, 3},
		"the cursor on one that wrapped": {"abcdefg世x", 7, "> abcdefg|世x", 1, 0},
		"lines":                          {"ab\ncd", 4, "> ab|… cd", 1, 3},
		"an accent takes no cell":        {"e\u0301x", 3, "> e\u0301x", 0, 4},
		"an emoji of several parts":      {"👩\u200d👧x", 4, "> 👩\u200d👧x", 0, 5},
		"a tab":                          {"a\tb", 3, "> a       |b", 1, 1},
		"a lone accent":                  {"\u0301", 1, "> \u25cc\u0301", 0, 3},
	} {
		t.Run(name, func(t *testing.T) {
			l := laidOut(test.text, test.cursor, 10)
			var rows []string
			for _, r := range l.rows {
				rows = append(rows, r.shown())
			}
			if got := strings.Join(rows, "|"); got != test.rows || l.row != test.row || l.column != test.column {
				t.Errorf("%q with the cursor in row %d, column %d", got, l.row, l.column)
			}
		})
	}
}

// shown is the text of a row.
func (r *row) shown() string {
	var text string
	for _, c := range r.cells {
		text += c.text
	}
	return sequences.ReplaceAllString(text, "")
}

var sequences = regexp.MustCompile("\x1b\\[[0-9;]*[a-zA-Z]")

// FuzzLayout holds that no text makes a row wider than the terminal, or the
// cursor leave it.
func FuzzLayout(f *testing.F) {
	for _, text := range []string{
		"", "abc def", "世界 x", "e\u0301\n\t\x01", "👩\u200d👩\u200d👧👍🏽🇫🇷", "क्षि ﾊﾞ", "try\n  echo 'a\nb'\nend",
	} {
		f.Add(text, uint8(10), uint8(3))
	}
	f.Fuzz(func(t *testing.T, text string, columns, cursor uint8) {
		if !utf8.ValidString(text) || columns < 2 || len(text) > 2000 {
			return
		}
		pos := min(int(cursor), len([]rune(text)))
		l := laidOut(text, pos, int(columns))
		for _, r := range l.rows {
			shown := displaywidth.String(r.shown())
			if r.width > int(columns) || shown > r.width {
				t.Errorf("a row of %d cells, which says %d, on %d columns: %q", shown, r.width, columns, r.shown())
			}
		}
		if l.row < 0 || l.row >= len(l.rows) || l.column < 0 || l.column >= int(columns) {
			t.Errorf("the cursor is in row %d, column %d, of %d rows", l.row, l.column, len(l.rows))
		}
	})
}

func TestWindow(t *testing.T) {
	rows := make([]row, 30)
	for _, test := range []struct{ cursor, height, first, at int }{
		{0, 10, 0, 0}, {4, 10, 0, 4}, {15, 10, 10, 5}, {29, 10, 20, 9}, {29, 40, 0, 29},
	} {
		for i := range rows {
			rows[i].width = i
		}
		got, cursor := visibleRows(rows, test.cursor, test.height)
		if got[0].width != test.first || cursor != test.at || len(got) > test.height {
			t.Errorf("%v: from %d, the cursor at %d, %d rows", test, got[0].width, cursor, len(got))
		}
	}
}

// A terminal that divides lines anew makes of a drawing what a layout of its new width is: nothing has to be drawn, but
// where a line was broken before a wide character by the prompt itself.
func TestFlow(t *testing.T) {
	for name, test := range map[string]struct {
		text      string
		wrapsWide bool
		flows     bool
	}{
		"ascii":                  {strings.Repeat("abcdefghi ", 25), false, true},
		"wide":                   {strings.Repeat("一二三四五 ", 25), true, true},
		"wide, broken by itself": {strings.Repeat("一二三四五 ", 25), false, false},
	} {
		laidOut := func(columns int) *layout {
			l := newLayout(columns, 24, true)
			l.wrapsWide = test.wrapsWide
			l.putPrompt("ftsh ~> ")
			for c := range clustersOf(test.text) {
				l.putCluster(c, stylePlain)
			}
			l.markCursor(1)
			return l
		}
		before := laidOut(100)
		s := screen{kind: dividesLines, rows: before.rows, row: before.row, column: before.column}
		for _, columns := range []int{40, 60, 33} {
			l := laidOut(columns)
			row, column := s.dividedCursor(columns)
			if flows := s.flowedInto(l); flows != test.flows || flows && (row != l.row || column != l.column) {
				t.Errorf("%s, %d columns: flows: %v, the cursor at %d, %d, not %d, %d", name, columns, flows,
					row, column, l.row, l.column)
			}
		}
	}
}
