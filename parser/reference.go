package parser

import (
	"strconv"
	"strings"

	"ftsh/ast"
)

// refers tells whether the $ here begins a reference (or what is one elsewhere).
func (s *splitter) refers() bool {
	if s.i+1 >= len(s.text) {
		return false
	}
	c := s.text[s.i+1]
	return isLetter(c) || c >= '0' && c <= '9' || strings.IndexByte("#@*${(?!-", c) >= 0
}

// reference reads a reference, which begins here.
func (s *splitter) reference(quote ast.Quote) {
	ref := s.b.refs.next()
	ref.Pos, ref.Quote = s.place(s.i), quote
	switch c := s.text[s.i+1]; {
	case c == '{':
		s.curly(ref)
	case c == '(':
		s.round(ref)
	case isLetter(c):
		s.name(ref, s.nameEnd(s.i+1, ""))
	case c == '?' || c == '!' || c == '-':
		s.fail(s.i, foreignParameter(c))
	case c >= '0' && c <= '9':
		if s.i+2 < len(s.text) && s.text[s.i+2] >= '0' && s.text[s.i+2] <= '9' {
			digits := s.text[s.i+1 : s.digitsEnd(s.i+1)]
			s.fail(s.i, "$"+digits+" would be $"+digits[:1]+" and text; write ${"+digits+"}, or ${"+digits[:1]+"}"+digits[1:])
			break
		}
		fallthrough
	default:
		s.name(ref, s.i+2)
	}
	s.parts = append(s.parts, ref)
}

func foreignParameter(c byte) string {
	switch c {
	case '?':
		return "$? is not known here: a failure stops the script; in catch, ${error.status} tells the status"
	case '!':
		return "$! is not known here: nothing runs in the background; write forall to run commands at the same time"
	}
	return "$- is not known here; write \\$- for the text"
}

// name reads the name that stands between s.i+1 and an offset.
func (s *splitter) name(ref *ast.Ref, end int) {
	ref.Name = s.text[s.i+1 : end]
	s.i = end
	s.resolve(ref)
}

// resolve works out what a reference refers to.
func (s *splitter) resolve(ref *ast.Ref) bool {
	switch c := ref.Name[0]; {
	case isName(ref.Name):
		ref.Var = s.b.variable(ref.Name)
	case c >= '0' && c <= '9':
		n, err := strconv.Atoi(ref.Name)
		if err != nil || n > 1<<30 {
			return false
		}
		ref.Kind, ref.Index = ast.Positional, n
	case ref.Name == "#":
		ref.Kind = ast.Count
	case ref.Name == "@":
		ref.Kind = ast.Arguments
	case ref.Name == "*":
		ref.Kind = ast.Joined
	case ref.Name == "$":
		ref.Kind = ast.ProcessID
	default:
		return s.dotted(ref)
	}
	return true
}

// dotted finds one of the shell's own values.
func (s *splitter) dotted(ref *ast.Ref) bool {
	d, known := ast.LookupDotted(ref.Name)
	if known {
		ref.Kind, ref.Dotted = ast.Shell, d
		s.b.stderr(d)
	}
	return known
}

func (b *builder) stderr(d ast.Dotted) {
	if d == ast.ErrorStderr {
		b.readsStderr = true
	}
}

// nameEnd is where the name that begins at an offset ends.
func (s *splitter) nameEnd(i int, also string) int {
	for i < len(s.text) && (isLetter(s.text[i]) || isDigit(s.text[i]) || strings.IndexByte(also, s.text[i]) >= 0) {
		i++
	}
	return i
}

func (s *splitter) digitsEnd(i int) int {
	for i < len(s.text) && isDigit(s.text[i]) {
		i++
	}
	return i
}

// curly reads ${name} or ${name:-text}.
func (s *splitter) curly(ref *ast.Ref) {
	start := s.i
	ref.Braced = ast.Curly
	end := s.nameEnd(start+2, ".")
	if end == start+2 && end < len(s.text) && strings.IndexByte("#@*$", s.text[end]) >= 0 {
		end++
	}
	ref.Name = s.text[start+2 : end]
	rest := s.text[end:]
	fallback := strings.HasPrefix(rest, ":-") && ref.Name != "" && strings.IndexByte("#@*$", ref.Name[0]) < 0
	switch {
	case ref.Name == "" || !fallback && !strings.HasPrefix(rest, "}"):
		s.fail(start, foreignBraces(s.text[start:]))
		return
	case !s.resolve(ref):
		s.fail(start, unknownName(ref.Name))
		return
	}
	s.i = end + 1
	if fallback {
		s.i++
		s.fallback(ref)
	}
}

// fallback reads the text of a default and the brace after it.
func (s *splitter) fallback(ref *ast.Ref) {
	word := &ast.Word{Pos: s.place(s.i)}
	outside, start := len(s.parts), s.i
	s.quoted(ast.Double, '}')
	if s.i >= len(s.text) { // as only a here-document can end
		s.fail(start, "the default of ${"+ref.Name+":-…} is not closed by a } in the here-document")
	}
	word.Parts = s.b.parts.copy(s.parts[outside:])
	s.parts = s.parts[:outside]
	ref.Default = word
	s.i++
}

// round reads $(name).
func (s *splitter) round(ref *ast.Ref) {
	start := s.i
	ref.Braced = ast.Round
	end := s.nameEnd(start+2, "")
	ref.Name = s.text[start+2 : end]
	if ref.Name == "" || end == len(s.text) || s.text[end] != ')' || !s.resolve(ref) {
		s.fail(start, foreignParentheses(s.text[start:]))
		return
	}
	s.i = end + 1
}

func foreignParentheses(text string) string {
	if strings.HasPrefix(text, "$((") {
		return "$((…)) is not known here; write  name=$a .add. 1"
	}
	return "$(…) is a variable here, $(name); to use a command's output, write  cmd args -> name  and then $name"
}

func foreignBraces(text string) string {
	form := text
	if n := strings.IndexByte(text, '}'); n >= 0 && n < 40 {
		form = text[:n+1]
	} else {
		form = "${"
	}
	return form + " is not known here; only ${name}, ${name:-default}, ${1}, ${@} and the shell's own values such as ${try.attempt} are"
}

func unknownName(name string) string {
	var known []string
	for d := ast.TryAttempt; d <= ast.ErrorReason; d++ {
		known = append(known, d.String())
	}
	return "no value is called ${" + name + "}" + nearest(name, known) +
		"; names with a dot are the shell's own, such as ${try.attempt} and ${error.kind}"
}
