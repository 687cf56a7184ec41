package repl

import "strings"

// search is looking for a statement in the history, with Ctrl-R.
type search struct {
	text   string
	at     int // the entry shown; len(entries): none yet
	failed bool
}

// beginSearch begins it.
func (e *editor) beginSearch() (rune, bool) {
	e.search = &search{at: len(e.recall.entries)}
	return 0, false
}

// searchPress does what a key means in a search. A key that means nothing
// there ends it and means what it means elsewhere: then done is false.
func (e *editor) searchPress(k key) (r rune, pass, done bool) {
	s := e.search
	switch k.code {
	case keyChar:
		s.text += string(k.char)
		e.seek(s.at, -1)
	case keyPaste:
		s.text += strings.ReplaceAll(k.text, "\n", " ")
		e.seek(s.at, -1)
	case keyBackspace:
		runes := []rune(s.text)
		s.text = string(runes[:max(0, len(runes)-1)])
		e.seek(s.at, -1)
	case keySearch, keyUp:
		e.seek(s.at-1, -1)
	case keySearchForward, keyDown:
		e.seek(s.at+1, 1)
	case keyCancel, keyInterrupt:
		e.search = nil
	default:
		return e.endSearch(k)
	}
	return 0, false, true
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

// endSearch puts what was found on the prompt, and then does what the key
// means there: Enter runs it.
func (e *editor) endSearch(k key) (r rune, pass, done bool) {
	e.now, e.search = e.found(), nil
	if k.code != keyEscape {
		r, pass = e.edit(k)
	}
	if e.next == nil && !e.accepted {
		r, pass = e.become(e.now)
	}
	return r, pass, true
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
	e.putLines(l, s, -1, "")
	title := "search: "
	if e.search.failed {
		title = "not found: "
	}
	l.putRow(title+e.search.text, styleFaint)
	l.markCursor(1)
	return l
}
