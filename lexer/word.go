package lexer

import (
	"strings"
	"unicode/utf8"
)

// word finds the end of the word at a place; the end is the start if none stands
// there. It tells whether the word ends in a comma that is not quoted, and stops
// before one if commas separate. What cannot be read is reported, and ok false.
func (l *Lexer) word(start int, commas bool) (end int, comma, ok bool) {
	i := start
	for i < len(l.text) {
		c := l.text[i]
		kind := class[c]
		switch {
		case c < utf8.RuneSelf && kind&(blank|ends|special) == 0:
			comma = false
			i++
		case kind&(blank|ends) != 0 || c == '\r' && l.crlf(i) || c == ',' && commas:
			return i, comma, true
		case c == ',':
			comma = true
			i++
		default:
			comma = false
			if i = l.part(i); i < 0 {
				return 0, false, false
			}
		}
	}
	return i, comma, true
}

// part returns the end of what begins with a special character, or a negative
// number if it reported an error.
func (l *Lexer) part(i int) int {
	switch c := l.text[i]; c {
	case '\\':
		return l.escape(i)
	case '\'':
		return l.single(i)
	case '"':
		return l.double(i)
	case '`':
		return l.backquote(i)
	case '$':
		return l.dollar(i)
	case 0:
		return l.nul(i)
	case '\r':
		return i + 1
	}
	r, size := utf8.DecodeRuneInString(l.text[i:])
	if r == utf8.RuneError && size == 1 {
		l.pos = i
		l.invalid(i, "a byte that is not UTF-8; only quoted text may hold one")
		return -1
	}
	return i + size
}

// backquote reads up to the next backquote of the line, or to its end.
func (l *Lexer) backquote(i int) int {
	for i++; i < len(l.text) && l.text[i] != '\n'; i++ {
		if l.text[i] == '`' {
			return i + 1
		}
	}
	return i
}

func (l *Lexer) nul(i int) int {
	l.fatal(i, "a NUL byte: this is no text, or its encoding is not UTF-8")
	return -1
}

// escape reads a backslash and what it stands before.
func (l *Lexer) escape(i int) int {
	switch {
	case i+1 == len(l.text):
		l.unfinished(i, "\\")
		return -1
	case l.text[i+1] == 0:
		return l.nul(i + 1)
	}
	if n := l.continuation(i); n > 0 {
		return i + n
	}
	r, size := utf8.DecodeRuneInString(l.text[i+1:])
	if r == utf8.RuneError && size == 1 {
		return i + 1 // reported next
	}
	return i + 1 + size
}

// single reads a string in single quotes.
func (l *Lexer) single(start int) int {
	for i := start + 1; i < len(l.text); i++ {
		switch l.text[i] {
		case '\'':
			l.spans(start, i)
			return i + 1
		case '\\':
			if i++; i < len(l.text) && l.text[i] == 0 {
				return l.nul(i)
			}
		case 0:
			return l.nul(i)
		}
	}
	l.unfinished(start, "'")
	return -1
}

// double reads a string in double quotes.
func (l *Lexer) double(start int) int {
	for i := start + 1; i < len(l.text); {
		switch l.text[i] {
		case '"':
			l.spans(start, i)
			return i + 1
		case '\\':
			if i++; i < len(l.text) && l.text[i] == 0 {
				return l.nul(i)
			}
			i++
		case '$':
			if i+1 == len(l.text) || l.text[i+1] != '{' {
				if i++; i < len(l.text) && isParameter(l.text[i]) {
					i++
				}
			} else if i = l.braces(i); i < 0 {
				return i
			}
		case 0:
			return l.nul(i)
		default:
			i++
		}
	}
	l.unfinished(start, "\"")
	return -1
}

// spans notes a string that goes on over several lines.
func (l *Lexer) spans(start, end int) {
	if strings.IndexByte(l.text[start:end], '\n') >= 0 {
		l.spread = start + 1
	}
}

// dollar reads a $ and, where they follow, braces or parentheses.
func (l *Lexer) dollar(i int) int {
	switch {
	case i+1 == len(l.text):
		return i + 1
	case l.text[i+1] == '{':
		return l.braces(i)
	case l.text[i+1] == '(':
		return l.round(i)
	case isParameter(l.text[i+1]):
		return i + 2 // what follows $$ stands for itself
	}
	return i + 1
}

// isParameter tells whether $ and that character make a whole reference.
func isParameter(c byte) bool { return c == '$' || c == '#' || c == '@' || c == '*' }

// round reads $( up to its parenthesis, or to the end of the line. What stands
// inside is looked at later.
func (l *Lexer) round(i int) int {
	depth := 0
	for ; i < len(l.text) && l.text[i] != '\n' && !l.crlf(i); i++ {
		switch l.text[i] {
		case 0:
			return l.nul(i)
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return i
}

// braces reads ${ up to its brace. Only a default (after :-) may go on over lines.
func (l *Lexer) braces(start int) int {
	i := start + 2
	for i < len(l.text) && strings.IndexByte("}:\n\"'`", l.text[i]) < 0 {
		i++
	}
	switch {
	case i == len(l.text):
		l.unfinished(start, "${")
		return -1
	case l.text[i] == '}':
		return i + 1
	case strings.HasPrefix(l.text[i:], ":-"):
		return l.fallback(start, i+2)
	}
	for ; i < len(l.text) && l.text[i] != '\n'; i++ {
		if l.text[i] == '}' {
			return i + 1
		}
	}
	if i == len(l.text) {
		l.unfinished(start, "${")
		return -1
	}
	l.pos = start
	l.invalid(start, "${ is not closed by a } on its line")
	return -1
}

// fallback reads the text of a default, which may hold further references.
func (l *Lexer) fallback(start, i int) int {
	for depth := 1; i < len(l.text); i++ {
		switch l.text[i] {
		case '}':
			if depth--; depth == 0 {
				return i + 1
			}
		case '\\':
			if i++; i < len(l.text) && l.text[i] == 0 {
				return l.nul(i)
			}
		case 0:
			return l.nul(i)
		case '$':
			if i+1 < len(l.text) && isParameter(l.text[i+1]) {
				i++
			} else if i+1 < len(l.text) && l.text[i+1] == '{' {
				i++
				depth++
				if l.deep(start, depth) {
					return -1
				}
			}
		}
	}
	l.unfinished(start, "${")
	return -1
}
