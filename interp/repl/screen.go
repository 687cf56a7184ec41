package repl

import (
	"bytes"
	"strconv"
)

// screen draws a layout again and again over what it drew before, beginning at
// the row of the prompt. It is used under the editor's lock.
type screen struct {
	term   *terminal
	rows   []row // as they were drawn
	row    int   // the cursor's, among them
	column int
	buf    bytes.Buffer
}

// draw draws a layout. Of one that is higher than the terminal it draws what is
// around the cursor.
func (s *screen) draw(l *layout, height int) {
	rows, cursor := window(l.rows, l.row, height)
	s.begin()
	s.write(rows, l.columns)
	s.up(len(rows) - 1 - cursor)
	s.right(l.column)
	s.row, s.column, s.rows = cursor, l.column, rows
	s.flush()
}

// finish draws a layout for the last time, all of it, and leaves the cursor in
// the row below.
func (s *screen) finish(l *layout) {
	s.begin()
	s.write(l.rows, l.columns)
	s.buf.WriteString("\r\n")
	s.rows, s.row = nil, 0
	s.flush()
}

// erase takes what was drawn off the terminal.
func (s *screen) erase() {
	s.begin()
	s.buf.WriteString("\x1b[J")
	s.rows, s.row = nil, 0
	s.flush()
}

// clear empties the terminal; what is drawn next is at its top.
func (s *screen) clear() {
	s.buf.WriteString("\x1b[H\x1b[2J")
	s.rows, s.row = nil, 0
}

// begin moves to the first row that was drawn.
func (s *screen) begin() {
	s.buf.WriteString("\x1b[?25l")
	s.up(s.row)
	s.buf.WriteByte('\r')
}

// write writes rows, without a newline after the last, and clears what is below.
// After a row that fills the terminal the cursor stays in its last cell, where
// clearing would take that: so it is done before if the last row is such a one.
func (s *screen) write(rows []row, columns int) {
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

func (s *screen) up(rows int) {
	if rows > 0 {
		s.buf.WriteString("\x1b[" + strconv.Itoa(rows) + "A")
	}
}

// right moves to a column, from the left.
func (s *screen) right(column int) {
	s.buf.WriteByte('\r')
	if column > 0 {
		s.buf.WriteString("\x1b[" + strconv.Itoa(column) + "C")
	}
}

// flush writes all at once, so that nothing of another process gets in between.
func (s *screen) flush() {
	s.buf.WriteString("\x1b[?25h")
	_, _ = s.term.Write(s.buf.Bytes())
	s.buf.Reset()
}

// window is the part of the rows that is drawn, and the cursor's row in it.
func window(rows []row, cursor, height int) ([]row, int) {
	if len(rows) <= height {
		return rows, cursor
	}
	top := min(max(0, cursor-height/2), len(rows)-height)
	return rows[top : top+height], cursor - top
}
