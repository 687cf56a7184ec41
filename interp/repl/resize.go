package repl

// resized is called when the terminal's size has changed. Some terminals then
// divide long lines anew, others cut them: where the cursor is tells which.
func (e *editor) resized() {
	e.mu.Lock()
	defer e.mu.Unlock()
	columns, _ := e.term.size()
	if !e.reading || e.accepted || e.screen.fits(columns) {
		return
	}
	e.moved = true
	_, _ = e.term.Write([]byte("\x1b[6n"))
}

// placeReported is the terminal's answer: the row and column of the cursor,
// from 1. Where it now is in the middle of rows that were divided anew, they
// begin higher up than before.
func (e *editor) placeReported(args [2]int) (rune, bool) {
	if !e.moved {
		return 0, false
	}
	e.moved = false
	columns, _ := e.term.size()
	e.screen.divided(columns, args[1]-1)
	return 0, false
}

// fits tells that what is drawn is one row that also fits into a terminal of
// that width: it stays where it is, and there is nothing to ask. (The answer
// to a question may come when a program is reading already.)
func (s *screen) fits(columns int) bool {
	return len(s.widths) == 0 || len(s.widths) == 1 && s.widths[0] < columns
}

// divided corrects what is known of the drawing after the terminal has become
// narrower or wider, by the column that the cursor is in now.
func (s *screen) divided(columns, column int) {
	above := 0 // rows above the cursor's, if the terminal has divided what was drawn
	for _, width := range s.widths[:min(s.row, len(s.widths))] {
		above += max(1, (width+columns-1)/columns)
	}
	above += s.column / columns
	if column == s.column%columns {
		s.row = above
	}
}
