package parser

import (
	"strings"

	plex "github.com/alecthomas/participle/v2/lexer"

	"ftsh/ast"
	"ftsh/lexer"
)

// The leaves of the grammar that read parts of one line. They only take note of
// tokens and see to their shape; the builder makes the tree of them.

// is tells whether a token is of a type and has one of the values.
func is(t *token, kind plex.TokenType, values ...string) bool {
	if t.Type != kind {
		return false
	}
	for _, v := range values {
		if t.Value == v {
			return true
		}
	}
	return false
}

// name is one word.
type name struct{ token *token }

func (n *name) Parse(lex *plex.PeekingLexer) error {
	if lex.Peek().Type != lexer.Word {
		return wanted(lex, "")
	}
	n.token = lex.Next()
	return nil
}

func (name) read(lex *plex.PeekingLexer) (*name, error) {
	n := &name{}
	return n, n.Parse(lex)
}

// phrase is a simple command: words and redirections.
type phrase struct {
	tokens []token
}

func (p *phrase) Parse(lex *plex.PeekingLexer) error {
	start := lex.RawCursor()
	for {
		switch t := lex.Peek(); t.Type {
		case lexer.Word:
			lex.Next()
			continue
		case lexer.Redirect:
			lex.Next()
			if err := target(lex, t); err != nil {
				return err
			}
			continue
		}
		break
	}
	if p.tokens = lex.Range(start, lex.RawCursor()); len(p.tokens) == 0 {
		return wanted(lex, "a command")
	}
	return nil
}

// redirections is what may follow the end of a block.
type redirections struct{ phrase }

func (redirections) read(lex *plex.PeekingLexer) (*redirections, error) {
	r := &redirections{}
	start := lex.RawCursor()
	for t := lex.Peek(); t.Type == lexer.Redirect; t = lex.Peek() {
		lex.Next()
		if err := target(lex, t); err != nil {
			return r, err
		}
	}
	r.tokens = lex.Range(start, lex.RawCursor())
	return r, nil
}

// target goes past what stands after a redirection's operator.
func target(lex *plex.PeekingLexer, operator *token) error {
	if lex.Peek().Type != lexer.Word {
		return wanted(lex, targetOf(operator.Value)+" after "+operator.Value)
	}
	lex.Next()
	if !isHere(operator) {
		return nil
	}
	if lex.Peek().Type != lexer.Document {
		return wanted(lex, "")
	}
	lex.Next()
	return nil
}

// isHere tells whether an operator begins a here-document.
func isHere(operator *token) bool { return strings.Contains(operator.Value, "<<") }

// stages is a simple command, or several with bars between.
type stages struct {
	first phrase
	bars  []*token
	rest  []phrase
}

func (s *stages) Parse(lex *plex.PeekingLexer) error {
	if err := s.first.Parse(lex); err != nil {
		return err
	}
	for lex.Peek().Type == lexer.Bar {
		s.bars = append(s.bars, lex.Next())
		var p phrase
		if err := p.Parse(lex); err != nil {
			return err
		}
		s.rest = append(s.rest, p)
	}
	return nil
}

// test is what an if or a while decides by: try COMMAND, or EXPR.
type test struct {
	try     bool
	command stages
	expr    expression
}

func (test) read(lex *plex.PeekingLexer) (*test, error) {
	t := &test{}
	if is(lex.Peek(), lexer.Clause, "try") {
		t.try = true
		lex.Next()
		return t, t.command.Parse(lex)
	}
	return t, t.expr.Parse(lex)
}

// value is an expression, or nothing.
type value struct{ expression }

func (v *value) Parse(lex *plex.PeekingLexer) error {
	if !endsLine(lex.Peek()) {
		return v.expression.Parse(lex)
	}
	return nil
}

// expression is the tokens of one expression, as far as they go by their shape.
// Precedence, and what is wrong inside, is the climber's business.
type expression struct {
	tokens []token
	next   *token // what comes after it
}

func (e *expression) Parse(lex *plex.PeekingLexer) error {
	start := lex.RawCursor()
	for value := false; ; {
		t := lex.Peek()
		switch {
		case isOperand(t) && !value:
			skipOperand(lex)
			value = true
			continue
		case t.Type == lexer.Operator && !isOption(t.Value) && (!value || !isPrefix(t.Value)):
			lex.Next()
			value = false
			continue
		}
		e.next = t
		break
	}
	if e.tokens = lex.Range(start, lex.RawCursor()); len(e.tokens) == 0 {
		return wanted(lex, "a value")
	}
	return nil
}

func isOperand(t *token) bool {
	return t.Type == lexer.Word || t.Type == lexer.Call || is(t, lexer.Mark, "(")
}

// skipOperand goes past a word, or past parentheses and all in them.
func skipOperand(lex *plex.PeekingLexer) {
	for depth := 0; ; {
		switch t := lex.Peek(); {
		case t.Type == lexer.Call, is(t, lexer.Mark, "("):
			depth++
		case is(t, lexer.Mark, ")"):
			depth--
		case t.Type == lexer.Word, t.Type == lexer.Operator, t.Type == lexer.Mark:
		default:
			return
		}
		lex.Next()
		if depth == 0 {
			return
		}
	}
}

// loopHead is NAME in LIST [OPTION]….
type loopHead struct {
	name    name
	list    expressions
	options options
}

func (loopHead) read(lex *plex.PeekingLexer) (*loopHead, error) {
	h := &loopHead{}
	if err := h.name.Parse(lex); err != nil {
		return h, err
	}
	if !is(lex.Peek(), lexer.Clause, "in") {
		return h, wanted(lex, "")
	}
	lex.Next()
	if err := h.list.Parse(lex); err != nil {
		return h, err
	}
	return h, h.options.Parse(lex)
}

// expressions is the list of a loop.
type expressions struct {
	list []expression
}

func (e *expressions) Parse(lex *plex.PeekingLexer) error {
	for {
		for is(lex.Peek(), lexer.Mark, ",") {
			lex.Next()
		}
		t := lex.Peek()
		if !isOperand(t) && (t.Type != lexer.Operator || isOption(t.Value)) {
			break
		}
		var x expression
		x.Parse(lex)
		e.list = append(e.list, x)
	}
	if len(e.list) == 0 {
		return wanted(lex, "the list of the loop")
	}
	return nil
}

// options is what may follow the list of a loop.
type options struct {
	list []option
}

// option is .inorder., .keepgoing., .hedge. T or .limit. N.
type option struct {
	word   *token
	time   period
	number expression
}

func (o *options) Parse(lex *plex.PeekingLexer) (err error) {
	for t := lex.Peek(); t.Type == lexer.Operator && isOption(t.Value); t = lex.Peek() {
		next := option{word: lex.Next()}
		switch t.Value {
		case ".hedge.":
			err = next.time.Parse(lex)
		case ".limit.":
			err = next.number.Parse(lex)
		}
		if err != nil {
			return err
		}
		o.list = append(o.list, next)
	}
	return nil
}

// isOption tells whether a word of the shape of an operator belongs to a loop.
func isOption(operator string) bool {
	switch operator {
	case ".inorder.", ".hedge.", ".limit.", ".keepgoing.":
		return true
	}
	return false
}

// isPrefix tells whether an operator stands before its operand.
func isPrefix(operator string) bool {
	op, known := ast.LookupOp(operator)
	return known && op.IsUnary()
}
