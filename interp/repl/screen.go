package repl

import (
	"bytes"
	"strconv"
)

// screen draws a layout again and again over what it drew before, beginning at
// the row of the prompt. It is used under the editor's lock.
type screen struct {
	term *terminal
	rows int // how many were drawn, 0: nothing is
	row  int // the cursor's, among them
	buf  bytes.Buffer
}

// draw draws a layout. Of one that is higher than the terminal it draws what is
// around the cursor.
func (s *screen) draw(l *layout, height int) {
	rows, cursor := window(l.rows, l.row, height)
	s.begin()
	s.write(rows, l.columns)
	s.buf.WriteString("\x1b[J")
	s.up(len(rows) - 1 - cursor)
	s.column(l.column)
	s.rows, s.row = len(rows), cursor
	s.flush()
}

// finish draws a layout for the last time, all of it, and leaves the cursor in
// the row below.
func (s *screen) finish(l *layout) {
	s.begin()
	s.write(l.rows, l.columns)
	s.buf.WriteString("\x1b[J\r\n")
	s.rows, s.row = 0, 0
	s.flush()
}

// clear empties the terminal; what is drawn next is at its top.
func (s *screen) clear() {
	s.buf.WriteString("\x1b[H\x1b[2J")
	s.rows, s.row = 0, 0
}

// begin moves to the first row that was drawn.
func (s *screen) begin() {
	s.buf.WriteString("\x1b[?25l")
	s.up(s.row)
	s.buf.WriteByte('\r')
}

// write writes rows, without a newline after the last. A row that fills the
// terminal leaves the cursor in its last cell, where erasing would take that.
func (s *screen) write(rows []row, columns int) {
	for i, r := range rows {
		if i > 0 {
			s.buf.WriteString("\r\n")
		}
		if r.clear {
			s.buf.WriteString("\x1b[2K")
		}
		s.buf.Write(r.text)
		if r.width < columns {
			s.buf.WriteString("\x1b[K")
		}
	}
}

func (s *screen) up(rows int) {
	if rows > 0 {
		s.buf.WriteString("\x1b[" + strconv.Itoa(rows) + "A")
	}
}

func (s *screen) column(column int) {
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
