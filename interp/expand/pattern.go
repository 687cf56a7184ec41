package expand

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is an element of a pattern for one file name.
type token struct {
	kind tokenKind
	text string // of a literal and of a set, with its brackets
}

type tokenKind uint8

const (
	literal tokenKind = iota
	anyText           // *
	anyOne            // ?
	oneOf             // [set]
)

// isPattern reports whether text, which the parser found to be a pattern character
// or set, is one. A set never spans a slash, and one that is not closed is text.
func isPattern(text string) bool {
	if text == "*" || text == "?" {
		return true
	}
	if !strings.HasPrefix(text, "[") || strings.Contains(text, "/") {
		return false
	}
	_, rest, closed := inSet(text, 0)
	return closed && rest == ""
}

// compileTokens makes tokens of a piece of a file name pattern. The marks in it count
// from offset.
func compileTokens(text string, marks []mark, offset int) []token {
	var tokens []token
	done := 0
	for _, m := range marks {
		begin, end := m.begin-offset, m.end-offset
		tokens = appendLiteral(tokens, text[done:begin])
		tokens = appendSpecial(tokens, text[begin:end])
		done = end
	}
	return appendLiteral(tokens, text[done:])
}

// appendLiteral appends text that means itself.
func appendLiteral(tokens []token, text string) []token {
	if text == "" {
		return tokens
	}
	return append(tokens, token{literal, text})
}

// appendSpecial appends *, ? or a set. ** is *.
func appendSpecial(tokens []token, text string) []token {
	switch {
	case text == "?":
		return append(tokens, token{kind: anyOne})
	case text != "*":
		return append(tokens, token{oneOf, text})
	case len(tokens) > 0 && tokens[len(tokens)-1].kind == anyText:
		return tokens
	}
	return append(tokens, token{kind: anyText})
}

// matchTokens reports whether a file name fits the tokens.
func matchTokens(tokens []token, name string) bool {
	if strings.HasPrefix(name, ".") && (tokens[0].kind != literal || tokens[0].text[0] != '.') {
		return false
	}
	return fitTokens(tokens, name)
}

// fitTokens reports whether a text fits the tokens. Only the last * seen is ever
// tried again, since no earlier one could do better, so the time is at most the
// product of both lengths.
func fitTokens(tokens []token, name string) bool {
	t, n := 0, 0
	again, from := -1, 0 // the token after the last *, and how far that * reaches
	for n < len(name) || t < len(tokens) {
		if t < len(tokens) && tokens[t].kind == anyText {
			t++
			again, from = t, n
			continue
		}
		if t < len(tokens) {
			if width := tokens[t].matchWidth(name[n:]); width > 0 {
				t++
				n += width
				continue
			}
		}
		if again < 0 || from == len(name) {
			return false
		}
		_, width := character(name[from:])
		from += width
		t, n = again, from
	}
	return true
}

// matchWidth counts the bytes at the beginning of name that the token matches; 0 if it does not.
func (t token) matchWidth(name string) int {
	if t.kind == literal {
		if strings.HasPrefix(name, t.text) {
			return len(t.text)
		}
		return 0
	}
	r, width := character(name)
	if t.kind == anyOne {
		return width
	}
	if in, _, _ := inSet(t.text, r); !in {
		return 0
	}
	return width
}

// character is the first character of s and its width, 0 if s is empty. A byte
// that is not UTF-8 is a character of its own, different from all others.
func character(s string) (r rune, width int) {
	r, width = utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && width == 1 {
		return -rune(s[0]), 1
	}
	return r, width
}

// inSet reports whether r is in the set that text begins with, and what follows the
// set. It is not closed if its ] is missing.
func inSet(text string, r rune) (in bool, rest string, closed bool) {
	rest = text[1:]
	negated := strings.HasPrefix(rest, "!") || strings.HasPrefix(rest, "^")
	if negated {
		rest = rest[1:]
	}
	for first := true; rest != ""; first = false {
		if rest[0] == ']' && !first {
			return in != negated, rest[1:], true
		}
		var found bool
		found, rest = inElement(rest, r)
		in = in || found
	}
	return false, "", false
}

// inElement reports whether r is in the character, range or class that set begins
// with, and what follows that.
func inElement(set string, r rune) (in bool, rest string) {
	if strings.HasPrefix(set, "[:") {
		if class, rest, ok := strings.Cut(set[2:], ":]"); ok {
			return inClass(class, r), rest
		}
	}
	low, rest := firstOfSet(set)
	high := low
	if len(rest) > 1 && rest[0] == '-' && rest[1] != ']' {
		high, rest = firstOfSet(rest[1:])
	}
	return low <= r && r <= high, rest
}

// firstOfSet is the first character of a set; a backslash makes the next one literal.
func firstOfSet(set string) (r rune, rest string) {
	if set[0] == '\\' && len(set) > 1 {
		set = set[1:]
	}
	r, width := character(set)
	return r, set[width:]
}

// inClass reports whether r is in a class such as alpha. There is nobody in a class
// that does not exist, nor in any class if r is not a character.
func inClass(class string, r rune) bool {
	switch class {
	case "alpha":
		return unicode.IsLetter(r)
	case "digit":
		return '0' <= r && r <= '9'
	case "alnum":
		return unicode.IsLetter(r) || unicode.IsDigit(r)
	case "upper":
		return unicode.IsUpper(r)
	case "lower":
		return unicode.IsLower(r)
	case "space":
		return unicode.IsSpace(r)
	case "blank":
		return r == ' ' || r == '\t'
	case "punct":
		return unicode.IsPunct(r) || unicode.IsSymbol(r)
	case "print":
		return unicode.IsPrint(r)
	case "graph":
		return unicode.IsPrint(r) && r != ' '
	case "cntrl":
		return unicode.IsControl(r)
	case "xdigit":
		return '0' <= r && r <= '9' || 'a' <= r && r <= 'f' || 'A' <= r && r <= 'F'
	}
	return false
}
