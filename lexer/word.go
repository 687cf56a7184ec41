package lexer

import (
	"strings"
	"unicode/utf8"

	"ftsh/lexer/quote"
)

// wordEnd finds the end of the word at a place; the end is the start if none stands
// there. It reports whether the word ends in a comma that is not quoted, and stops
// before one if commas separate. What cannot be read is reported, and ok false.
func (l *Lexer) wordEnd(start int, commas bool) (end int, comma, ok bool) {
	i := start
	for i < len(l.text) {
		c := l.text[i]
		kind := class[c]
		switch {
		case c < utf8.RuneSelf && kind&(blank|ends|special) == 0:
			comma = false
			i++
		case kind&(blank|ends) != 0 || c == '\r' && l.isCRLF(i) || c == ',' && commas:
			return i, comma, true
		case c == ',':
			comma = true
			i++
		default:
			comma = comma && l.continuation(i) > 0
			if i = l.partEnd(i); i < 0 {
				return 0, false, false
			}
		}
	}
	return i, comma, true
}

// partEnd returns the end of what begins with a special character, or a negative
// number if it reported an error.
func (l *Lexer) partEnd(i int) int {
	switch l.text[i] {
	case '\\', '\'', '"', '`', '$':
		return l.quotedEnd(i)
	case 0:
		return l.skipNUL(i)
	case '\r':
		return i + 1
	}
	r, size := utf8.DecodeRuneInString(l.text[i:])
	if r == utf8.RuneError && size == 1 {
		l.pos = i
		l.invalidLine(i, "a byte that is not UTF-8; only quoted text may hold one")
		return -1
	}
	return i + size
}

// quotedEnd returns the end of an escape, a string or a reference, with all in it.
func (l *Lexer) quotedEnd(start int) int {
	s := quote.Scanner{Source: l.text, At: start}
	piece := s.Next()
	for !s.IsBare() && !s.Broken && piece.Kind != quote.End {
		if _, at := s.Open(); s.Defaults > 0 && l.isTooDeep(at, s.Defaults) {
			return -1
		}
		piece = s.Next()
	}
	what, at := s.Open()
	n := strings.IndexByte(l.text[start:s.At], 0)
	switch {
	case n >= 0:
		return l.skipNUL(start + n)
	case s.TooDeep:
		l.pos = at
		l.invalidLine(at, "${ … } nested more than 100 deep")
		return -1
	case s.Broken:
		l.pos = at
		l.invalidLine(at, "${ is not closed by a } on its line")
		return -1
	case what != "":
		l.unfinished(at, what)
		return -1
	}
	return l.boundedEnd(start, piece)
}

// boundedEnd returns where bare text that began at an offset ends; piece is its last.
func (l *Lexer) boundedEnd(start int, piece quote.Piece) int {
	switch piece.Kind {
	case quote.Join:
		l.continuation(start)
	case quote.Mark:
		if strings.IndexByte(l.text[start:piece.End], '\n') >= 0 {
			l.spread = start + 1
		}
	case quote.Escape:
		if r, size := utf8.DecodeRuneInString(l.text[start+1:]); r == utf8.RuneError && size == 1 {
			return start + 1 // what is not UTF-8 is reported next
		}
	case quote.Text: // a $ or \ that means nothing
		if l.text[start] == '\\' {
			l.unfinished(start, "\\")
			return -1
		}
		return start + 1
	}
	return piece.End
}

func (l *Lexer) skipNUL(i int) int {
	l.invalidRest(i, "a NUL byte: this is no text, or its encoding is not UTF-8")
	return -1
}
