package parser

import (
	"slices"
	"strconv"
	"strings"

	"ftsh/ast"
	"ftsh/lexer/quote"
)

// reference makes a reference of its piece.
func (s *splitter) reference(p quote.Piece, style ast.Quote) {
	ref := &ast.Ref{Pos: s.positionOf(p.Begin), Quote: style}
	switch c := s.text[p.Begin+1]; {
	case c == '{':
		s.readCurly(ref, p)
	case c == '(':
		s.readRound(ref, p)
	case c == '?' || c == '!' || c == '-':
		s.failAt(p.Begin, foreignParameter(c))
	case isDigit(c) && p.End < len(s.text) && isDigit(s.text[p.End]):
		digits := s.text[p.Begin+1 : len(s.text)-len(strings.TrimLeft(s.text[p.End:], "0123456789"))]
		s.failAt(p.Begin, "$"+digits+" would be $"+digits[:1]+" and text; write ${"+digits+"}, or ${"+digits[:1]+"}"+
			digits[1:])
	default:
		ref.Name = s.text[p.Begin+1 : p.End]
		s.resolveReference(ref)
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

// resolveReference works out what a reference refers to.
func (s *splitter) resolveReference(ref *ast.Ref) bool {
	switch c := ref.Name[0]; {
	case ast.IsName(ref.Name):
		ref.Var = s.b.numberVariable(ref.Name)
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
		return s.findDotted(ref)
	}
	return true
}

// findDotted finds one of the shell's own values.
func (s *splitter) findDotted(ref *ast.Ref) bool {
	d, known := ast.LookupDotted(ref.Name)
	if known {
		ref.Kind, ref.Dotted = ast.Shell, d
		s.b.program.readsStderr = s.b.readsStderr || d.TellsStderr()
		s.b.program.readsWords = s.b.readsWords || d.TellsCommand()
	}
	return known
}

// readCurly makes ${name}, ${#name}, ${name:-text} or ${name#P} and its like.
func (s *splitter) readCurly(ref *ast.Ref, p quote.Piece) {
	ref.Braced = ast.Curly
	name, operator := cutOperator(s.text[p.Begin+2 : p.End])
	if length, found := strings.CutPrefix(name, "#"); found && length != "" && operator == "}" {
		name, ref.Portion = length, ast.Length
	}
	ref.Name = name
	switch {
	case operator == "" || !isReferable(name) ||
		(operator != "}" || ref.Portion != ast.Whole) && strings.Contains("#@*$", name):
		s.failAt(p.Begin, foreignBraces(s.text[p.Begin:]))
	case !s.resolveReference(ref):
		s.failAt(p.Begin, unknownName(name))
	case ref.IsList() && (ref.Portion == ast.Length || operator != "}" && operator[0] != ':'):
		s.failAt(p.Begin, "${"+name+"} is a list, which has no length or part as text; "+
			"write  set -- \"${"+name+"}\"  and then $# or $1")
	case operator == ":-", operator == ":?":
		ref.Default, _ = s.readInner(ref, false, false)
		ref.Must = operator == ":?"
	case operator != "}":
		s.readPortion(ref, operator)
	}
}

// readPortion reads what follows an operator such as # or /.
func (s *splitter) readPortion(ref *ast.Ref, operator string) {
	ref.Portion = portionOf(operator)
	begin := s.scan.At
	replaces, divided := ref.Portion >= ast.FirstReplaced, false
	if ref.Pattern, divided = s.readInner(ref, true, replaces); divided {
		ref.Instead, _ = s.readInner(ref, false, false)
	}
	if !replaces || begin >= len(s.text) {
		return
	}
	switch first := s.text[begin]; {
	case ref.Portion == ast.FirstReplaced && (first == '#' || first == '%'):
		s.fail(ref.Pattern.Pos, "${"+ref.Name+"/"+string(first)+"…} is not known here; ${"+ref.Name+string(first)+
			"P} leaves out the "+map[byte]string{'#': "beginning", '%': "end"}[first]+" that matches P; a pattern may begin ["+
			string(first)+"]")
	case isEmptyText(ref.Pattern):
		s.fail(ref.Pattern.Pos, "expected a pattern after ${"+ref.Name+operator+"; a slash in it is written \\/")
	}
}

// isEmptyText reports whether nothing is written in a word.
func isEmptyText(w *ast.Word) bool {
	text, literal := w.Literal()
	return literal && text == ""
}

// cutOperator divides what follows ${ into a name and what ends it: } or the operator
// before a default or a pattern; "" if it is neither.
func cutOperator(body string) (name, operator string) {
	for _, operator := range [...]string{"}", ":-", ":?", "##", "#", "%%", "%", "//", "/"} {
		if name, found := strings.CutSuffix(body, operator); found {
			return name, operator
		}
	}
	return body, ""
}

func portionOf(operator string) ast.Portion {
	for p := ast.WithoutPrefix; p < ast.AllReplaced; p++ {
		if p.String() == operator {
			return p
		}
	}
	return ast.AllReplaced
}

// isReferable reports whether a text has a shape that may stand between braces.
func isReferable(name string) bool {
	switch name {
	case "#", "@", "*", "$":
		return true
	}
	return name != "" && strings.TrimFunc(name, isDottedRune) == ""
}

func isNameRune(r rune) bool { return r < 128 && (isLetter(byte(r)) || isDigit(byte(r))) }

func isDottedRune(r rune) bool { return r == '.' || isNameRune(r) }

// readInner reads the text of a default or a pattern and the brace after it; or the slash after it, if it is a pattern
// that one ends, too.
func (s *splitter) readInner(ref *ast.Ref, pattern, divided bool) (word *ast.Word, atSlash bool) {
	word = &ast.Word{Pos: s.positionOf(s.scan.At)}
	outside, matching, dividing := len(s.parts), s.matching, s.divided
	s.matching, s.divided = pattern, divided
	if !s.readPieces(ast.Double, quote.Close) && !s.bad { // as only a here-document can end
		s.b.errorf(word.Pos, "${%s… is not closed by a } in the here-document", ref.Name)
		s.bad = true
	}
	atSlash = divided && !s.divided
	s.matching, s.divided = matching, dividing
	word.Parts = slices.Clone(s.parts[outside:])
	s.parts = s.parts[:outside]
	return word, atSlash
}

// readRound makes $(name).
func (s *splitter) readRound(ref *ast.Ref, p quote.Piece) {
	ref.Braced = ast.Round
	name, closed := strings.CutSuffix(s.text[p.Begin+2:p.End], ")")
	ref.Name = name
	if !closed || name == "" || strings.TrimFunc(name, isNameRune) != "" || !s.resolveReference(ref) {
		s.failAt(p.Begin, foreignParentheses(s.text[p.Begin:]))
	}
}

func foreignParentheses(text string) string {
	if strings.HasPrefix(text, "$((") {
		return "$((…)) is not known here; write  name=$a .add. 1"
	}
	return "$(…) is a variable here, $(name); to use a command's output, write  ${ cmd args }  " +
		"or  cmd args -> name  and then $name"
}

func foreignBraces(text string) string {
	if first, _, several := strings.Cut(strings.TrimPrefix(text, "${"), " "); several && ast.IsName(first) {
		return "${ and a word; a command stands after a blank:  ${ " + first + " … }"
	}
	rest := strings.TrimLeftFunc(text[2:], isNameRune)
	name := strings.TrimSuffix(text[2:], rest)
	switch {
	case name == "":
	case len(rest) > 1 && rest[0] == ':' && strings.IndexByte("0123456789$( ", rest[1]) >= 0:
		return "${" + name + ":…} is not known here; a part by its place is  printf %s \"$" + name + "\" | cut -c 1-3 -> part"
	case strings.HasPrefix(rest, "^"), strings.HasPrefix(rest, ","):
		return "${" + name + rest[:1] + "…} is not known here; other letters are  printf %s \"$" + name +
			"\" | tr a-z A-Z -> name"
	}
	form := text
	if n := strings.IndexByte(text, '}'); n >= 0 && n < 40 {
		form = text[:n+1]
	} else {
		form = "${"
	}
	return form + " is not known here; there are ${name}, ${name:-default}, ${name:?message}, ${name#P} ${name##P} " +
		"${name%P} ${name%%P}, ${name/P/text} ${name//P/text}, ${#name}, ${1}, ${@}, the shell's own values " +
		"such as ${try.attempt}, and ${ command }"
}

func unknownName(name string) string {
	return "no value is called ${" + name + "}" + nearestWord(name, ast.DottedNames()) +
		"; names with a dot are the shell's own, such as ${try.attempt} and ${error.kind}"
}
