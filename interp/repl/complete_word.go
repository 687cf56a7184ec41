package repl

import (
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"ftsh/lexer/quote"
)

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

	dollar  int // where in raw the last reference begins that the word ends in, else -1
	brace   bool
	command int // where in raw the command begins that the word ends within, as in ${ command }; 0: in none
}

// readWord reads the beginning of a word. lookup gives the values of variables.
func readWord(raw string, lookup func(string) (string, bool)) word {
	w := word{raw: raw, bare: true, dollar: -1}
	for scan := (quote.Scanner{Source: raw}); ; {
		w.quote = scan.Rules
		p := scan.Next()
		if p.Kind != quote.Text && p.Kind != quote.End {
			w.bare = false
		}
		switch p.Kind {
		case quote.End:
			return w
		case quote.Text, quote.Backquote:
			if p.End == len(raw) && raw[p.End-1] == '$' && w.quote != quote.Single {
				p.End-- // what it refers to is still to come
				w.dollar, w.bare, w.failed = p.End, false, true
			}
			w.addText(p.Begin, raw[p.Begin:p.End])
		case quote.Escape:
			w.addText(p.Begin+1, raw[p.Begin+1:p.End])
		case quote.Command:
			w.failed = true
			if scan.Cut {
				w.command = p.Begin + 2
			}
		case quote.Reference:
			w.addReference(p, lookup)
		}
	}
}

// addText appends a piece of the value, which stands at that place.
func (w *word) addText(at int, text string) {
	w.value += text
	if n := strings.LastIndexByte(text, '/') + 1; n > 0 {
		w.slash, w.slashQuote, w.folder = at+n, w.quote, w.value[:len(w.value)-len(text)+n]
	}
}

// addReference adds the value of a reference. One with a default is not known.
func (w *word) addReference(p quote.Piece, lookup func(string) (string, bool)) {
	name := strings.TrimLeft(w.raw[p.Begin+1:p.End], "{(")
	braced := len(name) < p.End-p.Begin-1
	if braced {
		name = strings.TrimRight(name, "})")
	}
	if p.End == len(w.raw) && !strings.HasSuffix(w.raw, "}") && !strings.HasSuffix(w.raw, ")") {
		w.dollar, w.brace = p.Begin, braced
		w.failed = true
	}
	value, known := lookup(name)
	w.failed = w.failed || !known
	w.value += value
}

// reference returns the beginning of a variable's name that the word ends in.
func (w word) reference() (name string, ok bool) {
	if w.dollar < 0 {
		return "", false
	}
	return strings.TrimLeft(w.raw[w.dollar+1:], "{("), true
}

// withLastSegment is the word with another part after its last slash. Whether it is whole decides whether an open
// quote is closed.
func (w word) withLastSegment(name string, whole bool) string {
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
	special := " \"'\\$`|&;<>()*?[{,}"
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

// Which files are wanted. A directory leads on to others in any case.
func anyFile(string) bool { return true }
func noFile(string) bool  { return false }

// fileCandidates are the files that a word begins.
func (s *shell) fileCandidates(w word, wanted func(path string) bool) (found []candidate) {
	if w.raw == "~" {
		return []candidate{{text: "~/", shown: "~/"}}
	}
	folder := w.folder
	home, set := s.Runner.Lookup("HOME")
	if rest, ok := strings.CutPrefix(folder, "~/"); ok && set && w.raw[0] == '~' {
		folder = filepath.Join(home, rest)
	}
	if !filepath.IsAbs(folder) {
		folder = filepath.Join(s.Runner.Directory(), folder)
	}
	begun := w.value[len(w.folder):]
	entries, _ := os.ReadDir(folder)
	for _, entry := range entries {
		name := entry.Name()
		hidden := name[0] == '.' && !strings.HasPrefix(begun, ".")
		if hidden || !strings.HasPrefix(name, begun) || !isWritable(name, w) {
			continue
		}
		path := filepath.Join(folder, name)
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			found = append(found, candidate{text: w.guardedName(name, false) + "/", shown: name + "/"})
		} else if wanted(path) {
			found = append(found, candidate{text: w.guardedName(name, true), shown: name, whole: true})
		}
	}
	return found
}

// guardedName is a name as it is written, and no option: also where it needs quotes.
func (w word) guardedName(name string, whole bool) string {
	text := w.withLastSegment(name, whole)
	if w.raw == "" && name[0] == '-' {
		return "./" + text
	}
	return text
}

// isWritable reports whether a name can be written in the quotes that are open: no invalid text; and between single
// quotes, where a backslash before a quote is not itself, no backslash.
func isWritable(name string, w word) bool {
	single := w.slashQuote == '\'' || w.quote == '\'' || strings.ContainsAny(name, "\n\t")
	for _, r := range name {
		if r < ' ' && r != '\n' && r != '\t' || r == rubout {
			return false
		}
	}
	return utf8.ValidString(name) && !(single && strings.Contains(name, `\`))
}
