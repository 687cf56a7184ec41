package repl

import "strings"

// askPlace is called when the terminal's size has changed. Some terminals then divide long lines anew, others cut
// them: where the cursor is tells which. Nothing is asked where what is drawn is one row that still fits: it stays
// where it is, and the answer may come when a program is reading already.
func (e *editor) askPlace() {
	s := &e.screen
	s.now, _ = e.term.cellSize()
	s.narrowest = min(s.narrowest, s.now)
	e.stale, s.torn = true, true
	if len(s.rows) > 1 || len(s.rows) == 1 && s.rows[0].width >= s.narrowest {
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

// flowedInto reports whether the terminal, by dividing the lines of the drawing anew, shows the layout already, so that
// nothing has to be drawn, and no torn copy is left of what was pushed above the first row.
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
			text.WriteString(c.text)
		}
		if !r.wrapped {
			text.WriteByte('\n')
		}
	}
	return text.String()
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
