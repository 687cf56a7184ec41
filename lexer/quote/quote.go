package quote

import (
	"strings"
	"unicode/utf8"
)

// Kind is what a piece of a word is.
type Kind uint8

// The kinds of pieces.
const (
	End       Kind = iota // of the text
	Text                  // stands for itself; may come in several pieces
	Escape                // a backslash that goes, and the character after it, which stays
	Join                  // a backslash and the end of a line, which both go
	Mark                  // a quote that begins or ends a string
	Reference             // $name, $1, ${name}, $(name); or ${name:- and its like before a default's or pattern's pieces
	Close                 // the } after a default or pattern
	Backquote             // in bare text up to the next one
	Command               // ${ command }, with all in it
)

// Piece is a part of a text.
type Piece struct {
	Kind       Kind
	Begin, End int
}

// The rules by which a text may be quoted. A Scanner's are those of bare text at first.
const (
	Bare     = byte(0)
	Single   = byte('\'')
	Double   = byte('"')
	Document = byte('<') // the body of a here-document
)

// Scanner goes through a text. The zero Scanner of a text begins at its start, in bare text.
type Scanner struct {
	Source   string
	At       int  // the next byte
	Rules    byte // those in force, but for defaults, which are read as in double quotes
	Defaults int  // how many defaults and patterns of references are open
	Broken   bool // a ${ was not closed on its line
	Cut      bool // the text ends inside of ${name or ${ command
	TooDeep  bool // it is broken since ${ command } stand in each other too deep

	mark, reference int // where the open string and the outermost open ${ begin
	depth           int // of the ${ command } that this goes through; 0: it is in none
}

// Open returns what is not closed, and where it begins: a quote, ${ or "".
func (s *Scanner) Open() (what string, at int) {
	switch {
	case s.Defaults > 0 || s.Cut || s.Broken:
		return "${", s.reference
	case s.Rules == Single || s.Rules == Double:
		return string(rune(s.Rules)), s.mark
	}
	return "", 0
}

// IsBare reports whether the scanner stands in bare text.
func (s *Scanner) IsBare() bool { return s.Rules == Bare && s.Defaults == 0 }

// Next returns the next piece.
func (s *Scanner) Next() Piece {
	begin := s.At
	if begin >= len(s.Source) {
		return Piece{End, begin, begin}
	}
	kind := s.passSpecial()
	if kind == Text {
		for s.At < len(s.Source) && !isSpecial(s.Source[s.At]) {
			s.At++
		}
	}
	return Piece{kind, begin, s.At}
}

// isSpecial reports whether a byte may mean something by any of the rules.
func isSpecial(c byte) bool {
	switch c {
	case '\\', '\'', '"', '$', '`', '}':
		return true
	}
	return false
}

// passSpecial goes past the first character of a piece, or all of it if it is not text.
func (s *Scanner) passSpecial() Kind {
	c := s.Source[s.At]
	switch {
	case c == '\\':
		return s.backslash()
	case s.Defaults == 0 && (s.Rules == Bare && c == Single || s.Rules != Document && c == Double ||
		s.Rules == Single && c == Single):
		return s.toggleQuote(c)
	case s.Rules == Single:
		// All else is text.
	case s.Defaults > 0 && c == '"':
		s.At++
		return Mark // an error: a default is read as in double quotes already
	case s.Defaults > 0 && c == '}':
		s.Defaults--
		s.At++
		return Close
	case c == '$' && s.isReference():
		return s.passReference()
	case c == '`':
		return s.backquote()
	}
	s.At++
	return Text
}

// toggleQuote goes past a quote.
func (s *Scanner) toggleQuote(c byte) Kind {
	switch {
	case s.Rules == c:
		s.Rules = Bare
	case s.Rules == Bare:
		s.Rules, s.mark = c, s.At
	default: // " in '
		s.At++
		return Text
	}
	s.At++
	return Mark
}

// backslash goes past one, and what it takes with it.
func (s *Scanner) backslash() Kind {
	rest := s.Source[s.At+1:]
	switch {
	case rest == "":
		s.At++
		return Text
	case s.Rules == Single:
		s.At += 2
		if rest[0] == '\'' {
			return Escape
		}
		return Text
	case rest[0] == '\n':
		s.At += 2
		return Join
	case strings.HasPrefix(rest, "\r\n"):
		s.At += 3
		return Join
	case s.IsBare():
		_, size := utf8.DecodeRuneInString(rest)
		s.At += 1 + size
		return Escape
	case s.isEscape(rest[0]):
		s.At += 2
		return Escape
	}
	s.At++
	return Text
}

// isEscape reports whether a backslash before a character goes, between double quotes
// and where their rules hold.
func (s *Scanner) isEscape(c byte) bool {
	switch c {
	case '\\', '$', '`':
		return true
	case '"', '\'':
		return s.Rules != Document || s.Defaults > 0
	case '}':
		return s.Defaults > 0
	}
	return false
}

// backquote goes to the next one of the line, or to its end; in quotes, past one.
func (s *Scanner) backquote() Kind {
	s.At++
	if s.IsBare() {
		for s.At < len(s.Source) && s.Source[s.At] != '\n' {
			s.At++
			if s.Source[s.At-1] == '`' {
				break
			}
		}
	}
	return Backquote
}
