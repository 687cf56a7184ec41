package ast

import (
	"slices"
	"strings"
)

// Assign is `name=expr`; Value is nil for `name=`, which sets the empty string.
type Assign struct {
	Var   Var
	Value Expr
}

// Command is a simple command: words and redirections, in the order written.
type Command struct {
	Pos       Pos
	Words     []*Word // at least one, unless there are only redirections
	Redirects []*Redirect
}

// Name returns the name of the program, builtin or function that the command runs; "" if it is not written out.
func (c *Command) Name() string {
	if len(c.Words) == 0 {
		return ""
	}
	name, _ := c.Words[0].Literal()
	return name
}

// Pipeline is `a | b |& c`.
type Pipeline struct {
	Stages []*Command // at least two
	Joins  []Join     // Joins[i] stands after Stages[i]
}

// Join is the bar between two stages.
type Join struct {
	Stderr bool // |&
	Broken bool // a newline follows the bar
}

// Resource is `resource NAME … end`: what all tries share that say `via NAME`. Its
// body holds a *Slots, a *Budget, a *Breaker and a *Sense, each at most once.
type Resource struct {
	Pos  Pos
	Name string
	Body Group
}

// Slots is `slots N`.
type Slots struct{ Count Expr }

// Budget is `budget P percent [at least N per minute]`; P and N are decimal numbers.
type Budget struct {
	Percent Expr
	AtLeast Expr // nil if it is not written
}

// Breaker is `breaker N failures in T [probe every T]`.
type Breaker struct {
	Failures Expr
	Within   *Period
	Probe    *Period // nil if it is not written
}

// Sense is `sense … end`.
type Sense struct{ Body Group }

// Period is a length of time: terms that add up.
type Period struct {
	Pos   Pos
	Terms []Term
}

// Term is an amount and its unit: `30 minutes`, `1 .add. 1 hours`, or with no
// unit a value that says both: `90s`, `$limit`.
type Term struct {
	Amount Expr
	Unit   Unit
}

// Unit is a unit of time.
type Unit uint8

// The units; NoUnit is that of a word such as 90s, which has its own.
const (
	NoUnit Unit = iota
	Millisecond
	Second
	Minute
	Hour
	Day
)

// For is one of the loops over a list.
type For struct {
	Kind      Loop
	Var       Var
	List      []Expr
	Inorder   bool    // forany … .inorder.
	Hedge     *Period // forany … .hedge. T
	Limit     Expr    // forall … .limit. N
	Keepgoing bool    // forall … .keepgoing.
	Grouped   bool    // forall … .grouped.
	Body      Group
}

// Loop is the kind of a For.
type Loop uint8

// The loops over a list.
const (
	InTurn Loop = iota // for
	Any                // forany
	All                // forall
)

// String is the loop's keyword.
func (l Loop) String() string { return [...]string{"for", "forany", "forall"}[l] }

// While is `while TEST … end`.
type While struct {
	Test Test
	Body Group
}

// If is `if TEST … else if TEST … else … end`, or `case VALUE · when PATTERN… … else … end`.
type If struct {
	Case     Expr     // the value of a case; nil: it is an if
	Head     Group    // of a case: the comments before its first when; no statement
	Branches []Branch // at least one
	Else     *Group
}

// Keyword is the word that begins it.
func (n *If) Keyword() string {
	if n.Case != nil {
		return "case"
	}
	return "if"
}

// Branch is a test and what runs if it holds.
type Branch struct {
	Pos  Pos
	Test Test
	Body Group
}

// Test is the condition of `if` and `while`: a boolean expression, or `try` or `not try` and a
// *Command or *Pipeline; or what the value of a case has to match.
type Test struct {
	Expr     Expr
	Try      Node
	Not      bool    // not try
	Patterns []*Word // of a when: any of them
}

// Function is `function NAME … end`.
type Function struct {
	Pos    Pos
	Name   string
	Locals []string // the names that it declares `local`, each once
	Body   Group
}

// Break is `break`: it ends the innermost for or while.
type Break struct{}

// Continue is `continue`: it ends a turn of the innermost for or while.
type Continue struct{}

// Return is `return [EXPR]`.
type Return struct{ Value Expr }

// Shift is `shift [N]`.
type Shift struct{ By Expr }

// Export is `export NAME` or `export NAME=[EXPR]`.
type Export struct {
	Var    Var
	Assign bool
	Value  Expr
}

// Local is `local NAME` or `local NAME=[EXPR]`.
type Local struct {
	Var    Var
	Assign bool
	Value  Expr
}

// Secret is `secret NAME…`: the shell never shows what these variables hold.
type Secret struct{ Vars []Var }

// SourceFile is `source PATH`.
type SourceFile struct {
	Path *Word // literal
	File *File
}

// Bad is text that is no statement. A tree with one is never run.
type Bad struct{ Text string }

// Redirect is one redirection.
type Redirect struct {
	Pos    Pos
	Op     RedirectOp
	FD     int   // the descriptor written before the operator, or -1
	Target *Word // file, or the delimiter of a here-document
	Var    Var   // of ->, ->>, ->&, ->>&, -<
	Dup    int   // of >&m, <&m
	Body   *Word // of a here-document: one double-quoted or single-quoted part, or several
}

// RedirectOp is the operator of a redirection.
type RedirectOp uint8

// The redirection operators.
const (
	In            RedirectOp = iota // n< file
	Out                             // n> file
	Append                          // n>> file
	Atomic                          // => file
	Both                            // >& file, &> file
	AppendBoth                      // >>& file, &>> file
	DupOut                          // n>&m
	DupIn                           // n<&m
	ToVar                           // n-> var
	AppendVar                       // n->> var
	BothVar                         // ->& var
	AppendBothVar                   // ->>& var
	FromVar                         // n-< var
	Here                            // n<< WORD
	HereTabs                        // n<<- WORD
)

var redirectOps = [...]string{
	"<", ">", ">>", "=>", ">&", ">>&", ">&", "<&", "->", "->>", "->&", "->>&", "-<", "<<", "<<-"}

// String is the operator as it is written.
func (op RedirectOp) String() string { return redirectOps[op] }

// SetOperator sets the operator by how it is written; what is none else begins a here-document.
func (r *Redirect) SetOperator(text string) {
	if rest, both := strings.CutPrefix(text, "&"); both {
		text = rest + "&"
	}
	r.Op = Here
	if op := slices.Index(redirectOps[:], text); op >= 0 {
		r.Op = RedirectOp(op)
	}
}

// Captures reports whether it sets a variable.
func (op RedirectOp) Captures() bool { return op >= ToVar && op <= AppendBothVar }

// On is `on ENGINE [OPTION]… [.limit. N] [.pilots. N] … end`.
type On struct {
	Engine  string // one of Engines, or Start
	Options []*Word
	Limit   Expr // jobs at a time; nil: any number
	Pilots  Expr // jobs that take programs one after another; nil: none
	Body    Group
}

// Start is the Engine of `on start`: a group that runs here, and again whenever a durable
// script is continued.
const Start = "start"
