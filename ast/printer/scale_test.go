package printer_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"ftsh/ast"
	"ftsh/ast/printer"
)

func bare(text string) *ast.Word {
	return &ast.Word{Parts: []ast.Part{&ast.Lit{Text: text, Raw: text}}}
}

func number(text string) ast.Expr { return &ast.Operand{Word: bare(text)} }

func command(words ...string) *ast.Command {
	c := &ast.Command{}
	for _, w := range words {
		c.Words = append(c.Words, bare(w))
	}
	return c
}

func printNodes(t testing.TB, nodes ...ast.Node) string {
	t.Helper()
	f := &ast.File{}
	for _, n := range nodes {
		f.Body.List = append(f.Body.List, ast.Stmt{Node: n})
	}
	var b strings.Builder
	if err := printer.Print(&b, f); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestDepth prints the deepest nesting that the parser lets pass, of each kind:
// the stack must do, and the text must not grow with the square of the depth.
func TestDepth(t *testing.T) {
	const depth = 10000
	var block ast.Node = command("true")
	var paren ast.Expr = number("1")
	var not, call = paren, paren
	fallback := bare("x")
	for range depth {
		block = &ast.While{Test: ast.Test{Expr: number("true")}, Body: ast.Group{List: []ast.Stmt{{Node: block}}}}
		paren = &ast.Paren{X: paren}
		not = &ast.Unary{Op: ast.Not, X: not}
		call = &ast.Call{Name: "f", Args: []ast.Expr{call}}
		fallback = &ast.Word{Parts: []ast.Part{&ast.Ref{Name: "x", Braced: ast.Curly, Default: fallback}}}
	}
	text := printNodes(t, block, &ast.Return{Value: paren}, &ast.Return{Value: not}, &ast.Return{Value: call},
		&ast.Command{Words: []*ast.Word{fallback}})
	if len(text) > depth*450 {
		t.Errorf("%d bytes", len(text))
	}
	for what, want := range map[string]int{"while true\n": depth, "(": 2 * depth, ".not. ": depth, "${x:-": depth} {
		if got := strings.Count(text, what); got != want {
			t.Errorf("%d times %q, want %d", got, what, want)
		}
	}
}

// TestChains prints expressions that are long, not deep.
func TestChains(t *testing.T) {
	const long = 200_000
	sum := number("1")
	for range long {
		sum = &ast.Binary{Op: ast.Add, Left: sum, Right: number("1")}
	}
	not := number("true")
	for range long {
		not = &ast.Unary{Op: ast.Not, X: not}
	}
	text := printNodes(t, &ast.Return{Value: sum}, &ast.Return{Value: not})
	if got := strings.Count(text, ".add. ") + strings.Count(text, ".not. "); got != 2*long {
		t.Errorf("%d operators, want %d", got, 2*long)
	}
}

// failing refuses everything.
type failing struct{ calls int }

var errFull = errors.New("full")

func (f *failing) Write([]byte) (int, error) {
	f.calls++
	return 0, errFull
}

func TestWriteError(t *testing.T) {
	file := &ast.File{}
	for range 100_000 {
		file.Body.List = append(file.Body.List, ast.Stmt{Node: command("echo", "something")})
	}
	w := &failing{}
	if err := printer.Print(w, file); err != errFull || w.calls != 1 {
		t.Errorf("error %v after %d writes", err, w.calls)
	}
}

func BenchmarkPrint(b *testing.B) {
	body := []ast.Stmt{
		{Node: &ast.Assign{Var: ast.Var{Name: "x"}, Value: &ast.Binary{Op: ast.Add, Left: number("1"), Right: number("2")}}},
		{Node: command("cp", "--archive", "/home/user", "/backup"), After: "# copy"},
	}
	file := &ast.File{}
	for range 10_000 {
		file.Body.List = append(file.Body.List, ast.Stmt{Node: &ast.Try{Times: number("5"), Body: ast.Group{List: body}}})
	}
	var size countingWriter
	if err := printer.Print(&size, file); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		if err := printer.Print(io.Discard, file); err != nil {
			b.Fatal(err)
		}
	}
}

type countingWriter int64

func (c *countingWriter) Write(p []byte) (int, error) {
	*c += countingWriter(len(p))
	return len(p), nil
}
