package repl

import (
	"slices"
	"strings"

	"ftsh/ast"
	"ftsh/lexer"
)

// A scan describes a statement while it is typed: what each piece means, which brackets and keywords
// belong together, and what is open.
type scan struct {
	text   string
	kind   func(name string) style // of a command
	styles []style                 // for each byte
	groups []group
	blocks []int // the groups that are open at the end and are blocks, outermost first
	parens []int // where the open parentheses are
	place  place // what the next word is

	last, previous token
	command        string   // the first word of the command that the text ends in
	words          []string // those after it
}

type span struct{ start, end int }

func (s span) contains(pos int) bool { return s.start <= pos && pos <= s.end }

// A group is a block, a string, brackets: all that stands from one piece of text to another, which is empty where no
// text ends the group. The name is shown before each line within it: a keyword, a quote; "" is not shown.
type group struct {
	name        string
	open, close span
}

func (g group) contains(at int) bool { return g.open.end < at && at <= g.close.end }

// isBlock reports whether what is open is a statement, and not a quote or a document.
func isBlock(name string) bool { return name != "" && 'a' <= name[0] && name[0] <= 'z' }

// A place tells in which part of a statement a word stands.
type place uint8

const (
	placeCommand  place = iota
	placeArgument       // of a command
	placeName           // the name of a variable or a function
	placeNames          // names of variables, after secret
	placeHeader         // in the first line of a try
	placeValue          // in an expression or a list
)

// newScan looks at a text. kind returns the style of a command's name.
func newScan(text string, kind func(name string) style) *scan {
	s := &scan{text: text, kind: kind, styles: make([]style, len(text))}
	eachToken(text, func(t token) {
		s.scanToken(t, span{t.at, min(t.at+len(t.text), len(text))})
		if t.kind != lexer.Missing {
			s.previous, s.last = s.last, t
		}
	})
	return s
}

func (s *scan) scanToken(t token, at span) {
	switch t.kind {
	case lexer.Keyword:
		s.scanKeyword(t.text, at)
	case lexer.Clause: // a word of a statement's first line
		s.setStyle(at, styleKeyword)
		switch {
		case t.text == "try":
			s.place = placeCommand
		case s.place == placeName: // the word is `in`
			s.place = placeValue
		}
	case lexer.Unit:
		s.setStyle(at, styleKeyword)
	case lexer.Assign:
		s.setStyle(at, styleVariable)
		s.place = placeValue
	case lexer.Call:
		s.setStyle(at, s.kind(t.text))
	case lexer.Operator:
		s.setStyle(at, styleOperator)
		s.place = max(s.place, placeValue)
	case lexer.Mark:
		s.scanMark(t.text, at)
	case lexer.Redirect:
		s.setStyle(at, styleOperator)
	case lexer.Bar:
		bar := span{at.start, at.start + 1}
		s.setStyle(bar, styleOperator)
		s.addGroup("|", bar, at.end)
		s.place = placeCommand
	case lexer.Word:
		s.scanWord(at)
	default:
		s.scanRest(t, at)
	}
}

// scanRest looks at the tokens between statements, and at what is wrong.
func (s *scan) scanRest(t token, at span) {
	switch t.kind {
	case lexer.Document:
		s.setStyle(at, styleString)
		s.addGroup("<<", span{at.start - 1, at.start - 1}, at.end) // its first line begins right there
	case lexer.Newline:
		for begin := at.start; begin < at.end; {
			end := min(lineEndIn(s.text, begin), at.end)
			if n := strings.IndexByte(s.text[begin:end], '#'); n >= 0 {
				s.setStyle(span{begin + n, end}, styleFaint)
			}
			begin = end + 1
		}
		s.place = placeCommand
	case lexer.Missing:
		if n := len(s.blocks); n > 0 && at.start < len(s.text) {
			s.groups[s.blocks[n-1]].name = ""
			s.blocks = s.blocks[:n-1]
		}
	case lexer.Invalid:
		s.setStyle(span{at.start, lineEndIn(s.text, at.start)}, styleWrong)
	case lexer.Unfinished: // a quote, a here-document, a backslash
		what, start := t.text, at.start
		if strings.HasPrefix(what, "<<") {
			what, start = "<<", lineEndIn(s.text, s.last.at)
		}
		if what != `\` {
			s.setStyle(span{start, len(s.text)}, styleString)
		}
		s.addGroup(what, span{start, start}, len(s.text))
	}
}

func lineEndIn(text string, at int) int {
	if n := strings.IndexByte(text[min(at, len(text)):], '\n'); n >= 0 {
		return at + n
	}
	return len(text)
}

func (s *scan) setStyle(at span, as style) {
	for i := at.start; i < at.end && i < len(s.styles); i++ {
		s.styles[i] = as
	}
}

// addGroup adds a group that ends without a piece of text.
func (s *scan) addGroup(name string, open span, end int) {
	s.groups = append(s.groups, group{name, open, span{end, end}})
}

// addPair adds a group between two characters.
func (s *scan) addPair(name string, open, close int) {
	s.groups = append(s.groups, group{name, span{open, open + 1}, span{close, close + 1}})
}

// scanKeyword looks at a keyword that begins or ends a group.
func (s *scan) scanKeyword(word string, at span) {
	if word == "else if" {
		at.end = min(len(s.text), at.start+strings.Index(s.text[at.start:], "if")+2)
	}
	s.setStyle(at, styleKeyword)
	s.place = placeValue
	switch word {
	case "end":
		s.place = placeArgument
		n := len(s.blocks) - 1
		if n < 0 {
			s.setStyle(at, styleWrong)
			return
		}
		s.groups[s.blocks[n]].close = at
		s.blocks = s.blocks[:n]
		return
	case "secret":
		s.place = placeNames
		return
	case "export", "local":
		s.place = placeName
		return
	case "try":
		s.place = placeHeader
	case "for", "forany", "forall", "function", "resource":
		s.place = placeName
	case "if", "while", "case", "on", "sense":
	default:
		return
	}
	s.blocks = append(s.blocks, len(s.groups))
	s.addGroup(word, at, len(s.text))
}

func (s *scan) scanMark(mark string, at span) {
	s.setStyle(at, styleOperator)
	switch n := len(s.parens); {
	case mark == "(":
		s.parens = append(s.parens, at.start)
	case mark == ")" && n > 0:
		s.addPair("", s.parens[n-1], at.start)
		s.parens = s.parens[:n-1]
	}
}

// partnerOf returns the group of which a bracket or keyword is at the cursor; false if none is.
func (s *scan) partnerOf(cursor int) (best group, found bool) {
	for _, g := range s.groups {
		if g.close.start < g.close.end && (g.open.contains(cursor) || g.close.contains(cursor)) &&
			(!found || g.open.start > best.open.start) {
			best, found = g, true
		}
	}
	return best, found
}

// openAt returns the innermost structure or quote that is open at a place.
func (s *scan) openAt(at int) string {
	var inner group
	for _, g := range s.groups {
		if g.name != "" && g.contains(at) && g.open.start >= inner.open.start {
			inner = g
		}
	}
	switch block := inner.name == "" || isBlock(inner.name); {
	case inner.name == "function":
		return "function " + strings.Fields(s.text[inner.open.end:] + " ?")[0]
	case block && strings.HasSuffix(s.text[:at], "\\\n"):
		return `\`
	}
	return inner.name
}

// indentation is the blanks that a line is shown with beyond its own: four for each block that it is in, less its own.
func (s *scan) indentation(at int, line string) string {
	if !isBlock(s.openAt(at)) {
		return ""
	}
	depth := 0
	for _, g := range s.groups {
		if isBlock(g.name) && g.contains(at) {
			depth++
		}
	}
	forTry, forIf, forCase := ast.Sections()
	text := strings.TrimLeft(line, " \t")
	word, _, _ := strings.Cut(text, " ")
	if slices.Contains(slices.Concat(forTry, forIf, forCase, []string{"end"}), word) {
		depth--
	}
	own := len(strings.ReplaceAll(line[:len(line)-len(text)], "\t", "        "))
	return strings.Repeat(" ", max(0, 4*depth-own))
}
