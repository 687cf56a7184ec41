package repl

import (
	"bytes"
	"fmt"
	"slices"
)

// screen draws a layout again and again over what it drew before, beginning at the row of the prompt.
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

// drawLayout draws a layout. Of one that is higher than the terminal it draws what is around the cursor.
func (s *screen) drawLayout(l *layout, height int) {
	rows, cursor := visibleRows(l.rows, l.row, height)
	if !s.drawChanges(rows, l) {
		s.drawRows(rows, l)
		s.row, s.column = len(rows)-1, -1
	}
	s.moveTo(cursor, l.column)
	s.rows, s.columns, s.narrowest, s.torn = rows, l.columns, l.columns, false
	s.writeOutput()
}

// drawLast draws a layout for the last time, all of it, and leaves the cursor in the row below.
func (s *screen) drawLast(l *layout) {
	s.drawRows(l.rows, l)
	s.buf.WriteString("\r\n")
	s.rows, s.row = nil, 0
	s.writeOutput()
}

// eraseDrawing takes away what was drawn.
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

// beginOutput moves to where the drawing begins, with the cursor hidden until all is written.
func (s *screen) beginOutput() {
	s.buf.WriteString("\x1b[?25l")
	s.hidden = true
	s.moveUp(s.row)
	s.buf.WriteByte('\r')
}

// drawRows draws all rows, without a newline after the last, and clears what is below. After a row that fills the
// terminal the cursor stays in its last cell, where clearing would take that: so it is done before if the last row is
// such a one.
func (s *screen) drawRows(rows []row, l *layout) {
	s.beginOutput()
	full := rows[len(rows)-1].width >= l.columns
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
		s.writeCells(r.cells, l.colours)
		if r.width < l.columns {
			s.buf.WriteString("\x1b[K")
		}
	}
	if !full {
		s.buf.WriteString("\x1b[J")
	}
}

func (s *screen) writeCells(cells []cell, colours bool) {
	pen := stylePlain
	for _, c := range cells {
		if c.style != pen {
			s.buf.WriteString(pen.afterwards(colours) + c.style.escapeSequence(colours))
			pen = c.style
		}
		s.buf.WriteString(c.text)
	}
	s.buf.WriteString(pen.afterwards(colours))
}

// drawChanges draws what is different from the drawing before, if that is little: one row, or only where the cursor
// is. A key mostly writes one byte so, which is felt on a slow line. False: all has to be drawn.
func (s *screen) drawChanges(rows []row, l *layout) bool {
	if s.torn || s.columns != l.columns || len(rows) != len(s.rows) {
		return false
	}
	changed := -1
	for i, r := range rows {
		switch before := s.rows[i]; {
		case r.wrapped != before.wrapped:
			return false
		case slices.Equal(r.cells, before.cells):
		case changed >= 0, r.vague, before.vague:
			return false
		default:
			changed = i
		}
	}
	return changed < 0 || s.patchRow(changed, &rows[changed], l)
}

// patchRow writes the cells of a row from the first that is different to the last. False: the row is full, where the
// terminal must wrap, or not, as it did.
func (s *screen) patchRow(at int, now *row, l *layout) bool {
	before := &s.rows[at]
	first, column := 0, 0
	for first < min(len(now.cells), len(before.cells)) && now.cells[first] == before.cells[first] {
		column += now.cells[first].width
		first++
	}
	end, width := len(now.cells), now.width
	if now.width == before.width { // what follows stands where it was
		for other := len(before.cells); end > first && other > first && now.cells[end-1] == before.cells[other-1]; other-- {
			end--
			width -= now.cells[end].width
		}
	}
	if width == l.columns {
		return false
	}
	s.moveTo(at, column)
	s.writeCells(now.cells[first:end], l.colours)
	s.column = width
	if now.width < before.width {
		s.buf.WriteString("\x1b[K")
	}
	return true
}

func (s *screen) moveUp(rows int) {
	if rows > 0 {
		fmt.Fprintf(&s.buf, "\x1b[%dA", rows)
	}
}

// moveTo moves the cursor from where it is. A column of -1 is anywhere in the row.
func (s *screen) moveTo(row, column int) {
	s.moveUp(s.row - row)
	if down := row - s.row; down > 0 {
		fmt.Fprintf(&s.buf, "\x1b[%dB", down)
	}
	switch s.column {
	case column:
	case column + 1:
		s.buf.WriteByte('\b')
	default:
		fmt.Fprintf(&s.buf, "\x1b[%dG", column+1)
	}
	s.row, s.column = row, column
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
