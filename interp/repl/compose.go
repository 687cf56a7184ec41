package repl

import (
	"slices"
	"strconv"
	"strings"
)

// composeLayout lays out what is to be seen while a statement is typed.
func (e *editor) composeLayout(height int) *layout {
	if e.search != nil {
		return e.composeSearch()
	}
	l := e.composeText(len(string(e.now.text[:e.now.pos])))
	if e.menu != nil {
		e.menu.putOn(l, height-len(l.rows)-1)
	}
	return l
}

// composeText lays out the prompt and the text; for a cursor of -1, as it stays when the statement runs.
func (e *editor) composeText(cursor int) *layout {
	l := e.newLayout()
	text := e.now.String()
	if e.scanned == nil || e.scanned.text != text {
		e.scanned = newScan(text, e.shell.commandStyle)
	}
	styles := e.scanned.styles
	if cursor >= 0 {
		styles = e.scanned.pointOut(cursor, l)
		if rest := strings.TrimPrefix(e.suggestedText(), text); e.menu == nil {
			first, more, several := strings.Cut(rest, "\n")
			l.suggestion = first
			if several {
				l.suggestion += " … "
			}
			if !strings.Contains(more, "\n") {
				l.suggestion += more
			}
		}
	}
	l.putText(e.scanned, styles, cursor)
	return l
}

// newLayout is a layout that begins with the prompt.
func (e *editor) newLayout() *layout {
	columns, rows := e.term.cellSize()
	l := newLayout(columns, rows, e.shell.Colours)
	l.wrapsWide = e.screen.kind == dividesLines
	l.putPrompt(e.prompt)
	return l
}

// putText lays out the lines of a text, each but the first after what is open there. Of many only those are that can
// be seen around the cursor.
func (l *layout) putText(s *scan, styles []style, cursor int) {
	near := strings.Count(s.text[:max(0, cursor)], "\n")
	at := 0
	for n, text := range strings.Split(s.text, "\n") {
		if cursor < 0 || n >= near-l.height && n <= near+l.height {
			if n > 0 {
				l.newLine()
				l.putPrompt(s.openAt(at) + "… " + s.indentation(at, text))
			}
			l.putLine(text, at, styles, cursor)
		}
		at += len(text) + 1
	}
}

// putLine lays out a line of the text, which begins at a place in it.
func (l *layout) putLine(text string, at int, styles []style, cursor int) {
	end := at + len(text)
	for c := range clustersOf(text) {
		if at <= cursor && cursor < at+len(c.text) {
			l.markCursor(c.width)
		}
		l.putCluster(c, styles[at])
		at += len(c.text)
	}
	if cursor == end {
		l.markCursor(1)
	}
	if cursor >= end-len(text) && cursor <= end {
		l.putFitting(l.hint, styleFaint)
	}
	if cursor == end && end == len(styles) {
		for c := range clustersOf(l.suggestion) {
			l.putCluster(c, styleFaint)
		}
	}
}

// pointOut returns the styles of the text with what belongs to the bracket or keyword at the cursor marked in them, and
// hints at where the group began that ends there.
func (s *scan) pointOut(cursor int, l *layout) []style {
	p, found := s.partnerOf(cursor)
	if !found {
		return s.styles
	}
	opener, closer := s.text[p.open.start:p.open.end], s.text[p.close.start:p.close.end]
	if closer == "end" && p.close.contains(cursor) && strings.Contains(s.text[p.open.start:p.close.end], "\n") {
		line := 1 + strings.Count(s.text[:p.open.start], "\n")
		l.hint = "  # " + opener + " in line " + strconv.Itoa(line)
	}
	marked := slices.Clone(s.styles)
	for _, at := range []span{p.open, p.close} {
		for i := at.start; i < at.end; i++ {
			marked[i] = styleMatch
		}
	}
	return marked
}
