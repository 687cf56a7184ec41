package parser

import (
	plex "github.com/alecthomas/participle/v2/lexer"

	"ftsh/ast"
	"ftsh/lexer"
)

// The leaves of the grammar that other statements stand in. None of them ever
// fails: what cannot be read is noted, and reading goes on with the next line.

type token = plex.Token

// group is a list of statements, up to a keyword that ends it.
type group struct {
	opening *token // the Newline before the first statement
	entries []entry
}

// entry is a statement and the Newline after it.
type entry struct {
	first     *token
	statement statement // nil: only a Newline
	after     *token
}

func (g *group) Parse(lex *plex.PeekingLexer) error {
	for {
		first := lex.Peek()
		switch {
		case first.Type == lexer.Newline:
			g.newline(lex.Next())
		case closes(first):
			return nil
		default:
			if g.entries == nil {
				g.entries = make([]entry, 0, 4) // most groups are as short
			}
			g.entries = append(g.entries, entry{first: first, statement: readStatement(lex)})
		}
	}
}

// newline notes a Newline. After the body of a here-document there is a second one.
func (g *group) newline(t *token) {
	switch n := len(g.entries); {
	case n == 0 && g.opening == nil:
		g.opening = t
	case n > 0 && g.entries[n-1].after == nil:
		g.entries[n-1].after = t
	default:
		g.entries = append(g.entries, entry{after: t})
	}
}

// closes tells whether a token ends a group.
func closes(t *token) bool {
	if t.Type == lexer.Keyword {
		return t.Value == "end" || isSection(t.Value)
	}
	return t.Type == plex.EOF || t.Type == lexer.Missing
}

func isSection(keyword string) bool {
	switch keyword {
	case "else", "else if", "catch", "finally", "verify":
		return true
	}
	return false
}

// readStatement reads a statement and sees that its line ends there.
func readStatement(lex *plex.PeekingLexer) statement {
	start := lex.RawCursor()
	s, err := enterStatement(lex)
	if f := wholeLine(lex, start, err); f != nil {
		return &bad{f}
	}
	return s
}

// bad is a statement that could not be read.
type bad struct{ fault *fault }

func (s *bad) node(b *builder, first *token) ast.Node {
	b.report(s.fault, first)
	return b.bad(first)
}

// wholeLine sees that a line was read without an error and to its end. If not, it
// says what was wrong and goes there.
func wholeLine(lex *plex.PeekingLexer, start plex.RawCursor, err error) *fault {
	if err == nil {
		if endsLine(lex.Peek()) {
			return nil
		}
		err = &fault{token: *lex.Peek(), trailing: true}
	}
	for !endsLine(lex.Peek()) {
		lex.Next()
	}
	return located(err, lex.Range(start, lex.RawCursor()), lex.Peek())
}

// endsLine tells whether a token can follow a complete line. A Keyword can, since
// it is one only where a statement may begin.
func endsLine(t *token) bool {
	switch t.Type {
	case plex.EOF, lexer.Missing, lexer.Newline, lexer.Keyword:
		return true
	}
	return false
}

// reader is what reads itself; its value is not looked at.
type reader[T any] interface {
	read(*plex.PeekingLexer) (*T, error)
}

// What stands on lines, as linters do not see through type parameters.
var (
	_ reader[clauses] = clauses{}
	_ reader[nothing] = nothing{}
)

// line is the rest of a statement's first line. If it cannot be read, the block
// under it is read all the same.
type line[T reader[T]] struct {
	value *T
	fault *fault
}

func (l *line[T]) Parse(lex *plex.PeekingLexer) error {
	var zero T
	start := lex.RawCursor()
	value, err := zero.read(lex)
	if l.fault = wholeLine(lex, start, err); l.fault == nil {
		l.value = value
	}
	return nil
}

// get returns the line, or nil after reporting what was wrong with it.
func (l *line[T]) get(b *builder, first *token) *T {
	if l.fault != nil {
		b.report(l.fault, first)
	}
	return l.value
}

// frame is a statement's first line, and the block under it.
type frame[T reader[T]] struct {
	head line[T]
	block
}

func (f *frame[T]) Parse(lex *plex.PeekingLexer) error {
	f.head.Parse(lex)
	return f.block.Parse(lex)
}

// block is what stands under a statement's first line: a group, further groups, and the end.
type block struct {
	body     group
	sections []*section
	end      end
}

func (l *block) Parse(lex *plex.PeekingLexer) error {
	l.body.Parse(lex)
	for lex.Peek().Type == lexer.Keyword && isSection(lex.Peek().Value) {
		s := &section{}
		s.Parse(lex)
		l.sections = append(l.sections, s)
	}
	return l.end.Parse(lex)
}

// section is a further group: catch, finally, verify, else, else if TEST. Which of
// them its statement can have is seen when the tree is made, so that one that is
// out of place makes no other error.
type section struct {
	word *token
	test line[test]    // of an else if
	rest line[nothing] // of the others
	body group
}

func (s *section) Parse(lex *plex.PeekingLexer) error {
	s.word = lex.Next()
	if s.word.Value == "else if" {
		s.test.Parse(lex)
	} else {
		s.rest.Parse(lex)
	}
	return s.body.Parse(lex)
}

// nothing is what stands after a keyword that has a line of its own.
type nothing struct{}

func (nothing) read(*plex.PeekingLexer) (*nothing, error) { return nil, nil }

// end is the end of a block, and the redirections after it.
type end struct {
	word *token
	rest line[redirections]
}

func (e *end) Parse(lex *plex.PeekingLexer) error {
	e.word = lex.Next()
	if e.word.Type == lexer.Missing || endsLine(lex.Peek()) {
		return nil
	}
	return e.rest.Parse(lex)
}
