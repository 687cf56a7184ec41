package repl

import (
	"slices"
	"strings"
)

// recall is the statements that were run before, from the oldest to the last, and which of them is on the prompt.
type recall struct {
	entries []string
	at      int    // len(entries): the one being typed
	shown   string // the entry that is on the prompt, as it was
	typed   line   // what was typed before
	sought  string // what the entries have in them that are looked through
}

// beginNew is called when a new statement is to be typed.
func (r *recall) beginNew() { *r = recall{entries: r.entries, at: len(r.entries)} }

// addStatement appends a statement. One that is there is moved to the end.
func (r *recall) addStatement(text string) {
	r.entries = append(slices.DeleteFunc(r.entries, func(entry string) bool { return entry == text }), text)
}

// stepTo returns the next older (-1) or newer (1) statement that contains a text; after the newest comes what was
// typed. An entry that was edited counts as typed.
func (r *recall) stepTo(now line, step int, text string) line {
	if r.at == len(r.entries) || now.String() != r.shown {
		r.at, r.typed, r.sought = len(r.entries), now, text
	}
	at, found := r.findEntry(r.sought, r.at+step, step)
	if found && r.entries[at] == now.String() {
		at, found = r.findEntry(r.sought, at+step, step)
	}
	switch {
	case found:
		r.at, r.shown = at, r.entries[at]
		return newLine(r.shown)
	case step > 0:
		r.at = len(r.entries)
		return r.typed
	}
	return now
}

// findEntry looks for an entry with a text in it, from a place on in steps of 1 or
// -1. Capitals only matter if the text has one.
func (r *recall) findEntry(text string, from, step int) (at int, found bool) {
	exact := strings.ToLower(text) != text
	for at = from; at >= 0 && at < len(r.entries); at += step {
		entry := r.entries[at]
		if !exact {
			entry = strings.ToLower(entry)
		}
		if strings.Contains(entry, text) {
			return at, true
		}
	}
	return 0, false
}

// suggestedText is what is typed, or the last entry that begins with it, where that is suggested. Without colours it
// could not be told from what is typed.
func (e *editor) suggestedText() string {
	text := e.now.String()
	if text == "" || e.now.pos < len(e.now.text) || !e.shell.Colours {
		return text
	}
	for _, entry := range slices.Backward(e.recall.entries) {
		if len(entry) > len(text) && strings.HasPrefix(entry, text) {
			return entry
		}
	}
	return text
}

type search struct {
	text   string
	at     int // the entry shown; len(entries): none yet
	failed bool
}

func (e *editor) beginSearch() { e.search = &search{at: len(e.recall.entries)} }

// searchPress does what a key means in a search. False: it means nothing there, and ends it.
func (e *editor) searchPress(k key) bool {
	s := e.search
	switch k.name {
	case "char", "paste":
		s.text += strings.ReplaceAll(k.text, "\n", " ")
		e.seekEntry(s.at, -1)
	case "backspace":
		runes := []rune(s.text)
		s.text = string(runes[:max(0, len(runes)-1)])
		e.seekEntry(s.at, -1)
	case "ctrl-r", "up":
		e.seekEntry(s.at-1, -1)
	case "ctrl-s", "down":
		e.seekEntry(s.at+1, 1)
	case "ctrl-g":
		e.search = nil
	case "ctrl-c": // drops the line as ever
		e.search = nil
		return false
	default:
		e.now, e.search = e.foundEntry(), nil
		return k.name == "escape"
	}
	return true
}

func (e *editor) seekEntry(from, step int) {
	s := e.search
	at, found := e.recall.findEntry(s.text, min(from, len(e.recall.entries)-1), step)
	s.failed = !found && s.text != ""
	if found && s.text != "" {
		s.at = at
	}
}

// foundEntry is the entry that the search has come to, the cursor where the text is in it.
func (e *editor) foundEntry() line {
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

func (e *editor) composeSearch() *layout {
	l := e.newLayout()
	shown := e.foundEntry()
	s := newScan(shown.String(), e.shell.commandStyle)
	start := len(string(shown.text[:shown.pos]))
	s.setStyle(span{start, start + len(e.search.text)}, styleFound)
	l.putText(s, s.styles, -1)
	found := "search: "
	if e.search.failed {
		found = "not found: "
	}
	l.putRow(found+e.search.text, styleFaint)
	l.markCursor(1)
	return l
}
