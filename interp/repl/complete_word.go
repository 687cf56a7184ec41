package repl

import "strings"

// word is the beginning of a word, as it was typed and as it would be expanded.
type word struct {
	raw    string
	value  string // with quotes and escapes undone, and references replaced
	quote  byte   // the quote that is open at its end: ' or " or 0
	bare   bool   // nothing in it is quoted or replaced
	failed bool   // it cannot be known

	slash      int    // where in raw the part after the last slash begins
	slashQuote byte   // the quote that is open there
	folder     string // the value up to there

	dollar int // where in raw the last reference begins that the word ends in, else -1
	brace  bool
}

// readWord reads the beginning of a word. lookup gives the values of variables.
func readWord(raw string, lookup func(string) (string, bool)) word {
	w := word{raw: raw, bare: true, dollar: -1}
	for i := 0; i < len(raw); {
		i = w.next(i, lookup)
	}
	return w
}

// next reads what stands at a place, and returns the place after it.
func (w *word) next(i int, lookup func(string) (string, bool)) int {
	switch c := w.raw[i]; {
	case c == w.quote && c != 0:
		w.quote = 0
	case w.quote == 0 && (c == '"' || c == '\''):
		w.quote, w.bare = c, false
	case c == '\\' && i+1 < len(w.raw) && w.escapes(w.raw[i+1]):
		w.bare = false
		w.add(i+1, w.raw[i+1:i+2])
		return i + 2
	case c == '$' && w.quote != '\'':
		return w.refer(i, lookup)
	default:
		w.add(i, w.raw[i:i+1])
	}
	return i + 1
}

// escapes tells whether a backslash before a character is not itself here.
func (w *word) escapes(c byte) bool {
	switch w.quote {
	case '\'':
		return c == '\''
	case '"':
		return strings.IndexByte("\"\\$'`", c) >= 0
	}
	return true
}

// add appends a byte of the value, which stands at that place.
func (w *word) add(at int, text string) {
	w.value += text
	if text == "/" {
		w.slash, w.slashQuote, w.folder = at+1, w.quote, w.value
	}
}

// refer reads a reference.
func (w *word) refer(i int, lookup func(string) (string, bool)) int {
	w.bare = false
	name, end := i+1, i+1
	braced := name < len(w.raw) && (w.raw[name] == '{' || w.raw[name] == '(')
	if braced {
		name, end = name+1, end+1
	}
	for end < len(w.raw) && (isNameByte(w.raw[end]) || braced && w.raw[end] == '.') {
		end++
	}
	if end == len(w.raw) {
		w.dollar, w.brace = i, braced
		w.failed = true
	}
	value, known := lookup(w.raw[name:end])
	w.failed = w.failed || !known
	w.value += value
	if braced && end < len(w.raw) {
		end++
	}
	return end
}

// reference returns the beginning of a variable's name that the word ends in.
func (w word) reference() (name string, ok bool) {
	if w.dollar < 0 {
		return "", false
	}
	return strings.TrimLeft(w.raw[w.dollar+1:], "{("), true
}

// base is the value after the last slash.
func (w word) base() string { return w.value[len(w.folder):] }

// quoted is the word with another part after its last slash. Whether it is
// whole decides whether an open quote is closed.
func (w word) quoted(name string, whole bool) string {
	head, quote := w.raw[:w.slash], w.slashQuote
	if quote == 0 {
		quote = w.quote
		if quote != 0 {
			head += string(quote)
		}
	}
	if quote == 0 && strings.ContainsAny(name, "\n\t") {
		quote = '\''
		head += "'"
		whole = true
	}
	text := head + escapeIn(name, quote, head == "")
	if quote != 0 && whole {
		text += string(quote)
	}
	return text
}

// escapeIn writes a name so that it is itself: bare, or in quotes.
func escapeIn(name string, quote byte, first bool) string {
	special := " \"'\\$`|&;<>()*?["
	switch quote {
	case '\'':
		special = "'"
	case '"':
		special = "\"\\$`"
	}
	var text strings.Builder
	for i := range len(name) {
		c := name[i]
		atStart := first && i == 0 && quote == 0 && (c == '#' || c == '~')
		if atStart || strings.IndexByte(special, c) >= 0 {
			text.WriteByte('\\')
		}
		text.WriteByte(c)
	}
	return text.String()
}
