package repl

import "strings"

// recall is the statements that were run before, from the oldest to the last,
// and which of them is on the prompt.
type recall struct {
	entries []string
	at      int            // len(entries): the one being typed
	edited  map[int]string // what was made of entries in this prompt
}

// begin is called when a new statement is to be typed.
func (r *recall) begin() {
	r.at, r.edited = len(r.entries), nil
}

// add appends a statement. One that is there is moved to the end.
func (r *recall) add(text string) {
	for i, entry := range r.entries {
		if entry == text {
			r.entries = append(r.entries[:i:i], r.entries[i+1:]...)
			break
		}
	}
	r.entries = append(r.entries, text)
}

// older is the statement before the one on the prompt; the same if there is none.
func (r *recall) older(now line) line { return r.show(now, r.at-1) }

// newer is the statement after it.
func (r *recall) newer(now line) line { return r.show(now, r.at+1) }

// show changes to another entry. What was made of this one is kept until the
// statement is run.
func (r *recall) show(now line, at int) line {
	if at < 0 || at > len(r.entries) {
		return now
	}
	if r.edited == nil {
		r.edited = make(map[int]string)
	}
	r.edited[r.at] = now.String()
	r.at = at
	if text, ok := r.edited[at]; ok || at == len(r.entries) {
		return newLine(text)
	}
	return newLine(r.entries[at])
}

// find looks for an entry with a text in it, from a place on in steps of 1 or
// -1. Capitals only matter if the text has one.
func (r *recall) find(text string, from, step int) (at int, found bool) {
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
