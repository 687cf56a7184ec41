package parser

import (
	"strings"

	"ftsh/ast"
	"ftsh/lexer"
)

// value is an expression that may be left out.
type value interface{ ast.Expr }

// value reads an expression, or nothing.
func (b *builder) value() (value, error) {
	if endsLine(b.peek()) {
		return nil, nil
	}
	return b.expression(false)
}

// climber reads an expression by precedence.
type climber struct {
	b         *builder
	start     int  // the first token
	depth     int  // how many parentheses are open
	complete  bool // what was read so far may be all
	globs     bool // words can match file names: the list of a loop
	operators int
	bad       bool // an error was reported; no other is

	looked int // the place after that of the operator looked up last
	op     ast.Op
}

// maxOperators is how many operators an expression may have: a chain of them
// makes a tree as deep as it is long.
const maxOperators = lexer.MaxDepth

// expression reads as far as the tokens have the shape of one expression. What is
// wrong inside is reported, and is no error to the caller.
func (b *builder) expression(globs bool) (ast.Expr, error) {
	c := climber{b: b, start: b.i, globs: globs}
	if t := b.peek(); t.Type == lexer.Word && b.tokens[b.i+1].Type != lexer.Operator {
		b.next()
		return c.operand(t), nil
	}
	if c.peek() == nil {
		return nil, b.wanted("a value")
	}
	calls := len(b.calls)
	x := c.sequence()
	if t := c.peek(); t != nil {
		c.misfit(t)
	}
	if c.bad {
		b.program.calls = b.calls[:calls]
	}
	return x, nil
}

// peek is the token that comes next; nil if it is no part of the expression.
func (c *climber) peek() *token {
	t := c.b.peek()
	fits := false
	switch t.Type {
	case lexer.Operator:
		fits = c.depth > 0 || !isOption(t.Value) && !(c.complete && isPrefix(t.Value))
	case lexer.Word, lexer.Call, lexer.Mark:
		fits = c.depth > 0 || !c.complete && isOperand(t)
	}
	if !fits || c.bad {
		return nil
	}
	return t
}

// next goes past a token.
func (c *climber) next() {
	t := c.b.next()
	c.complete = false
	switch {
	case t.Type == lexer.Word:
		c.complete = true
	case t.Type == lexer.Call, is(t, lexer.Mark, "("):
		c.depth++
	case is(t, lexer.Mark, ")"):
		c.depth--
		c.complete = true
	}
}

// isOperand reports whether a token begins an operand.
func isOperand(t *token) bool {
	return t.Type == lexer.Word || t.Type == lexer.Call || is(t, lexer.Mark, "(")
}

// isPrefix reports whether an operator stands before its operand.
func isPrefix(operator string) bool {
	op, known := ast.LookupOp(operator)
	return known && op.IsUnary()
}

// operator is the operator that comes next; 0 if none does. It is asked for once
// by each level of precedence.
func (c *climber) operator() (*token, ast.Op) {
	if c.looked != c.b.i+1 {
		c.looked, c.op = c.b.i+1, 0
		if t := c.peek(); t != nil && t.Type == lexer.Operator {
			c.op, _ = ast.LookupOp(t.Value)
		}
	}
	return c.b.peek(), c.op
}

// take goes past a token if it comes next.
func (c *climber) take(value string) bool {
	t := c.peek()
	if t == nil || t.Type == lexer.Word || t.Value != value {
		return false
	}
	c.next()
	return true
}

// last is the token that was read last.
func (c *climber) last() *token { return &c.b.tokens[c.b.i-1] }

// sequence reads an expression, which may be a range.
func (c *climber) sequence() ast.Expr {
	from := c.binary(2)
	if !c.take(".to.") {
		return from
	}
	r := &ast.Range{Pos: c.b.pos(c.last()), From: from, To: c.binary(2)}
	if c.take(".step.") {
		r.Step = c.binary(2)
	}
	return r
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
		right := c.binary(op.Precedence() + 1)
		left = &ast.Binary{Op: op, Pos: c.b.pos(t), Left: left, Right: right}
		if t, next := c.operator(); op.Precedence() == 4 && next != 0 && next.Precedence() == 4 {
			c.report(t, "comparisons cannot be chained; join two of them with .and., or use parentheses")
		}
	}
}

// unary reads operators that stand before their operand.
func (c *climber) unary() ast.Expr {
	t, op := c.operator()
	if op == 0 || !op.IsUnary() {
		return c.power()
	}
	c.count(t)
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
		left = &ast.Binary{Op: op, Pos: c.b.pos(t), Left: left, Right: c.primary()}
	}
}

// count goes past an operator, and keeps the tree from becoming too deep.
func (c *climber) count(t *token) {
	c.next()
	if c.operators++; c.operators > maxOperators {
		c.report(t, "an expression with more than 10,000 operators")
	}
}

// primary reads a word, a call or parentheses.
func (c *climber) primary() ast.Expr {
	t := c.peek()
	switch {
	case t == nil:
		c.ends()
		t = c.last()
	case t.Type == lexer.Word:
		c.next()
		return c.operand(t)
	case t.Type == lexer.Call:
		c.next()
		return c.call(t)
	case is(t, lexer.Mark, "("):
		c.next()
		p := &ast.Paren{Pos: c.b.pos(t), X: c.sequence()}
		c.shut(t)
		return p
	default:
		c.misfit(t)
	}
	// Something has to stand where the value is missing.
	return &ast.Operand{Word: &ast.Word{Pos: c.b.pos(t), Parts: []ast.Part{&ast.Lit{}}}}
}

// call reads the arguments of a call.
func (c *climber) call(name *token) ast.Expr {
	x := &ast.Call{Pos: c.b.pos(name), Name: name.Value}
	c.b.called(x)
	if c.take(")") {
		return x
	}
	for {
		x.Args = append(x.Args, c.sequence())
		if !c.take(",") {
			break
		}
	}
	c.shut(name)
	return x
}

// shut goes past a closing parenthesis.
func (c *climber) shut(open *token) {
	switch t := c.peek(); {
	case c.take(")"):
	case t != nil:
		c.misfit(t)
	case !c.bad:
		name := open.Value
		if open.Type == lexer.Call {
			name += "("
		}
		e := c.b.errorf(c.b.pos(open), "%s is not closed on its line", name)
		if c.b.atEnd(c.b.peek()) {
			e.Incomplete, e.Open = true, "("
		}
		c.bad = true
	}
}

// ends reports that the expression ends where a value should stand.
func (c *climber) ends() {
	if c.bad {
		return
	}
	last := c.last()
	e := c.b.errorf(c.b.pos(c.b.peek()), "expected a value after %s, not %s", describe(last), describe(c.b.peek()))
	if c.b.atEnd(c.b.peek()) {
		e.Incomplete, e.Open = true, last.Value
		if last.Type == lexer.Call {
			e.Open = "("
		}
	}
	c.bad = true
}

// misfit reports a token that does not fit where it stands.
func (c *climber) misfit(t *token) {
	value := c.b.i > c.start && (c.last().Type == lexer.Word || is(c.last(), lexer.Mark, ")"))
	switch op, known := ast.LookupOp(t.Value); {
	case t.Type == lexer.Operator && !known:
		c.report(t, unknownOperator(t.Value))
	case t.Type == lexer.Operator && value && op.IsUnary():
		c.report(t, t.Value+" stands before a value, not after one")
	case c.isArray():
		c.report(&c.b.tokens[c.start], "there are no arrays here; write  set -- a b  and \"$@\" for a list of words, "+
			"or  name='a b'  and $name where no word has a blank")
	case t.Type == lexer.Word && foreignOperator(t.Value) != "":
		c.report(t, foreignOperator(t.Value))
	case value:
		c.report(t, "expected an operator such as .eq., not "+describe(t))
	default:
		c.report(t, "expected a value, not "+describe(t))
	}
}

// isArray reports whether the expression is assigned, begins with a parenthesis, and what does
// not fit is the second word in it, or its end where the first should stand.
func (c *climber) isArray() bool {
	t, open := c.b.peek(), &c.b.tokens[c.start]
	if c.start == 0 || c.b.tokens[c.start-1].Type != lexer.Assign || !is(open, lexer.Mark, "(") {
		return false
	}
	switch c.b.i - c.start {
	case 1:
		return is(t, lexer.Mark, ")")
	case 2:
		return t.Type == lexer.Word && foreignOperator(t.Value) == ""
	}
	return false
}

func (c *climber) report(t *token, message string) {
	if !c.bad {
		c.b.errorf(c.b.pos(t), "%s", message)
	}
	c.skip()
}

// skip goes to the end of the expression, as its shape tells.
func (c *climber) skip() {
	c.b.i, c.depth, c.complete, c.bad = c.start, 0, false, false
	for c.peek() != nil {
		c.next()
	}
	c.bad = true
}

// operand makes a value of a word.
func (c *climber) operand(t *token) ast.Expr {
	x := &ast.Operand{Word: c.b.word(t, c.globs)}
	if lit, ok := x.Word.Parts[0].(*ast.Lit); ok && len(x.Word.Parts) == 1 {
		x.Int, x.IsInt = isInteger(lit.Text)
	}
	return x
}

// unknownOperator is the message about a word of the shape of an operator.
func unknownOperator(text string) string {
	switch text {
	case ".to.", ".step.":
		return text + " cannot stand here: a range is a .to. b or a .to. b .step. c"
	}
	if isOption(text) {
		return text + " stands after the list of a loop"
	}
	return "no operator is called " + text + nearest(text, ast.Operators()) + "; as a word, it must be quoted"
}

// foreignOperator says what to write instead of an operator of other shells; ""
// if it is none.
func foreignOperator(text string) string {
	write := ""
	switch text {
	case "=", "==":
		write = ".eq., or .eql. for integers"
	case "!=":
		write = ".ne., or .neql. for integers"
	case "=~":
		write = ".matches."
	case "!":
		write = ".not."
	case "+":
		write = ".add."
	case "-":
		write = ".sub."
	case "*":
		write = ".mul."
	case "/":
		write = ".div."
	case "%":
		write = ".mod."
	case "**", "^":
		write = ".pow."
	case "-eq", "-ne":
		write = "." + strings.Replace(text[1:], "ne", "neq", 1) + "l."
	case "-lt", "-le", "-gt", "-ge":
		write = "." + text[1:] + "."
	case "-a":
		write = ".and."
	case "-o":
		write = ".or."
	case "<":
		write = ".lt."
	case ">":
		write = ".gt."
	default:
		return ""
	}
	return text + " is no operator; write " + write
}
