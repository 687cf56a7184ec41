package repl

import "strings"

// search is looking for a statement in the history, with Ctrl-R.
type search struct {
	text   string
	at     int // the entry shown; len(entries): none yet
	failed bool
}

// beginSearch begins it.
func (e *editor) beginSearch() { e.search = &search{at: len(e.recall.entries)} }

// searchPress does what a key means in a search. False: it means nothing there, and
// ends it.
func (e *editor) searchPress(k key) bool {
	s := e.search
	switch k.name {
	case "char", "paste":
		s.text += strings.ReplaceAll(k.text, "\n", " ")
		e.seek(s.at, -1)
	case "backspace":
		runes := []rune(s.text)
		s.text = string(runes[:max(0, len(runes)-1)])
		e.seek(s.at, -1)
	case "ctrl-r", "up":
		e.seek(s.at-1, -1)
	case "ctrl-s", "down":
		e.seek(s.at+1, 1)
	case "ctrl-g", "ctrl-c":
		e.search = nil
	default:
		e.now, e.search = e.found(), nil
		return k.name == "escape"
	}
	return true
}

// seek shows the next entry that has the text in it.
func (e *editor) seek(from, step int) {
	s := e.search
	at, found := e.recall.find(s.text, min(from, len(e.recall.entries)-1), step)
	s.failed = !found && s.text != ""
	if found && s.text != "" {
		s.at = at
	}
}

// found is the entry that the search has come to, the cursor where the text is in it.
func (e *editor) found() line {
	s := e.search
	if s.at >= len(e.recall.entries) {
		return e.now
	}
	l := newLine(e.recall.entries[s.at])
	if n := strings.Index(strings.ToLower(l.String()), strings.ToLower(s.text)); n >= 0 {
		return l.at(len([]rune(l.String()[:n])))
	}
	return l
}

// composeSearch lays out what was found, and below it what is searched for.
func (e *editor) composeSearch() *layout {
	l := e.newLayout()
	l.putPrompt(e.prompt)
	shown := e.found()
	s := newScan(shown.String(), e.host.commandStyle)
	start := len(string(shown.text[:shown.pos]))
	s.set(span{start, start + len(e.search.text)}, styleFound)
	l.putText(s, -1, nil)
	l.putRow(either(e.search.failed, "not found: ", "search: ")+e.search.text, styleFaint)
	l.markCursor(1)
	return l
}
