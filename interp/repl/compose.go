package repl

import (
	"strconv"
	"strings"
)

// compose lays out what is to be seen while a statement is typed.
func (e *editor) compose() *layout {
	cursor := e.now.pos
	if e.search != nil {
		return e.composeSearch()
	}
	l := e.composeText(cursor)
	if e.menu != nil {
		_, height := e.term.size()
		e.menu.put(l, height-len(l.rows)-1)
	}
	return l
}

// composeText lays out the prompt and the text; for a cursor of -1, as it stays
// when the statement runs.
func (e *editor) composeText(cursor int) *layout {
	l := e.newLayout()
	l.putPrompt(e.prompt)
	text := e.now.String()
	s := newScan(text, e.host.commandStyle)
	hint := ""
	if cursor >= 0 {
		hint = s.point(len(string(e.now.text[:cursor])))
	}
	e.putLines(l, s, cursor, hint)
	if e.stopped == errInterrupted {
		l.putFitting("^C", styleFaint)
	}
	l.setStyle(stylePlain)
	return l
}

func (e *editor) newLayout() *layout {
	columns, _ := e.term.size()
	return newLayout(columns, e.host.colours())
}

// putLines lays out the lines of the text, each but the first after what is
// open there.
func (e *editor) putLines(l *layout, s *scan, cursor int, hint string) {
	runes, bytes := 0, 0
	for n, text := range strings.Split(s.text, "\n") {
		if n > 0 {
			l.newLine()
			l.putPrompt(s.opened(bytes) + "… ")
		}
		clusters(text, func(c cluster) bool {
			if runes <= cursor && cursor < runes+c.size {
				l.markCursor(c.width)
			}
			l.putCluster(c, s.styles[bytes])
			runes, bytes = runes+c.size, bytes+len(c.text)
			return true
		})
		if runes == cursor {
			l.markCursor(1)
		}
		if end := runes; cursor >= end-len([]rune(text)) && cursor <= end && hint != "" {
			l.putFitting(hint, styleFaint)
		}
		runes, bytes = runes+1, bytes+1
	}
}

// point marks what belongs to the bracket or keyword at the cursor, and returns
// what there is to say of it.
func (s *scan) point(cursor int) (hint string) {
	p, found := s.partner(cursor)
	if !found {
		return ""
	}
	s.set(p.open, styleMatch)
	s.set(p.close, styleMatch)
	opener, closer := s.text[p.open.start:p.open.end], s.text[p.close.start:p.close.end]
	if closer != "end" || !p.close.has(cursor) || !strings.Contains(s.text[p.open.start:p.close.end], "\n") {
		return ""
	}
	line := 1 + strings.Count(s.text[:p.open.start], "\n")
	return "  # " + opener + " in line " + strconv.Itoa(line)
}
