package parser

import (
	"github.com/alecthomas/participle/v2"
	plex "github.com/alecthomas/participle/v2/lexer"

	"ftsh/ast"
	"ftsh/lexer"
)

// The leaves of the grammar: what participle hands over to a few lines of Go,
// because it needs to recover from errors there or is slow. All of them only
// take note of tokens; the builder makes the tree of them.

type token = plex.Token

// statement is what the parsers of statements return.
type statement interface {
	node(b *builder, first *token) ast.Node
}

// group is a list of statements, up to a keyword that ends it.
type group struct {
	entries []entry
}

// entry is a statement, what went wrong in reading it, or a Newline.
type entry struct {
	first     *token
	statement statement
	fault     error
}

// Parse never fails: a statement that cannot be read is noted, and reading goes
// on after its line.
func (g *group) Parse(lex *plex.PeekingLexer) error {
	for {
		first := lex.Peek()
		switch {
		case first.Type == lexer.Newline:
			lex.Next()
			g.entries = append(g.entries, entry{first: first})
			continue
		case closes(first):
			return nil
		}
		start := lex.RawCursor()
		s, err := parseStatement(lex)
		if err == nil && !endsLine(lex.Peek()) {
			err = &fault{Token: *lex.Peek()}
		}
		if err != nil {
			err = located(err, lex, start)
			skipLine(lex)
		}
		g.entries = append(g.entries, entry{first, s, err})
	}
}

// closes tells whether a token ends a group.
func closes(t *token) bool {
	switch t.Type {
	case plex.EOF, lexer.Missing:
		return true
	case lexer.Keyword:
		switch t.Value {
		case "end", "else", "else if", "catch", "finally", "verify":
			return true
		}
	}
	return false
}

// endsLine tells whether a token can follow a complete line.
func endsLine(t *token) bool {
	switch t.Type {
	case plex.EOF, lexer.Missing, lexer.Newline, lexer.Keyword:
		return true
	}
	return false
}

// skipLine goes to the end of a line that could not be read.
func skipLine(lex *plex.PeekingLexer) {
	for lex.Peek().Type != lexer.Newline && lex.Peek().Type != plex.EOF && lex.Peek().Type != lexer.Missing {
		lex.Next()
	}
}

// parseStatement enters the parser that the first token calls for.
func parseStatement(lex *plex.PeekingLexer) (statement, error) {
	first := lex.Peek()
	switch first.Type {
	case lexer.Assign:
		return enter(&assigns, lex)
	case lexer.Word, lexer.Redirect:
		return enter(&commands, lex)
	case lexer.Keyword:
		switch first.Value {
		case "try":
			return enter(&tries, lex)
		case "for", "forany", "forall":
			return enter(&loops, lex)
		case "while":
			return enter(&whiles, lex)
		case "if":
			return enter(&conditionals, lex)
		case "function":
			return enter(&functions, lex)
		case "return":
			return enter(&returnss, lex)
		case "shift":
			return enter(&shifts, lex)
		case "export", "local":
			return enter(&declarations, lex)
		case "source":
			return enter(&sources, lex)
		}
	}
	return nil, &fault{Token: *first}
}

func enter[G any, P interface {
	*G
	statement
}](g *grammar[G], lex *plex.PeekingLexer) (statement, error) {
	s, err := g.parse(lex)
	return P(s), err
}

// line is the rest of a statement's first line. If it cannot be read, that is
// noted, and the block under it is read all the same.
type line[T interface{ grammar() *grammar[T] }] struct {
	value *T
	fault error
}

func (l *line[T]) Parse(lex *plex.PeekingLexer) error {
	var zero T
	start := lex.RawCursor()
	value, err := zero.grammar().parse(lex)
	if err == nil && !endsLine(lex.Peek()) {
		err = &fault{Token: *lex.Peek()}
	}
	if err != nil {
		l.fault = located(err, lex, start)
		skipLine(lex)
		return nil
	}
	l.value = value
	return nil
}

// get returns the line, or nil after reporting what was wrong with it.
func (l *line[T]) get(b *builder, first *token) *T {
	if l.fault != nil {
		b.report(l.fault, first)
	}
	return l.value
}

// lineEnd is where nothing more may stand on a line.
type lineEnd struct{ fault error }

func (l *lineEnd) Parse(lex *plex.PeekingLexer) error {
	if start := lex.RawCursor(); !endsLine(lex.Peek()) {
		l.fault = located(&fault{Token: *lex.Peek()}, lex, start)
		skipLine(lex)
	}
	return nil
}

// end is the end of a block and the redirections after it.
type end struct {
	word   *token
	phrase *phrase
	fault  error
}

func (e *end) Parse(lex *plex.PeekingLexer) error {
	start := lex.RawCursor()
	e.word = lex.Next()
	if e.word.Type == lexer.Missing || endsLine(lex.Peek()) {
		return nil
	}
	e.phrase = &phrase{}
	if e.fault = e.phrase.Parse(lex); e.fault == nil && !endsLine(lex.Peek()) {
		e.fault = &fault{Token: *lex.Peek()}
	}
	if e.fault != nil {
		e.fault = located(e.fault, lex, start)
		skipLine(lex)
	}
	return nil
}

// phrase is a simple command: words and redirections.
type phrase struct {
	tokens []token
}

func (p *phrase) Parse(lex *plex.PeekingLexer) error {
	start := lex.RawCursor()
	for {
		switch lex.Peek().Type {
		case lexer.Word, lexer.Document:
			lex.Next()
			continue
		case lexer.Redirect:
			lex.Next()
			if lex.Peek().Type == lexer.Word {
				continue
			}
		}
		break
	}
	p.tokens = lex.Range(start, lex.RawCursor())
	if n := len(p.tokens); n == 0 || p.tokens[n-1].Type == lexer.Redirect {
		return &fault{Token: *lex.Peek()}
	}
	return nil
}

// expression is the tokens of one expression, as far as they go by their shape.
// Precedence is the builder's business, and so is what is wrong inside.
type expression struct {
	tokens []token
}

func (e *expression) Parse(lex *plex.PeekingLexer) error {
	start := lex.RawCursor()
	for wanted := true; ; {
		t := lex.Peek()
		operand := t.Type == lexer.Word || t.Type == lexer.Call || t.Type == lexer.Mark && t.Value == "("
		switch {
		case operand && wanted:
			skipOperand(lex)
			wanted = false
			continue
		case t.Type == lexer.Operator && !isOption(t.Value) && (wanted || !isPrefix(t.Value)):
			lex.Next()
			wanted = true
			continue
		}
		break
	}
	e.tokens = lex.Range(start, lex.RawCursor())
	if len(e.tokens) == 0 {
		return &fault{Token: *lex.Peek()}
	}
	return nil
}

// skipOperand goes past a word, or past parentheses and all in them.
func skipOperand(lex *plex.PeekingLexer) {
	for depth := 0; ; {
		switch t := lex.Peek(); {
		case t.Type == lexer.Call, t.Type == lexer.Mark && t.Value == "(":
			depth++
		case t.Type == lexer.Mark && t.Value == ")":
			depth--
		case t.Type == lexer.Word, t.Type == lexer.Operator, t.Type == lexer.Mark:
		default:
			return
		}
		lex.Next()
		if depth <= 0 {
			return
		}
	}
}

// expressions is the list of a loop.
type expressions struct {
	list []expression
}

func (e *expressions) Parse(lex *plex.PeekingLexer) error {
	for {
		for lex.Peek().Type == lexer.Mark && lex.Peek().Value == "," {
			lex.Next()
		}
		var x expression
		if err := x.Parse(lex); err != nil {
			if len(e.list) == 0 {
				return err
			}
			return nil
		}
		e.list = append(e.list, x)
	}
}

// term is an amount of time. One that turns out to be a number of attempts is
// left to the limits.
type term struct {
	amount expression
	unit   *token
}

func (t *term) Parse(lex *plex.PeekingLexer) error {
	before := lex.MakeCheckpoint()
	if err := t.amount.Parse(lex); err != nil {
		return err
	}
	switch next := lex.Peek(); {
	case next.Type == lexer.Unit:
		t.unit = lex.Next()
	case next.Type == lexer.Clause && (next.Value == "times" || next.Value == "time"):
		lex.LoadCheckpoint(before)
		return participle.NextMatch
	}
	return nil
}
