package repl

import "strings"

// word looks at a word: what it means by its place, and what is in it.
func (s *scan) word(at span) {
	switch {
	case s.last.kind == tokenRedirect:
		if isCapture(s.last.text) {
			s.set(at, styleVariable)
		}
	case s.place == placeCommand:
		s.command = s.text[at.start:at.end]
		s.set(at, s.kind(s.command))
		s.place = placeArgument
	case s.place == placeName:
		s.set(at, styleVariable)
	}
	s.inside(at)
}

// isCapture tells whether a redirection names a variable.
func isCapture(operator string) bool {
	return strings.Contains(operator, "->") || strings.Contains(operator, "-<")
}

// inside marks the quotes and references in a word.
func (s *scan) inside(at span) {
	for i := at.start; i < at.end; {
		switch s.text[i] {
		case '\\':
			i += 2
		case '\'':
			i = s.quoted(span{i, at.end})
		case '"':
			i = s.doubleQuoted(span{i, at.end})
		case '$':
			i = s.reference(span{i, at.end})
		default:
			i++
		}
	}
}

// quoted marks a single-quoted part and returns where it ends.
func (s *scan) quoted(at span) int {
	end := at.start + 1
	for end < at.end && s.text[end] != '\'' {
		if s.text[end] == '\\' {
			end++
		}
		end++
	}
	return s.closeQuote(span{at.start, min(end, at.end-1)}, "'")
}

// doubleQuoted marks a double-quoted part and returns where it ends.
func (s *scan) doubleQuoted(at span) int {
	var references []int
	end := at.start + 1
	for end < at.end && s.text[end] != '"' {
		switch s.text[end] {
		case '\\':
			end++
		case '$':
			references = append(references, end)
		}
		end++
	}
	after := s.closeQuote(span{at.start, min(end, at.end-1)}, `"`)
	for _, start := range references {
		s.reference(span{start, after - 1})
	}
	return after
}

// closeQuote marks what is between two quotes, which are at its start and its
// end, and returns the place after it.
func (s *scan) closeQuote(at span, quote string) int {
	s.set(span{at.start, at.end + 1}, styleString)
	s.pairs = append(s.pairs, pair{span{at.start, at.start + 1}, span{at.end, at.end + 1}})
	s.within(at, quote)
	return at.end + 1
}

// reference marks $name, ${…} or $(name), and returns where it ends.
func (s *scan) reference(at span) int {
	end := at.start + 1
	if end >= at.end {
		return end
	}
	switch c := s.text[end]; {
	case c == '{' || c == '(':
		closer := map[byte]string{'{': "}", '(': ")"}[c]
		n := strings.Index(s.text[end:at.end], closer)
		if n < 0 {
			return end
		}
		s.pairs = append(s.pairs, pair{span{end, end + 1}, span{end + n, end + n + 1}})
		end += n + 1
	case isNameByte(c):
		for end < at.end && isNameByte(s.text[end]) {
			end++
		}
	default:
		end++
	}
	s.set(span{at.start, end}, styleVariable)
	return end
}

// isNameByte tells whether a byte can be part of a variable's name.
func isNameByte(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// partner returns what belongs to the bracket or keyword at the cursor, and
// that itself; false if none is there.
func (s *scan) partner(cursor int) (pair, bool) {
	best, found := pair{}, false
	for _, p := range s.pairs {
		if p.open.has(cursor) || p.close.has(cursor) {
			if !found || p.open.start > best.open.start {
				best, found = p, true
			}
		}
	}
	return best, found
}
