package repl

import (
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
	l.putPrompt(e.prompt)
	text := e.now.String()
	if e.scanned == nil || e.scanned.text != text {
		e.scanned = newScan(text, e.shell.commandStyle)
	}
	var marks []span
	if cursor >= 0 {
		marks, l.hint = e.scanned.pointOut(cursor)
	}
	if rest := strings.TrimPrefix(e.suggestedText(), text); cursor >= 0 && rest != "" && e.menu == nil {
		first, more, several := strings.Cut(rest, "\n")
		l.suggestion = first + ifElse(several, " … "+ifElse(strings.Contains(more, "\n"), "", more), "")
	}
	l.putText(e.scanned, cursor, marks)
	l.setStyle(stylePlain)
	return l
}

func (e *editor) newLayout() *layout {
	columns, rows := e.term.cellSize()
	l := newLayout(columns, rows, e.shell.Colours)
	l.wrapsWide = e.screen.kind == dividesLines
	return l
}

// putText lays out the lines of a text, each but the first after what is open there. Of many only those are that can
// be seen around the cursor.
func (l *layout) putText(s *scan, cursor int, marks []span) {
	near := strings.Count(s.text[:max(0, cursor)], "\n")
	at := 0
	for n, text := range strings.Split(s.text, "\n") {
		if cursor < 0 || n >= near-l.height && n <= near+l.height {
			if n > 0 {
				l.newLine()
				l.putPrompt(s.openAt(at) + "… " + s.indentation(at, text))
			}
			l.putLine(s, span{at, at + len(text)}, cursor, marks)
		}
		at += len(text) + 1
	}
}

func (l *layout) putLine(s *scan, at span, cursor int, marks []span) {
	place := at.start
	for c := range clustersOf(s.text[at.start:at.end]) {
		if place <= cursor && cursor < place+len(c.text) {
			l.markCursor(c.width)
		}
		as := s.styles[place]
		for _, mark := range marks {
			if mark.start <= place && place < mark.end {
				as = styleMatch
			}
		}
		l.putCluster(c, as)
		place += len(c.text)
	}
	if cursor == at.end {
		l.markCursor(1)
	}
	if at.contains(cursor) {
		l.putFitting(l.hint, styleFaint)
	}
	if cursor == len(s.text) && at.contains(cursor) {
		for c := range clustersOf(l.suggestion) {
			l.putCluster(c, styleFaint)
		}
	}
}

// pointOut tells what belongs to the bracket or keyword at the cursor, and what there is to say of it.
func (s *scan) pointOut(cursor int) (marks []span, hint string) {
	p, found := s.partnerOf(cursor)
	if !found {
		return nil, ""
	}
	opener, closer := s.text[p.open.start:p.open.end], s.text[p.close.start:p.close.end]
	if closer == "end" && p.close.contains(cursor) && strings.Contains(s.text[p.open.start:p.close.end], "\n") {
		line := 1 + strings.Count(s.text[:p.open.start], "\n")
		hint = "  # " + opener + " in line " + strconv.Itoa(line)
	}
	return []span{p.open, p.close}, hint
}
