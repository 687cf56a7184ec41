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
	pairs  []pair
	open   []opening // what waits for its end at each place, in order
	blocks []opening // the blocks that are open at the end, outermost first
	parens []int     // where the open parentheses are
	place  place     // what the next word is

	last, previous token
	placeBefore    place    // what the last token was read as
	command        string   // the first word of the command that the text ends in
	words          []string // those after it
}

type pair struct{ open, close span }

type span struct{ start, end int }

func (s span) contains(pos int) bool { return s.start <= pos && pos <= s.end }

// opening is something that is open from a place on; "" says that nothing is.
type opening struct {
	at   span
	name string
}

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

// newScan looks at a text. kind tells of commands what they are.
func newScan(text string, kind func(name string) style) *scan {
	s := &scan{text: text, kind: kind, styles: make([]style, len(text))}
	eachToken(text, func(t token) {
		place := s.place
		s.scanToken(t)
		if t.kind != lexer.Missing {
			s.previous, s.last, s.placeBefore = s.last, t, place
		}
	})
	return s
}

func (s *scan) scanToken(t token) {
	at := span{t.at, min(t.at+len(t.text), len(s.text))}
	switch t.kind {
	case lexer.Keyword:
		s.scanKeyword(t.text, at)
	case lexer.Clause:
		s.scanClause(t.text, at)
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
		s.setStyle(span{at.start, at.start + 1}, styleOperator)
		s.open = append(s.open, opening{span{at.start + 1, at.end}, "|"})
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
		s.open = append(s.open, opening{span{at.start - 1, at.end}, "<<"}) // its first line begins right there
	case lexer.Newline:
		s.scanComments(at)
		s.place = placeCommand
	case lexer.Missing:
		if n := len(s.blocks); n > 0 && at.start < len(s.text) {
			s.blocks = s.blocks[:n-1]
		}
	case lexer.Invalid:
		s.setStyle(span{at.start, lineEndIn(s.text, at.start)}, styleWrong)
	case lexer.Unfinished:
		s.scanUnfinished(t.text, at.start)
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

// scanKeyword looks at a keyword that begins or ends a group.
func (s *scan) scanKeyword(word string, at span) {
	if word == "else if" {
		at.end = min(len(s.text), at.start+strings.Index(s.text[at.start:], "if")+2)
	}
	s.setStyle(at, styleKeyword)
	s.place = placeValue
	switch word {
	case "end":
		s.scanEnd(at)
		s.place = placeArgument
	case "try":
		s.blocks = append(s.blocks, opening{at, word})
		s.place = placeHeader
	case "for", "forany", "forall", "function", "resource":
		s.blocks = append(s.blocks, opening{at, word})
		s.place = placeName
	case "if", "while", "case", "on", "sense":
		s.blocks = append(s.blocks, opening{at, word})
	case "export", "local":
		s.place = placeName
	case "secret":
		s.place = placeNames
	}
}

func (s *scan) scanEnd(at span) {
	n := len(s.blocks)
	if n == 0 {
		s.setStyle(at, styleWrong)
		return
	}
	opened := s.blocks[n-1]
	s.blocks = s.blocks[:n-1]
	s.pairs = append(s.pairs, pair{opened.at, at})
	s.open = append(s.open, opening{span{opened.at.end, at.end}, opened.name})
}

// scanClause looks at a word of a statement's first line.
func (s *scan) scanClause(word string, at span) {
	s.setStyle(at, styleKeyword)
	switch {
	case word == "try":
		s.place = placeCommand
	case s.place == placeName:
		s.place = placeValue // in
	}
}

func (s *scan) scanMark(mark string, at span) {
	s.setStyle(at, styleOperator)
	switch n := len(s.parens); {
	case mark == "(":
		s.parens = append(s.parens, at.start)
	case mark == ")" && n > 0:
		s.pairs = append(s.pairs, pair{span{s.parens[n-1], s.parens[n-1] + 1}, at})
		s.parens = s.parens[:n-1]
	}
}

// scanComments marks the comments between two statements.
func (s *scan) scanComments(at span) {
	for begin := at.start; begin < at.end; {
		end := min(lineEndIn(s.text, begin), at.end)
		if n := strings.IndexByte(s.text[begin:end], '#'); n >= 0 {
			s.setStyle(span{begin + n, end}, styleComment)
		}
		begin = end + 1
	}
}

// scanUnfinished looks at what the text ends in: a quote, a here-document, a backslash.
func (s *scan) scanUnfinished(what string, start int) {
	at := span{start, len(s.text)}
	if document := strings.HasPrefix(what, "<<"); document {
		at.start = lineEndIn(s.text, s.last.at)
		what = "<<"
	}
	if what != `\` {
		s.setStyle(at, styleString)
	}
	s.open = append(s.open, opening{at, what})
}

// openAt returns the innermost structure or quote that is open at a place.
func (s *scan) openAt(at int) string {
	name, begin := "", -1
	for _, o := range s.open {
		if o.at.start < at && at <= o.at.end && o.at.start > begin {
			name, begin = o.name, o.at.start
		}
	}
	for _, b := range s.blocks {
		if b.at.end < at && b.at.start > begin {
			name, begin = b.name, b.at.start
		}
	}
	switch {
	case name == "function":
		rest := strings.Fields(strings.TrimPrefix(s.text[min(len(s.text), begin):], name) + " ?")
		name += " " + rest[0]
	case begin < 0 || isBlock(name):
		if strings.HasSuffix(s.text[:at], "\\\n") {
			return `\`
		}
	}
	return name
}

// indentation is what a line is shown with that it does not have itself: four blanks for each block that it is in.
func (s *scan) indentation(at int, line string) string {
	if !isBlock(s.openAt(at)) {
		return ""
	}
	depth := 0
	for _, o := range s.open {
		if isBlock(o.name) && o.at.start < at && at <= o.at.end {
			depth++
		}
	}
	for _, b := range s.blocks {
		if b.at.end < at {
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

// isBlock reports whether what is open is a statement, and not a quote or a document.
func isBlock(name string) bool { return name != "" && 'a' <= name[0] && name[0] <= 'z' }
