package repl

import (
	"strconv"
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// layout divides what is shown into rows of the terminal. Long lines are wrapped by the terminal itself, so that they
// are copied whole and stay lines when it gets another size; where it will do so is known here.
type layout struct {
	columns, height int
	colours         bool
	wrapsWide       bool   // the terminal also wraps before and after a character of two cells as it should
	hint            string // about what is at the cursor
	suggestion      string // what could follow the text

	rows         []row
	row, column  int // of the cursor
	continuation int // how wide what begins each line is, for tabs
}

// row is one row of the terminal.
type row struct {
	cells   []cell
	width   int
	ends    int  // how wide the last character is: not every terminal wraps after one of two cells
	vague   bool // terminals may not agree on its width, so that it must not be wrapped by them
	wrapped bool // the terminal goes on with the line in the next row, as this one is full
}

// cell is a piece of a row, mostly a cluster; one without a width is a sequence of the prompt's own.
type cell struct {
	text  string
	width int
	style style
}

func newLayout(columns, height int, colours bool) *layout {
	return &layout{columns: max(columns, 1), height: height, colours: colours, rows: make([]row, 1)}
}

func (l *layout) lastRow() *row { return &l.rows[len(l.rows)-1] }

// nextRow goes on in the next row.
func (l *layout) nextRow() {
	r := l.lastRow()
	narrow := r.width == l.columns && r.ends == 1
	wide := l.wrapsWide && r.width > 1 && r.width >= l.columns-1
	r.wrapped = !r.vague && (narrow || wide)
	l.rows = append(l.rows, row{})
}

func (l *layout) newLine() {
	l.rows = append(l.rows, row{})
	l.continuation = 0
}

// markCursor says that the cursor is here, on something of that width. Where that is in the next row, so is the
// cursor.
func (l *layout) markCursor(width int) {
	if l.lastRow().width+max(width, 1) > l.columns {
		l.nextRow()
	}
	l.row, l.column = len(l.rows)-1, l.lastRow().width
}

// putPiece appends text that fits into a row, or begins a new row with it.
func (l *layout) putPiece(text string, width int, s style) {
	if l.lastRow().width+width > l.columns && l.lastRow().width > 0 {
		l.nextRow()
	}
	r := l.lastRow()
	r.cells = append(r.cells, cell{text, width, s})
	r.width, r.ends = r.width+width, width
}

const tabWidth = 8

// putCluster appends a cluster as it is to be seen. What has no width of its own (a control character, a combining mark
// at the beginning of a line) is seen as a text that stands for it.
func (l *layout) putCluster(c cluster, s style) {
	switch first := c.text[0]; {
	case c.text == "\t":
		for range tabWidth - (l.lastRow().width-l.continuation)%tabWidth {
			l.putPiece(" ", 1, s)
		}
	case c.vague:
		l.putVague(c, s)
	case c.width > 0:
		l.putPiece(c.text, c.width, s)
	case first < ' ' || first == rubout:
		l.putPiece("^"+string(rune(first^'@')), 2, s)
	default:
		text := "\u25cc" + c.text
		l.putPiece(text, displaywidth.String(text), s)
	}
}

// putVague appends a cluster whose width terminals do not agree on. It is given the place that it most likely needs,
// and what follows goes to where it belongs in any case.
func (l *layout) putVague(c cluster, s style) {
	width := min(c.width, l.columns)
	if l.lastRow().width+width > l.columns {
		l.nextRow()
	}
	r := l.lastRow()
	if n := len(l.rows); n > 1 && r.width == 0 {
		l.rows[n-2].wrapped = false
	}
	r.vague = true
	text := "\x1b[K" + c.text
	if after := r.width + width; after < l.columns {
		text += "\x1b[" + strconv.Itoa(after+1) + "G"
	}
	l.putPiece(text, width, s)
}

// putPrompt appends a prompt. It may have escape sequences for colours in it, and several lines.
func (l *layout) putPrompt(prompt string) {
	sequence := func(text string) {
		if r := l.lastRow(); l.colours {
			r.cells = append(r.cells, cell{text: text})
		}
	}
	graphemes := displaywidth.Options{ControlSequences: true}.StringGraphemes(prompt)
	for graphemes.Next() {
		switch text := graphemes.Value(); {
		case text == "\n" || text == "\r\n":
			l.newLine()
		case strings.HasPrefix(text, "\x1b"):
			sequence(text)
		case graphemes.Width() > 0:
			l.putPiece(text, graphemes.Width(), stylePlain)
		}
	}
	if n := strings.LastIndexByte(prompt, escape); n >= 0 && !strings.HasPrefix(prompt[n:], resetStyle) {
		sequence(resetStyle) // what is typed has styles of its own
	}
	l.continuation = l.lastRow().width
}

// putFitting appends a text at the end of the row if there is room for it.
func (l *layout) putFitting(text string, s style) {
	if width := displaywidth.String(text); text != "" && l.lastRow().width+width < l.columns {
		l.putPiece(text, width, s)
	}
}

// putRow begins a row with as much of a text as fits.
func (l *layout) putRow(text string, s style) {
	l.newLine()
	l.putCut(text, l.columns, s)
}

// putCut appends a text as far as it fits before a column.
func (l *layout) putCut(text string, column int, s style) {
	for c := range clustersOf(text) {
		if l.lastRow().width+max(1, c.width) >= column {
			if column <= l.columns && l.lastRow().width < column {
				l.putPiece("…", 1, s)
			}
			return
		}
		l.putCluster(c, s)
	}
}

// A style tells what a piece of text means: the sequence that switches its colour on, after a reset.
type style string

const (
	stylePlain    style = ""
	styleKeyword  style = "\x1b[1;35m"
	styleCommand  style = "\x1b[32m" // a builtin, a function, a program that is there
	styleString   style = "\x1b[33m"
	styleVariable style = "\x1b[36m"
	styleOperator style = "\x1b[34m"
	styleWrong    style = "\x1b[31m"  // what cannot be, and a program that is not there
	styleFaint    style = "\x1b[2m"   // comments and hints
	styleMatch    style = "\x1b[1;4m" // the bracket, or the keyword, that belongs to the one at the cursor
	styleSelected style = "\x1b[7m"   // the chosen one of several
	styleFound    style = "\x1b[4m"   // what is searched for
)

// escapeSequence switches a style on. Without colours only what does not depend on them is left.
func (s style) escapeSequence(colours bool) string {
	if colours || s == styleMatch || s == styleSelected || s == styleFound {
		return string(s)
	}
	return ""
}

const resetStyle = "\x1b[0m"

// afterwards switches a style off, if it was on.
func (s style) afterwards(colours bool) string {
	if s.escapeSequence(colours) == "" {
		return ""
	}
	return resetStyle
}
