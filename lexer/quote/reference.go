package quote

import "strings"

// isReference reports whether the $ here begins a reference, or what is one in other shells.
func (s *Scanner) isReference() bool {
	if s.At+1 >= len(s.Source) {
		return false
	}
	c := s.Source[s.At+1]
	return isName(c) || strings.IndexByte("#@*${(?!-", c) >= 0
}

// isName reports whether a byte can stand in a name.
func isName(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// passReference goes past a reference.
func (s *Scanner) passReference() Kind {
	begin := s.At
	s.At += 2
	switch c := s.Source[begin+1]; {
	case c == '{' && s.isCommand():
		s.passCommand(begin)
		return Command
	case c == '{':
		s.passBraces(begin)
	case c == '(':
		s.parentheses(begin)
	case isName(c) && (c < '0' || c > '9'):
		s.passName()
	}
	return Reference
}

// isCommand reports whether the braces that begin here hold a command.
func (s *Scanner) isCommand() bool {
	rest := s.Source[s.At:]
	return rest != "" && strings.IndexByte(" \t\n", rest[0]) >= 0 || strings.HasPrefix(rest, "\r\n")
}

// mostNested limits how deep a ${ command } stands in others: the text of each is read once more than that around it.
const mostNested = 100

// passCommand goes past the rest of ${ command }: to the first } in bare text.
func (s *Scanner) passCommand(begin int) {
	inner := Scanner{Source: s.Source, At: s.At, depth: s.depth + 1}
	for {
		bare := inner.IsBare()
		p := inner.Next()
		s.At = p.End
		switch {
		case p.Kind == Text && bare && s.Source[p.Begin] == '}':
			s.At = p.Begin + 1
			return
		case p.Kind == End, inner.Broken, inner.depth > mostNested:
			s.Cut = p.Kind == End
			s.Broken = !s.Cut
			s.TooDeep = inner.TooDeep || inner.depth > mostNested
			if s.Defaults == 0 {
				s.reference = begin
			}
			return
		}
	}
}

func (s *Scanner) passName() {
	for s.At < len(s.Source) && isName(s.Source[s.At]) {
		s.At++
	}
}

// parentheses goes past $(name). In bare text it takes the command of other shells
// for one, too, up to its parenthesis or the end of the line.
func (s *Scanner) parentheses(begin int) {
	s.passName()
	if s.At < len(s.Source) && s.Source[s.At] == ')' {
		s.At++
		return
	}
	if !s.IsBare() {
		return
	}
	s.At = begin + 1
	for depth := 0; s.At < len(s.Source) && s.Source[s.At] != '\n' && !strings.HasPrefix(s.Source[s.At:], "\r\n"); {
		s.At++
		switch s.Source[s.At-1] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return
			}
		}
	}
}

// passBraces goes past ${name}, or past ${name:- and its like. Only a default or a pattern
// may go on over lines.
func (s *Scanner) passBraces(begin int) {
	for s.At < len(s.Source) && (isName(s.Source[s.At]) || s.Source[s.At] == '.') {
		s.At++
	}
	if operator := s.operatorLength(); operator > 0 && s.At > begin+2 {
		s.At += operator
		s.enterDefault(begin)
		return
	}
	for s.At < len(s.Source) && strings.IndexByte("}:\n\"'`", s.Source[s.At]) < 0 {
		s.At++
	}
	if rest := s.Source[s.At:]; strings.HasPrefix(rest, ":-") || strings.HasPrefix(rest, ":?") {
		s.At += 2
		s.enterDefault(begin)
		return
	}
	for ; s.At < len(s.Source) && s.Source[s.At] != '\n'; s.At++ {
		if s.Source[s.At] == '}' {
			s.At++
			return
		}
	}
	if s.At == len(s.Source) {
		s.Cut = true
	}
	if s.Defaults == 0 {
		s.reference = begin
	}
	s.Broken = s.Broken || !s.Cut
}

// enterDefault begins a default or a pattern.
func (s *Scanner) enterDefault(begin int) {
	if s.Defaults++; s.Defaults == 1 {
		s.reference = begin
	}
}

// operatorLength is the length of the # ## % %% / or // that comes next, 0 if none does.
func (s *Scanner) operatorLength() int {
	rest := s.Source[s.At:]
	switch {
	case rest == "" || strings.IndexByte("#%/", rest[0]) < 0:
		return 0
	case len(rest) > 1 && rest[1] == rest[0]:
		return 2
	}
	return 1
}
