package repl

import (
	"strings"

	"ftsh/lexer"
	"ftsh/lexer/quote"
)

type token struct {
	kind lexer.Type
	text string // what the lexer says of it, mostly the text itself
	at   int    // where it begins
}

// eachToken calls yield for each token of a text that is typed at a prompt.
func eachToken(text string, yield func(t token)) {
	for lex := lexer.New(text, true); lex.More(); {
		for t, _ := lex.Next(); !t.EOF(); t, _ = lex.Next() { // the error is always nil
			yield(token{t.Type, t.Value, t.Pos.Offset})
		}
	}
}

func (s *scan) scanWord(at span) {
	switch {
	case s.last.kind == lexer.Redirect:
		if isCapture(s.last.text) {
			s.setStyle(at, styleVariable)
		}
	case s.place == placeCommand:
		s.command, s.words = s.text[at.start:at.end], nil
		s.setStyle(at, s.kind(s.command))
		s.place = placeArgument
	case s.place == placeName, s.place == placeNames:
		s.setStyle(at, styleVariable)
	case s.place == placeArgument:
		s.words = append(s.words, s.text[at.start:at.end])
	}
	s.scanInside(at)
}

// isCapture reports whether a redirection names a variable.
func isCapture(operator string) bool {
	return strings.Contains(operator, "->") || strings.Contains(operator, "-<")
}

// scanInside marks the quotes and references in a word.
func (s *scan) scanInside(at span) {
	var references []span
	var defaults []int // where the references begin whose default is open
	quoted := 0        // where the open string begins
	for word := (quote.Scanner{Source: s.text[:at.end], At: at.start}); ; {
		switch p := word.Next(); {
		case p.Kind == quote.End:
			for _, r := range references { // over the strings around them
				s.setStyle(r, styleVariable)
			}
			return
		case p.Kind == quote.Mark && word.IsBare():
			s.setStyle(span{quoted, p.Begin + 1}, styleString)
			s.addPair(s.text[quoted:quoted+1], quoted, p.Begin)
		case p.Kind == quote.Mark:
			quoted = p.Begin
		case p.Kind == quote.Command:
			inside := span{p.Begin + 2, p.End}
			if s.text[p.End-1] == '}' {
				inside.end--
			}
			references = append(references, span{p.Begin, inside.start}, span{inside.end, p.End})
			s.scanInside(inside)
		case p.Kind == quote.Reference && len(defaults) < word.Defaults:
			defaults = append(defaults, p.Begin)
		case p.Kind == quote.Reference:
			references = append(references, s.markReference(span{p.Begin, p.End}))
		case p.Kind == quote.Close:
			n := len(defaults) - 1
			references = append(references, s.markReference(span{defaults[n], p.End}))
			defaults = defaults[:n]
		}
	}
}

// markReference notes the brackets of a reference, and returns it.
func (s *scan) markReference(at span) span {
	open, shut := at.start+1, at.end-1
	if closer := s.text[shut]; open < shut && (closer == '}' || closer == ')') {
		s.addPair("", open, shut)
	}
	return at
}
