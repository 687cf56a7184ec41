package parser

import (
	"ftsh/ast"
	"ftsh/lexer"
)

// climber reads expressions from the tokens of one, by precedence.
type climber struct {
	b         *builder
	tokens    []token
	i         int
	globs     bool // a word alone can match file names: the list of a loop
	operators int
	bad       bool // an error was reported; no other is
}

// maxOperators is how many operators an expression may have. A chain of them
// makes a tree as deep as it is long.
const maxOperators = lexer.MaxDepth

// expression makes the tree of an expression.
func (b *builder) expression(e *expression) ast.Expr { return b.climb(e, false) }

// optional is the tree of an expression, nil for none.
func (b *builder) optional(e *expression) ast.Expr {
	if e == nil {
		return nil
	}
	return b.climb(e, false)
}

func (b *builder) climb(e *expression, globs bool) ast.Expr {
	c := climber{b: b, tokens: e.tokens, globs: globs}
	if len(e.tokens) == 1 && e.tokens[0].Type == lexer.Word {
		return c.operand(&e.tokens[0])
	}
	x := c.sequence()
	if t := c.peek(); t != nil {
		c.fail(t)
	}
	return x
}

func (c *climber) peek() *token {
	if c.i < len(c.tokens) {
		return &c.tokens[c.i]
	}
	return nil
}

// operator is the operator that comes next; 0 if none does.
func (c *climber) operator() (*token, ast.Op) {
	t := c.peek()
	if t == nil || t.Type != lexer.Operator {
		return t, 0
	}
	op, _ := ast.LookupOp(t.Value)
	return t, op
}

// sequence reads an expression, which may be a range.
func (c *climber) sequence() ast.Expr {
	from := c.binary(2)
	if !c.next(".to.") {
		return from
	}
	r := &ast.Range{Pos: c.b.pos(&c.tokens[c.i-1]), From: from, To: c.binary(2)}
	if c.next(".step.") {
		r.Step = c.binary(2)
	}
	return r
}

// next goes past an operator if it comes next.
func (c *climber) next(operator string) bool {
	t := c.peek()
	if t == nil || t.Type != lexer.Operator || t.Value != operator {
		return false
	}
	c.i++
	return true
}

// binary reads operators that bind at least as tightly as a precedence.
func (c *climber) binary(least int) ast.Expr {
	left := c.unary()
	for {
		t, op := c.operator()
		if op == 0 || op.IsUnary() || op.Precedence() < least {
			return left
		}
		c.count(t)
		c.i++
		right := c.binary(op.Precedence() + 1)
		left = &ast.Binary{Op: op, Pos: c.b.pos(t), Left: left, Right: right}
		if op.Precedence() == 4 {
			c.unchained()
		}
	}
}

// unchained reports a second comparison after a first.
func (c *climber) unchained() {
	if t, op := c.operator(); op != 0 && op.Precedence() == 4 {
		c.report(t, "comparisons cannot be chained; join two of them with .and., or use parentheses")
	}
}

// unary reads what stands behind operators before it.
func (c *climber) unary() ast.Expr {
	t, op := c.operator()
	if op == 0 || !op.IsUnary() {
		return c.power()
	}
	c.count(t)
	c.i++
	return &ast.Unary{Op: op, Pos: c.b.pos(t), X: c.unary()}
}

func (c *climber) power() ast.Expr {
	left := c.primary()
	for {
		t, op := c.operator()
		if op != ast.Pow {
			return left
		}
		c.count(t)
		c.i++
		left = &ast.Binary{Op: op, Pos: c.b.pos(t), Left: left, Right: c.primary()}
	}
}

// count keeps the tree from becoming too deep.
func (c *climber) count(t *token) {
	if c.operators++; c.operators == maxOperators {
		c.report(t, "an expression with more than 10,000 operators")
		c.i = len(c.tokens) - 1
	}
}

// primary reads a word, a call or parentheses.
func (c *climber) primary() ast.Expr {
	t := c.peek()
	if t == nil {
		return c.nothing()
	}
	switch {
	case t.Type == lexer.Word:
		c.i++
		return c.operand(t)
	case t.Type == lexer.Call:
		c.i++
		return c.call(t)
	case t.Type == lexer.Mark && t.Value == "(":
		c.i++
		p := &ast.Paren{Pos: c.b.pos(t), X: c.sequence()}
		c.shut(t)
		return p
	}
	c.fail(t)
	return c.hole(t)
}

// call reads the arguments of a call.
func (c *climber) call(name *token) ast.Expr {
	x := &ast.Call{Pos: c.b.pos(name), Name: name.Value}
	if t := c.peek(); t != nil && t.Type == lexer.Mark && t.Value == ")" {
		c.i++
		return x
	}
	for {
		x.Args = append(x.Args, c.sequence())
		t := c.peek()
		if t == nil || t.Type != lexer.Mark || t.Value != "," {
			break
		}
		c.i++
	}
	c.shut(name)
	return x
}

// shut goes past a closing parenthesis.
func (c *climber) shut(open *token) {
	t := c.peek()
	switch {
	case t == nil:
		c.report(open, "the parenthesis is not closed on its line")
	case t.Type == lexer.Mark && t.Value == ")":
		c.i++
	default:
		c.fail(t)
	}
}

// nothing reports that the expression ends where a value should stand.
func (c *climber) nothing() ast.Expr {
	last := &c.tokens[len(c.tokens)-1]
	c.report(last, "no value after "+last.Value)
	return c.hole(last)
}

// fail reports a token that is out of place.
func (c *climber) fail(t *token) {
	c.report(t, "unexpected "+t.Value+" in an expression")
}

func (c *climber) report(t *token, message string) {
	if !c.bad {
		c.b.errorf(c.b.pos(t), "%s", message)
	}
	c.bad = true
	c.i = len(c.tokens)
}

// hole stands where a value is missing.
func (c *climber) hole(t *token) ast.Expr {
	return &ast.Operand{Word: &ast.Word{Pos: c.b.pos(t), Parts: []ast.Part{&ast.Lit{}}}}
}

// operand makes a value of a word.
func (c *climber) operand(t *token) ast.Expr {
	x := &ast.Operand{Word: c.b.word(t, c.globs)}
	if lit, ok := x.Word.Parts[0].(*ast.Lit); ok && len(x.Word.Parts) == 1 {
		x.Int, x.IsInt = isInteger(lit.Text)
	}
	return x
}

// isPrefix tells whether an operator stands before its operand.
func isPrefix(operator string) bool {
	op, known := ast.LookupOp(operator)
	return known && op.IsUnary()
}

// isOption tells whether a word of the shape of an operator belongs to a loop.
func isOption(operator string) bool {
	switch operator {
	case ".inorder.", ".hedge.", ".limit.", ".keepgoing.":
		return true
	}
	return false
}
