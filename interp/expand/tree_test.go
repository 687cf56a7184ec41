package expand

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"ftsh/ast"
	"ftsh/ast/diag"
	"ftsh/interp/value"
)

// fake is a script's surroundings for tests.
type fake struct {
	vars     map[string]value.Value
	slots    []value.Value // of variables with a number, for benchmarks
	args     []string
	shell    map[ast.Dotted]string
	lists    map[ast.Dotted]*value.Sequence
	dir      string
	lenient  bool
	patterns *Patterns
	call     func(ctx context.Context, c *ast.Call, args []value.Value) (value.Value, error)
	output   func(o *ast.Output) (string, error)
}

func (f *fake) Variable(v *ast.Var) (value.Value, bool) {
	if f.slots != nil {
		return f.slots[v.Number], true
	}
	return f.Lookup(v.Name)
}

func (f *fake) Lookup(name string) (value.Value, bool) {
	v, ok := f.vars[name]
	return v, ok
}

func (f *fake) Parameter(n int) (value.Value, bool) {
	if n == 0 {
		return value.String("script"), true
	}
	if n > len(f.args) {
		return value.Value{}, false
	}
	return value.String(f.args[n-1]), true
}

func (f *fake) Shell(d ast.Dotted) (string, bool) {
	text, ok := f.shell[d]
	return text, ok
}

func (f *fake) ScriptDir(*ast.Source) (string, error) { return "/opt", nil }

func (f *fake) List(d ast.Dotted) *value.Sequence { return f.lists[d] }

func (f *fake) Parameters() ([]string, error) { return f.args, nil }
func (f *fake) PID() int                      { return 4711 }
func (f *fake) Stream(string) (int, bool)     { return 0, false }
func (f *fake) Lenient() bool                 { return f.lenient }
func (f *fake) Patterns() *Patterns           { return f.patterns }

func (f *fake) Output(o *ast.Output) (string, error) {
	if f.output == nil {
		return "", errors.New("no commands")
	}
	return f.output(o)
}

func (f *fake) At(name string) (int, string) {
	if f.dir != "" && !strings.HasPrefix(name, "/") {
		name = f.dir + "/" + name
	}
	return unix.AT_FDCWD, name
}

func (f *fake) Call(ctx context.Context, c *ast.Call, args []value.Value) (value.Value, error) {
	if f.call == nil {
		return value.Value{}, errors.New("no functions")
	}
	return f.call(ctx, c, args)
}

// with makes surroundings with those variables: name, value, name, value … Text that
// ends in a newline is captured output.
func with(pairs ...string) *fake {
	f := &fake{vars: map[string]value.Value{}, patterns: &Patterns{}}
	for i := 0; i < len(pairs); i += 2 {
		f.vars[pairs[i]] = value.String(pairs[i+1])
		if strings.HasSuffix(pairs[i+1], "\n") {
			f.vars[pairs[i]] = value.Captured(pairs[i+1])
		}
	}
	return f
}

// somewhere is the place of every node of the tests' trees.
var somewhere = ast.Pos{Line: 3, Column: 7}

// word joins parts: a string is bare text.
func word(parts ...any) *ast.Word {
	w := &ast.Word{Pos: somewhere}
	for _, part := range parts {
		if text, ok := part.(string); ok {
			part = &ast.Lit{Text: text, Raw: text}
		}
		w.Parts = append(w.Parts, part.(ast.Part))
	}
	return w
}

// quoted is text in double quotes.
func quoted(text string) *ast.Lit {
	return &ast.Lit{Text: text, Raw: text, Quote: ast.Double, Edge: ast.Edge{Open: true, Shut: true}}
}

func glob(pattern string) *ast.Glob { return &ast.Glob{Pattern: pattern} }

// ref is a bare reference, from what stands after the $.
func ref(name string) *ast.Ref {
	r := &ast.Ref{Pos: somewhere, Name: name}
	if d, ok := ast.LookupDotted(name); ok {
		r.Kind, r.Dotted = ast.Shell, d
		return r
	}
	if n, err := strconv.Atoi(name); err == nil {
		r.Kind, r.Index = ast.Positional, n
		return r
	}
	kinds := map[string]ast.RefKind{"#": ast.Count, "@": ast.Arguments, "*": ast.Joined, "$": ast.ProcessID}
	if kind, ok := kinds[name]; ok {
		r.Kind = kind
		return r
	}
	r.Var = ast.Var{Name: name}
	return r
}

// inQuotes is a reference in double quotes.
func inQuotes(name string) *ast.Ref {
	r := ref(name)
	r.Quote = ast.Double
	return r
}

// or gives a reference a default, whose text is in double quotes.
func or(r *ast.Ref, parts ...any) *ast.Ref {
	r.Default = word(parts...)
	for _, part := range r.Default.Parts {
		switch part := part.(type) {
		case *ast.Lit:
			part.Quote = ast.Double
		case *ast.Ref:
			part.Quote = ast.Double
		}
	}
	return r
}

// of makes an expression: of a word, a part, text, or a number as the parser
// treats numbers.
func of(x any) ast.Expr {
	switch x := x.(type) {
	case ast.Expr:
		return x
	case *ast.Word:
		return &ast.Operand{Word: x}
	case int:
		return &ast.Operand{Word: word(strconv.Itoa(x)), Int: int64(x), IsInt: true}
	}
	return &ast.Operand{Word: word(x)}
}

// op is `left .name. right`, or with one operand `.name. x`.
func op(name string, operands ...any) ast.Expr {
	o, ok := ast.LookupOp("." + name + ".")
	if !ok {
		panic(name)
	}
	if len(operands) == 1 {
		return &ast.Unary{Op: o, Pos: somewhere, X: of(operands[0])}
	}
	return &ast.Binary{Op: o, Pos: somewhere, Left: of(operands[0]), Right: of(operands[1])}
}

// to is a range, its step third.
func to(bounds ...any) ast.Expr {
	r := &ast.Range{Pos: somewhere, From: of(bounds[0]), To: of(bounds[1])}
	if len(bounds) > 2 {
		r.Step = of(bounds[2])
	}
	return r
}

func paren(x any) ast.Expr { return &ast.Paren{Pos: somewhere, X: of(x)} }

// call is `name(args)`.
func call(name string, args ...any) ast.Expr {
	c := &ast.Call{Pos: somewhere, Name: name}
	for _, arg := range args {
		c.Args = append(c.Args, of(arg))
	}
	return c
}

// wantFault checks that err is a *diag.Error with a place and that message.
func wantFault(t *testing.T, err error, message string) {
	t.Helper()
	var d *diag.Error
	if !errors.As(err, &d) {
		t.Fatalf("error %v, want a *diag.Error: %s", err, message)
	}
	if d.Message != message {
		t.Errorf("message: %s\n   want: %s", d.Message, message)
	}
	if !d.Pos.IsValid() {
		t.Errorf("%s: the place is not known", message)
	}
}
