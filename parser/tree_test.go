package parser

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ftsh/ast"
)

// shape compares trees but for where they were read and how variables are numbered.
var shape = cmp.Options{
	cmpopts.IgnoreTypes(ast.Pos{}),
	cmpopts.IgnoreFields(ast.Var{}, "Number"),
	cmpopts.EquateEmpty(),
}

// The small constructors of the tables.

func lit(s string) *ast.Lit            { return &ast.Lit{Text: s, Raw: s} }
func raw(text, raw string) *ast.Lit    { return &ast.Lit{Text: text, Raw: raw} }
func word(parts ...ast.Part) *ast.Word { return &ast.Word{Parts: parts} }
func ref(name string) *ast.Ref         { return &ast.Ref{Name: name, Var: ast.Var{Name: name}} }

func single(s string) *ast.Lit { return &ast.Lit{Text: s, Raw: s, Quote: ast.Single} }

func double(s string) *ast.Lit {
	return &ast.Lit{Text: s, Raw: s, Quote: ast.Double, Edge: ast.Edge{Open: true, Shut: true}}
}

// inDouble makes a reference what it is in the middle of a string.
func inDouble(r *ast.Ref) *ast.Ref {
	r.Quote = ast.Double
	return r
}

// alone makes a reference what it is when it is all of a string.
func alone(r *ast.Ref) *ast.Ref {
	r.Quote, r.Edge = ast.Double, ast.Edge{Open: true, Shut: true}
	return r
}

func cmd(words ...any) *ast.Command {
	c := &ast.Command{}
	for _, w := range words {
		switch w := w.(type) {
		case string:
			c.Words = append(c.Words, word(lit(w)))
		case *ast.Word:
			c.Words = append(c.Words, w)
		case ast.Part:
			c.Words = append(c.Words, word(w))
		case *ast.Redirect:
			c.Redirects = append(c.Redirects, w)
		}
	}
	return c
}

func body(nodes ...ast.Node) ast.Group {
	var g ast.Group
	for _, n := range nodes {
		g.List = append(g.List, ast.Stmt{Node: n})
	}
	return g
}

func bodyOf(nodes ...ast.Node) *ast.Group {
	g := body(nodes...)
	return &g
}

// val is a word as a value; a number if it is one.
func val(part any) *ast.Operand {
	switch part := part.(type) {
	case int:
		return &ast.Operand{Word: word(lit(itoa(part))), Int: int64(part), IsInt: true}
	case string:
		return &ast.Operand{Word: word(lit(part))}
	case *ast.Word:
		return &ast.Operand{Word: part}
	}
	return &ast.Operand{Word: word(part.(ast.Part))}
}

func itoa(n int) string {
	if n < 0 {
		return "-" + itoa(-n)
	}
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + itoa(n%10)
}

func bin(left ast.Expr, op ast.Op, right ast.Expr) ast.Expr {
	return &ast.Binary{Op: op, Left: left, Right: right}
}

func un(op ast.Op, x ast.Expr) ast.Expr { return &ast.Unary{Op: op, X: x} }

func paren(x ast.Expr) ast.Expr { return &ast.Paren{X: x} }

func set(name string, x ast.Expr) *ast.Assign {
	return &ast.Assign{Var: ast.Var{Name: name}, Value: x}
}

func lasts(terms ...ast.Term) *ast.Period { return &ast.Period{Terms: terms} }

func term(n int, unit ast.Unit) ast.Term { return ast.Term{Amount: val(n), Unit: unit} }

// nodes are the nodes of a text's statements.
func nodes(t *testing.T, text string) []ast.Node {
	t.Helper()
	file, err := Parse(&ast.Source{Name: "s", Text: text}, Config{Functions: []string{"f", "g"}})
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	var list []ast.Node
	for _, s := range file.Body.List {
		list = append(list, s.Node)
	}
	return list
}

func check(t *testing.T, text string, want ...ast.Node) {
	t.Helper()
	if diff := cmp.Diff(want, nodes(t, text), shape); diff != "" {
		t.Errorf("%q:\n%s", text, diff)
	}
}
