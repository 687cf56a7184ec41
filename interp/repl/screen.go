package repl

import (
	"bytes"
	"fmt"
	"strings"
)

// screen draws a layout again and again over what it drew before, beginning at the row of the prompt. It is used
// under the editor's lock.
type screen struct {
	term    *terminal
	rows    []row // as they were drawn
	row     int   // the cursor's, among them
	column  int
	columns int  // how wide the terminal was then
	torn    bool // the terminal may have divided the rows anew
	now     int  // how wide it is since
	// narrowest is how wide it was at least since then.
	narrowest int
	kind      kindOfTerminal
	hidden    bool // the cursor is, until all is drawn
	buf       bytes.Buffer
}

// kindOfTerminal says what a terminal does with lines that are too long when it becomes narrower or wider.
type kindOfTerminal uint8

const (
	unknownKind kindOfTerminal = iota
	dividesLines
	cutsLines
)

// dividing are variables that terminals set which divide lines anew. A terminal may have inherited one from another:
// what it is seen to do counts more.
var dividing = [...]string{
	"TMUX", "VTE_VERSION", "KONSOLE_VERSION", "KITTY_WINDOW_ID", "WEZTERM_PANE", "ALACRITTY_WINDOW_ID",
}

// usualKind is the kind that a terminal is by its variables.
func usualKind(lookup func(name string) (string, bool)) kindOfTerminal {
	for _, name := range dividing {
		if _, set := lookup(name); set {
			return dividesLines
		}
	}
	return unknownKind
}

// drawLayout draws a layout. Of one that is higher than the terminal it draws what is around the cursor.
func (s *screen) drawLayout(l *layout, height int) {
	rows, cursor := visibleRows(l.rows, l.row, height)
	if !s.drawChanges(rows, l) {
		s.beginOutput()
		s.writeRows(rows, l.columns)
		s.row, s.column = len(rows)-1, -1
	}
	s.moveTo(cursor, l.column)
	s.rows, s.columns, s.narrowest, s.torn = rows, l.columns, l.columns, false
	s.writeOutput()
}

// drawLast draws a layout for the last time, all of it, and leaves the cursor in the row below.
func (s *screen) drawLast(l *layout) {
	s.beginOutput()
	s.writeRows(l.rows, l.columns)
	s.buf.WriteString("\r\n")
	s.rows, s.row = nil, 0
	s.writeOutput()
}

func (s *screen) eraseDrawing() {
	s.beginOutput()
	s.buf.WriteString("\x1b[J")
	s.rows, s.row = nil, 0
	s.writeOutput()
}

// clearTerminal empties the terminal; what is drawn next is at its top.
func (s *screen) clearTerminal() {
	s.buf.WriteString("\x1b[H\x1b[2J")
	s.rows, s.row = nil, 0
}

func (s *screen) beginOutput() {
	s.buf.WriteString("\x1b[?25l")
	s.hidden = true
	s.moveUp(s.row)
	s.buf.WriteByte('\r')
}

// writeRows writes rows, without a newline after the last, and clears what is below. After a row that fills the
// terminal the cursor stays in its last cell, where clearing would take that: so it is done before if the last row is
// such a one.
func (s *screen) writeRows(rows []row, columns int) {
	full := rows[len(rows)-1].width >= columns
	if full {
		s.buf.WriteString("\x1b[J")
	}
	for i, r := range rows {
		switch wrapped := i > 0 && rows[i-1].wrapped; {
		case wrapped && r.width == 0:
			s.buf.WriteString(" \r") // has the terminal go on in the next row
		case i > 0 && !wrapped:
			s.buf.WriteString("\r\n")
		}
		s.buf.Write(r.text)
		if r.width < columns {
			s.buf.WriteString("\x1b[K")
		}
	}
	if !full {
		s.buf.WriteString("\x1b[J")
	}
}

func (s *screen) moveUp(rows int) {
	if rows > 0 {
		fmt.Fprintf(&s.buf, "\x1b[%dA", rows)
	}
}

// writeOutput writes all at once, so that nothing of another process gets in between.
func (s *screen) writeOutput() {
	if s.hidden {
		s.buf.WriteString("\x1b[?25h")
		s.hidden = false
	}
	s.term.writeText(s.buf.String())
	s.buf.Reset()
}

// visibleRows is the part of the rows that is drawn, and the cursor's row in it.
func visibleRows(rows []row, cursor, height int) ([]row, int) {
	if len(rows) <= height {
		return rows, cursor
	}
	top := min(max(0, cursor-height/2), len(rows)-height)
	return rows[top : top+height], cursor - top
}

// askPlace is called when the terminal's size has changed. Some terminals then divide long lines anew, others cut
// them: where the cursor is tells which.
func (e *editor) askPlace() {
	s := &e.screen
	s.now, _ = e.term.cellSize()
	s.narrowest = min(s.narrowest, s.now)
	e.stale, s.torn = true, true
	if !s.fitsOn(s.narrowest) {
		e.moved = true
		e.asked++
		e.term.writeText("\x1b[6n")
	}
}

// placeReported is the terminal's answer: the row and column of the cursor, from 1. One that is older than the last
// change of size tells nothing.
func (e *editor) placeReported(at [2]int) {
	e.asked--
	if columns, _ := e.term.cellSize(); e.moved && e.asked <= 0 && columns == e.screen.now {
		e.moved = false
		e.screen.correctRow(at[0]-1, at[1]-1)
		_, height := e.term.cellSize()
		e.stale = !e.screen.flowedInto(e.composeLayout(height))
	}
}

// flowedInto reports whether a layout is what the terminal itself has made of the drawing by dividing its lines anew,
// so that nothing has to be drawn; and what it has pushed above its first row is no torn copy.
func (s *screen) flowedInto(l *layout) bool {
	if s.kind != dividesLines || flowingText(s.rows) != flowingText(l.rows) {
		return false
	}
	s.rows, s.row, s.column, s.columns, s.narrowest, s.torn = l.rows, l.row, l.column, l.columns, l.columns, false
	return true
}

// flowingText is the text of rows, with newlines where the terminal does not wrap.
func flowingText(rows []row) string {
	var text strings.Builder
	for _, r := range rows {
		for _, c := range r.cells {
			text.Write(r.text[c.begin:c.end])
		}
		if !r.wrapped {
			text.WriteByte('\n')
		}
	}
	return text.String()
}

// fitsOn reports whether what is drawn is one row that also fits into a terminal of that width: it stays where it is,
// and there is nothing to ask. (The answer to a question may come when a program is reading already.)
func (s *screen) fitsOn(columns int) bool {
	return len(s.rows) == 0 || len(s.rows) == 1 && s.rows[0].width < columns
}

// correctRow corrects what is known of the drawing after the terminal has become narrower or wider, by the place that
// the cursor is in now. Where that fits both kinds of terminals, it is of the kind that it was seen to be before; if
// none was seen, some of the drawing may stay above the next: what stands above the prompt must not be erased.
func (s *screen) correctRow(row, column int) {
	above, divided := s.dividedCursor(s.now)
	kept := min(s.column, s.narrowest-1)
	switch {
	case divided == 0 || divided == kept: // a cursor behind a full row may be kept in that
	case column == divided:
		s.kind = dividesLines
	case column == kept:
		s.kind = cutsLines
	}
	switch s.kind {
	case dividesLines:
		s.row = above
	case unknownKind:
		s.row = min(above, s.row)
	}
	s.row = min(s.row, row)
}

// dividedCursor returns where the cursor is in the drawing if the terminal has divided its lines anew.
func (s *screen) dividedCursor(columns int) (row, column int) {
	for i, r := range s.rows[:min(s.row+1, len(s.rows))] {
		at := 0
		for _, c := range r.cells {
			if i == s.row && at >= s.column {
				break
			}
			at += c.width
			if column+c.width > columns {
				row, column = row+1, 0
			}
			column += c.width
		}
		if i < s.row && !r.wrapped {
			row, column = row+1, 0
		}
	}
	return row + column/columns, column % columns
}
