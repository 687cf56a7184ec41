package repl

import (
	"bytes"
	"fmt"
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
	hidden  bool // the cursor is, until all is drawn
	buf     bytes.Buffer
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
	s.rows, s.columns, s.torn = rows, l.columns, false
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
	columns, _ := e.term.cellSize()
	e.stale, e.screen.torn = true, true
	if !e.screen.fitsOn(columns) {
		e.moved = true
		e.term.writeText("\x1b[6n")
	}
}

// placeReported is the terminal's answer: the row and column of the cursor, from 1.
func (e *editor) placeReported(at [2]int) {
	if e.moved {
		e.moved = false
		columns, _ := e.term.cellSize()
		e.screen.correctRow(columns, at[0]-1, at[1]-1)
	}
}

// fitsOn reports whether what is drawn is one row that also fits into a terminal of that width: it stays where it is,
// and there is nothing to ask. (The answer to a question may come when a program is reading already.)
func (s *screen) fitsOn(columns int) bool {
	return len(s.rows) == 0 || len(s.rows) == 1 && s.rows[0].width < columns
}

// correctRow corrects what is known of the drawing after the terminal has become narrower or wider, by the place that
// the cursor is in now. If that tells nothing, some of the drawing may stay above the next: what stands above the
// prompt must not be erased.
func (s *screen) correctRow(columns, row, column int) {
	above, line := 0, 0 // rows above the cursor's, and cells before it, if lines were divided anew
	for _, r := range s.rows[:min(s.row, len(s.rows))] {
		line += r.width
		if !r.wrapped {
			above += max(1, (line+columns-1)/columns)
			line = 0
		}
	}
	line += s.column
	above += line / columns
	switch divided, kept := column == line%columns, column == min(s.column, columns-1); {
	case divided && !kept:
		s.row = above
	case divided == kept:
		s.row = min(above, s.row)
	}
	s.row = min(s.row, row)
}
