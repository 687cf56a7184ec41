package repl

// askPlace is called when the terminal's size has changed. Some terminals then
// divide long lines anew, others cut them: where the cursor is tells which.
func (e *editor) askPlace() {
	columns, _ := e.term.size()
	e.stale = true
	if !e.screen.fits(columns) {
		e.moved = true
		_, _ = e.term.Write([]byte("\x1b[6n"))
	}
}

// placeReported is the terminal's answer: the row and column of the cursor,
// from 1.
func (e *editor) placeReported(at [2]int) {
	if e.moved {
		e.moved = false
		columns, _ := e.term.size()
		e.screen.divided(columns, at[0]-1, at[1]-1)
	}
}

// fits reports whether what is drawn is one row that also fits into a terminal of
// that width: it stays where it is, and there is nothing to ask. (The answer
// to a question may come when a program is reading already.)
func (s *screen) fits(columns int) bool {
	return len(s.rows) == 0 || len(s.rows) == 1 && s.rows[0].width < columns
}

// divided corrects what is known of the drawing after the terminal has become
// narrower or wider, by the place that the cursor is in now. If that tells nothing,
// some of the drawing may stay above the next: what stands above the prompt must not
// be erased.
func (s *screen) divided(columns, row, column int) {
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
