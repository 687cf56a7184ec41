package ast

import "slices"

// Expr is an expression: *Operand, *Binary, *Unary, *Range, *Call or *Paren.
type Expr interface {
	isExpr()
	// At returns the position of the first character.
	At() Pos
}

func (*Operand) isExpr() {}
func (*Binary) isExpr()  {}
func (*Unary) isExpr()   {}
func (*Range) isExpr()   {}
func (*Call) isExpr()    {}
func (*Paren) isExpr()   {}

// Operand is a word used as a value.
type Operand struct {
	Word  *Word
	Int   int64 // the value of an integer constant
	IsInt bool  // the word is a plain integer as the shell itself prints it ("7", "-7", not "007")
}

// At returns the position of the word.
func (e *Operand) At() Pos { return e.Word.Pos }

// Binary is `left .op. right`.
type Binary struct {
	Op          Op
	Pos         Pos // of the operator
	Left, Right Expr
}

// At returns the position of the left side.
func (e *Binary) At() Pos { return e.Left.At() }

// Unary is `.op. operand`.
type Unary struct {
	Op  Op
	Pos Pos // of the operator
	X   Expr
}

// At returns the position of the operator.
func (e *Unary) At() Pos { return e.Pos }

// Range is `from .to. to [.step. step]`.
type Range struct {
	Pos            Pos // of .to.
	From, To, Step Expr
}

// At returns the position of the first bound.
func (e *Range) At() Pos { return e.From.At() }

// Call is `name(args)`.
type Call struct {
	Pos  Pos
	Name string
	Args []Expr
}

// At returns the position of the name.
func (e *Call) At() Pos { return e.Pos }

// Paren is `( expr )`.
type Paren struct {
	Pos Pos
	X   Expr
}

// At returns the position of the opening parenthesis.
func (e *Paren) At() Pos { return e.Pos }

// Op is an operator of an expression.
type Op uint8

// The operators. Range has its own node.
const (
	Or Op = iota + 1
	And
	Eq
	Ne
	Eql
	Neql
	Lt
	Le
	Gt
	Ge
	Matches
	Add
	Sub
	Mul
	Div
	Mod
	Pow
	Lines
	Not
	Exists
	Readable
	Writable
	Executable
	IsFile
	IsDir
	IsLink
	IsBlock
	IsChar
	IsPipe
	IsSock
	Defined
)

var operators = [...]string{
	Or: ".or.", And: ".and.", Eq: ".eq.", Ne: ".ne.", Eql: ".eql.", Neql: ".neql.", Lt: ".lt.", Le: ".le.",
	Gt: ".gt.", Ge: ".ge.", Matches: ".matches.", Add: ".add.", Sub: ".sub.", Mul: ".mul.", Div: ".div.",
	Mod: ".mod.", Pow: ".pow.", Lines: ".lines.", Not: ".not.", Exists: ".exists.", Readable: ".isr.",
	Writable: ".isw.", Executable: ".isx.", IsFile: ".isfile.", IsDir: ".isdir.", IsLink: ".islink.",
	IsBlock: ".isblock.", IsChar: ".ischar.", IsPipe: ".ispipe.", IsSock: ".issock.", Defined: ".defined.",
}

// String is the operator as it is written, such as ".add.".
func (op Op) String() string { return operators[op] }

// LookupOp finds an operator by how it is written.
func LookupOp(text string) (Op, bool) {
	i := max(0, slices.Index(operators[:], text))
	return Op(i), i > 0
}

// IsUnary reports whether the operator stands before its only operand.
func (op Op) IsUnary() bool { return op >= Lines }

// Precedence returns how tightly an operator binds, as section 6 of the language
// numbers it: 2 (.or.) to 8 (.pow.); 7 for the ones that stand before.
func (op Op) Precedence() int {
	switch {
	case op == Or:
		return 2
	case op == And:
		return 3
	case op <= Matches:
		return 4
	case op <= Sub:
		return 5
	case op <= Mod:
		return 6
	case op == Pow:
		return 8
	}
	return 7
}
