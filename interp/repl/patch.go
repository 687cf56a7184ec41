package repl

import (
	"bytes"
	"fmt"
)

// drawChanges draws what is different from the drawing before, if that is little: one row, or only where the cursor
// is. A key mostly writes one byte so, which is felt on a slow line. False: all has to be drawn.
func (s *screen) drawChanges(rows []row, l *layout) bool {
	if s.torn || s.columns != l.columns || len(rows) != len(s.rows) {
		return false
	}
	changed := -1
	for i := range rows {
		switch {
		case rows[i].wrapped != s.rows[i].wrapped:
			return false
		case bytes.Equal(rows[i].text, s.rows[i].text):
		case changed >= 0, rows[i].vague, s.rows[i].vague:
			return false
		default:
			changed = i
		}
	}
	return changed < 0 || s.patchRow(changed, &rows[changed], l)
}

// patchRow writes the cells of a row from the first that is different to the last.
func (s *screen) patchRow(at int, now *row, l *layout) bool {
	before := &s.rows[at]
	first, column := 0, 0
	for first < min(len(now.cells), len(before.cells)) && now.looksAs(before, first, first) {
		column += now.cells[first].width
		first++
	}
	end, width := len(now.cells), now.width
	if now.width == before.width { // what follows stands where it was
		for other := len(before.cells); end > first && other > first && now.looksAs(before, end-1, other-1); other-- {
			end--
			width -= now.cells[end].width
		}
	}
	if width == l.columns { // the terminal must wrap there, or not, as it did
		return false
	}
	s.moveTo(at, column)
	pen := stylePlain
	for _, c := range now.cells[first:end] {
		if c.style != pen {
			s.buf.WriteString(pen.afterwards(l.colours) + c.style.escapeSequence(l.colours))
			pen = c.style
		}
		s.buf.Write(now.text[c.begin:c.end])
		s.column += c.width
	}
	s.buf.WriteString(pen.afterwards(l.colours))
	if now.width < before.width {
		s.moveTo(at, width)
		s.buf.WriteString("\x1b[K")
	}
	return true
}

// looksAs reports whether a cell looks as one of another row does.
func (r *row) looksAs(other *row, i, j int) bool {
	a, b := r.cells[i], other.cells[j]
	return a.style == b.style && a.width == b.width && bytes.Equal(r.text[a.begin:a.end], other.text[b.begin:b.end])
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
