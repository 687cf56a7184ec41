package parser

import (
	"strings"

	"ftsh/ast"
	"ftsh/lexer"
)

// value is an expression that may be left out.
type value interface{ ast.Expr }

// readExpression reads an expression, or nothing.
func (b *builder) readExpression() (value, error) {
	if endsLine(b.peekToken()) {
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

// maxOperators limits the operators of an expression: a chain of them
// makes a tree as deep as it is long.
const maxOperators = lexer.MaxDepth

// expression reads as far as the tokens have the shape of one expression. What is
// wrong inside is reported, and is no error to the caller.
func (b *builder) expression(globs bool) (ast.Expr, error) {
	c := climber{b: b, start: b.i, globs: globs}
	if t := b.peekToken(); t.Type == lexer.Word && b.tokens[b.i+1].Type != lexer.Operator {
		b.nextToken()
		return c.newOperand(t), nil
	}
	if c.peekToken() == nil {
		return nil, b.wantedHere("a value")
	}
	calls := len(b.calls)
	x := c.readSequence()
	if t := c.peekToken(); t != nil {
		c.reportMisfit(t)
	}
	if c.bad {
		b.program.calls = b.calls[:calls]
	}
	return x, nil
}

// peekToken is the token that comes next; nil if it is no part of the expression.
func (c *climber) peekToken() *token {
	t := c.b.peekToken()
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

// nextToken goes past a token.
func (c *climber) nextToken() {
	t := c.b.nextToken()
	c.complete = false
	switch {
	case t.Type == lexer.Word:
		c.complete = true
	case t.Type == lexer.Call, isToken(t, lexer.Mark, "("):
		c.depth++
	case isToken(t, lexer.Mark, ")"):
		c.depth--
		c.complete = true
	}
}

// isOperand reports whether a token begins an operand.
func isOperand(t *token) bool {
	return t.Type == lexer.Word || t.Type == lexer.Call || isToken(t, lexer.Mark, "(")
}

// isPrefix reports whether an operator stands before its operand.
func isPrefix(operator string) bool {
	op, known := ast.LookupOp(operator)
	return known && op.IsUnary()
}

// nextOperator is the operator that comes next; 0 if none does. It is asked for once
// by each level of precedence.
func (c *climber) nextOperator() (*token, ast.Op) {
	if c.looked != c.b.i+1 {
		c.looked, c.op = c.b.i+1, 0
		if t := c.peekToken(); t != nil && t.Type == lexer.Operator {
			c.op, _ = ast.LookupOp(t.Value)
		}
	}
	return c.b.peekToken(), c.op
}

// takeToken goes past a token if it comes next.
func (c *climber) takeToken(value string) bool {
	t := c.peekToken()
	if t == nil || t.Type == lexer.Word || t.Value != value {
		return false
	}
	c.nextToken()
	return true
}

// lastToken is the token that was read last.
func (c *climber) lastToken() *token { return &c.b.tokens[c.b.i-1] }

// readSequence reads an expression, which may be a range.
func (c *climber) readSequence() ast.Expr {
	from := c.readBinary(2)
	if !c.takeToken(".to.") {
		return from
	}
	r := &ast.Range{Pos: c.b.posOf(c.lastToken()), From: from, To: c.readBinary(2)}
	if c.takeToken(".step.") {
		r.Step = c.readBinary(2)
	}
	return r
}

// readBinary reads operators that bind at least as tightly as a precedence.
func (c *climber) readBinary(least int) ast.Expr {
	left := c.readUnary()
	for {
		t, op := c.nextOperator()
		if op == 0 || op.IsUnary() || op.Precedence() < least {
			return left
		}
		c.countOperator(t)
		right := c.readBinary(op.Precedence() + 1)
		left = &ast.Binary{Op: op, Pos: c.b.posOf(t), Left: left, Right: right}
		if t, next := c.nextOperator(); op.Precedence() == 4 && next != 0 && next.Precedence() == 4 {
			c.reportAt(t, "comparisons cannot be chained; join two of them with .and., or use parentheses")
		}
	}
}

// readUnary reads operators that stand before their operand.
func (c *climber) readUnary() ast.Expr {
	t, op := c.nextOperator()
	if op == 0 || !op.IsUnary() {
		return c.readPower()
	}
	c.countOperator(t)
	return &ast.Unary{Op: op, Pos: c.b.posOf(t), X: c.readUnary()}
}

func (c *climber) readPower() ast.Expr {
	left := c.readPrimary()
	for {
		t, op := c.nextOperator()
		if op != ast.Pow {
			return left
		}
		c.countOperator(t)
		left = &ast.Binary{Op: op, Pos: c.b.posOf(t), Left: left, Right: c.readPrimary()}
	}
}

// countOperator goes past an operator, and keeps the tree from becoming too deep.
func (c *climber) countOperator(t *token) {
	c.nextToken()
	if c.operators++; c.operators > maxOperators {
		c.reportAt(t, "an expression with more than 10,000 operators")
	}
}

// readPrimary reads a word, a call or parentheses.
func (c *climber) readPrimary() ast.Expr {
	t := c.peekToken()
	switch {
	case t == nil:
		c.reportEnd()
		t = c.lastToken()
	case t.Type == lexer.Word:
		c.nextToken()
		return c.newOperand(t)
	case t.Type == lexer.Call:
		c.nextToken()
		return c.readCall(t)
	case isToken(t, lexer.Mark, "("):
		c.nextToken()
		p := &ast.Paren{Pos: c.b.posOf(t), X: c.readSequence()}
		c.closeParenthesis(t)
		return p
	default:
		c.reportMisfit(t)
	}
	// Something has to stand where the value is missing.
	return &ast.Operand{Word: &ast.Word{Pos: c.b.posOf(t), Parts: []ast.Part{&ast.Lit{}}}}
}

// readCall reads the arguments of a call.
func (c *climber) readCall(name *token) ast.Expr {
	x := &ast.Call{Pos: c.b.posOf(name), Name: name.Value}
	c.b.noteCall(x)
	if c.takeToken(")") {
		return x
	}
	for {
		x.Args = append(x.Args, c.readSequence())
		if !c.takeToken(",") {
			break
		}
	}
	c.closeParenthesis(name)
	return x
}

// closeParenthesis goes past a closing parenthesis.
func (c *climber) closeParenthesis(open *token) {
	switch t := c.peekToken(); {
	case c.takeToken(")"):
	case t != nil:
		c.reportMisfit(t)
	case !c.bad:
		name := open.Value
		if open.Type == lexer.Call {
			name += "("
		}
		e := c.b.errorf(c.b.posOf(open), "%s is not closed on its line", name)
		if c.b.atEnd(c.b.peekToken()) {
			e.Incomplete, e.Open = true, "("
		}
		c.bad = true
	}
}

// reportEnd reports that the expression ends where a value should stand.
func (c *climber) reportEnd() {
	if c.bad {
		return
	}
	last := c.lastToken()
	e := c.b.errorf(c.b.posOf(c.b.peekToken()), "expected a value after %s, not %s", describeToken(last),
		describeToken(c.b.peekToken()))
	if c.b.atEnd(c.b.peekToken()) {
		e.Incomplete, e.Open = true, last.Value
		if last.Type == lexer.Call {
			e.Open = "("
		}
	}
	c.bad = true
}

// reportMisfit reports a token that does not fit where it stands.
func (c *climber) reportMisfit(t *token) {
	value := c.b.i > c.start && (c.lastToken().Type == lexer.Word || isToken(c.lastToken(), lexer.Mark, ")"))
	switch op, known := ast.LookupOp(t.Value); {
	case t.Type == lexer.Operator && !known:
		c.reportAt(t, unknownOperator(t.Value))
	case t.Type == lexer.Operator && value && op.IsUnary():
		c.reportAt(t, t.Value+" stands before a value, not after one")
	case c.isArray():
		c.reportAt(&c.b.tokens[c.start], "there are no arrays here; write  set -- a b  and \"$@\" for a list of words, "+
			"or  name='a b'  and $name where no word has a blank")
	case t.Type == lexer.Word && foreignOperator(t.Value) != "":
		c.reportAt(t, foreignOperator(t.Value))
	case value:
		c.reportAt(t, "expected an operator such as .eq., not "+describeToken(t))
	default:
		c.reportAt(t, "expected a value, not "+describeToken(t))
	}
}

// isArray reports whether the expression is assigned, begins with a parenthesis, and what does
// not fit is the second word in it, or its end where the first should stand.
func (c *climber) isArray() bool {
	t, open := c.b.peekToken(), &c.b.tokens[c.start]
	if c.start == 0 || c.b.tokens[c.start-1].Type != lexer.Assign || !isToken(open, lexer.Mark, "(") {
		return false
	}
	switch c.b.i - c.start {
	case 1:
		return isToken(t, lexer.Mark, ")")
	case 2:
		return t.Type == lexer.Word && foreignOperator(t.Value) == ""
	}
	return false
}

func (c *climber) reportAt(t *token, message string) {
	if !c.bad {
		c.b.errorf(c.b.posOf(t), "%s", message)
	}
	c.skipExpression()
}

// skipExpression skips to the end of an expression, judging by its shape.
func (c *climber) skipExpression() {
	c.b.i, c.depth, c.complete, c.bad = c.start, 0, false, false
	for c.peekToken() != nil {
		c.nextToken()
	}
	c.bad = true
}

// newOperand makes a value of a word.
func (c *climber) newOperand(t *token) ast.Expr {
	x := &ast.Operand{Word: c.b.splitWord(t, c.globs)}
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
	return "no operator is called " + text + nearestWord(text, ast.Operators()) + "; as a word, it must be quoted"
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
