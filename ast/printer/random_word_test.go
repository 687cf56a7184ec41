package printer_test

import (
	"strconv"

	"ftsh/ast"
)

// Random words, expressions and commands.

func integer(n int) *ast.Operand {
	return &ast.Operand{Word: bare(strconv.Itoa(n)), Int: int64(n), IsInt: true}
}

func reference(name string) *ast.Word {
	return &ast.Word{Parts: []ast.Part{&ast.Ref{Name: name, Var: ast.Var{Name: name}}}}
}

func value(w *ast.Word) *ast.Operand { return &ast.Operand{Word: w} }

// literal is a word without references.
func (g *grower) literal() *ast.Word {
	return &ast.Word{Parts: []ast.Part{pick(g, single, double, plain)(pick(g, "a", "lib/b", "é-1"))}}
}

func plain(text string) *ast.Lit  { return &ast.Lit{Text: text, Raw: text} }
func single(text string) *ast.Lit { return &ast.Lit{Text: text, Raw: text, Quote: ast.Single} }
func double(text string) *ast.Lit {
	return &ast.Lit{Text: text, Raw: text, Quote: ast.Double, Edge: ast.Edge{Open: true, Shut: true}}
}

// word is one that stands for one value where it is asked for.
func (g *grower) word() *ast.Word {
	switch g.IntN(6) {
	case 5:
		return &ast.Word{Parts: []ast.Part{g.output(ast.Bare)}}
	case 0:
		return &ast.Word{Parts: g.quoted()}
	case 1:
		return &ast.Word{Parts: []ast.Part{g.ref()}}
	case 2: // (a bare text after $name would be part of the name)
		return &ast.Word{Parts: []ast.Part{plain("a-"), g.ref(), single("end"), &ast.Lit{Text: " $", Raw: `\ \$`}}}
	}
	return &ast.Word{Parts: []ast.Part{pick(g, plain("a"), plain("x=1"), plain("-n"), single("a b\n$x \""),
		single(".limit."), double(""), &ast.Lit{Text: "#,", Raw: `\#\,`})}}
}

// argument is a word of a command, which may match the names of files.
func (g *grower) argument() *ast.Word {
	switch g.IntN(6) {
	case 0:
		glob := &ast.Glob{Pattern: pick(g, "*", "?", "[a-z]")}
		return &ast.Word{Parts: []ast.Part{&ast.Tilde{User: pick(g, "", "ann")}, plain("/a"), glob, plain(".c")}}
	case 1:
		return bare(pick(g, "end", "for", "try", ".limit.", ".pilots.", "a,", "matching", "x=", "if"))
	}
	return g.word()
}

// quoted is a string in double quotes, of several parts.
func (g *grower) quoted() []ast.Part {
	first := &ast.Lit{Text: "a \"\n", Raw: "a \\\"\n", Quote: ast.Double, Edge: ast.Edge{Open: true}}
	middle := g.ref()
	middle.Quote = ast.Double
	last := &ast.Lit{Text: " 'b'", Raw: " 'b'", Quote: ast.Double, Edge: ast.Edge{Shut: true}}
	if g.chance(2) {
		middle.Edge.Shut = true
		return []ast.Part{first, middle}
	}
	if g.chance(2) {
		return []ast.Part{first, g.output(ast.Double), last}
	}
	return []ast.Part{first, middle, last}
}

// output is a ${ command }. Few have another in them, and none a here-document or a variable that it sets.
func (g *grower) output(quote ast.Quote) *ast.Output {
	c := &ast.Command{Words: []*ast.Word{bare("date"), bare(pick(g, "+%F", "end"))}}
	if g.chance(4) {
		c.Words = append(c.Words, g.word())
	}
	if g.chance(4) {
		c.Redirects = []*ast.Redirect{{Op: ast.Out, FD: -1, Target: bare("file")}}
	}
	o := &ast.Output{Node: c, Quote: quote}
	if g.chance(3) {
		o.Node = &ast.Pipeline{Stages: []*ast.Command{c, {Words: []*ast.Word{bare("sort")}}},
			Joins: []ast.Join{{Stderr: g.chance(2), Broken: g.chance(2)}}}
	}
	return o
}

// ref is a reference, between braces or not.
func (g *grower) ref() *ast.Ref {
	r := pick(g,
		&ast.Ref{Name: "x", Var: ast.Var{Name: "x"}}, &ast.Ref{Kind: ast.Positional, Name: "1", Index: 1},
		&ast.Ref{Kind: ast.Count, Name: "#"}, &ast.Ref{Kind: ast.Arguments, Name: "@"},
		&ast.Ref{Kind: ast.Joined, Name: "*"}, &ast.Ref{Kind: ast.ProcessID, Name: "$"})
	switch {
	case g.chance(4):
		d := pick(g, ast.TryAttempt, ast.LastStderr, ast.ErrorSummary)
		return &ast.Ref{Kind: ast.Shell, Name: d.String(), Dotted: d, Braced: ast.Curly}
	case r.Kind != ast.Variable && r.Kind != ast.Positional:
		r.Braced = pick(g, ast.NoBrace, ast.Curly)
		return r
	case r.Kind == ast.Variable && g.chance(4):
		r.Braced = ast.Round
		return r
	}
	if g.chance(2) {
		return r
	}
	r.Braced = ast.Curly
	g.portion(r)
	return r
}

// portion adds what may follow the name between braces.
func (g *grower) portion(r *ast.Ref) {
	text := func() *ast.Lit { return &ast.Lit{Text: "a }'", Raw: `a \}'`, Quote: ast.Double} }
	r.Portion = ast.Portion(g.IntN(int(ast.AllReplaced) + 1))
	switch r.Portion {
	case ast.Length:
	case ast.Whole:
		if g.chance(2) {
			inner := g.ref()
			inner.Quote = ast.Double
			r.Default, r.Must = &ast.Word{Parts: []ast.Part{text(), inner}}, g.chance(2)
		}
	default:
		r.Pattern = &ast.Word{Parts: []ast.Part{&ast.Glob{Pattern: pick(g, "*", "?", "[!a]")}, text()}}
		if r.Portion >= ast.FirstReplaced {
			r.Pattern.Parts[1] = &ast.Lit{Text: "a }/", Raw: `a \}\/`, Quote: ast.Double}
			r.Instead = maybe(g, func() *ast.Word { return &ast.Word{Parts: []ast.Part{text(), g.ref()}} })
			if r.Instead != nil {
				r.Instead.Parts[1].(*ast.Ref).Quote = ast.Double
			}
		}
	}
}

// expr is an expression with the parentheses that it needs.
func (g *grower) expr() ast.Expr {
	if g.chance(8) {
		return g.bounds()
	}
	return g.binary(2)
}

func (g *grower) bounds() ast.Expr {
	r := &ast.Range{From: g.binary(2), To: g.binary(2)}
	if g.chance(2) {
		r.Step = g.binary(2)
	}
	return r
}

// binary is an expression whose operators bind at least as tightly as a precedence.
func (g *grower) binary(least int) ast.Expr {
	op := ast.Or + ast.Op(g.IntN(int(ast.Defined-ast.Or+1)))
	switch own := op.Precedence(); {
	case own < least || g.chance(2):
		return g.operand()
	case op.IsUnary():
		return &ast.Unary{Op: op, X: g.binary(own)}
	case own == 4:
		return &ast.Binary{Op: op, Left: g.binary(own + 1), Right: g.binary(own + 1)}
	case op == ast.Pow:
		return &ast.Binary{Op: op, Left: g.operand(), Right: g.operand()}
	default:
		return &ast.Binary{Op: op, Left: g.binary(own), Right: g.binary(own + 1)}
	}
}

func (g *grower) operand() ast.Expr {
	switch g.IntN(8) {
	case 0:
		return &ast.Paren{X: g.expr()}
	case 1:
		return &ast.Call{Name: pick(g, "f", "g"), Args: pick(g, nil, some(g, g.expr))}
	case 2, 3:
		return integer(pick(g, 0, 7, -7))
	}
	return value(g.word())
}

// item is one of a loop's list. A comma at its end is part of it.
func (g *grower) item() ast.Expr {
	switch g.IntN(4) {
	case 0:
		escaped := &ast.Word{Parts: []ast.Part{&ast.Lit{Text: "Y,", Raw: `Y\,`}}}
		return value(pick(g, bare("X,"), bare(","), bare("a,b"), escaped))
	case 1:
		return value(&ast.Word{Parts: []ast.Part{&ast.Glob{Pattern: "*"}, plain(".c")}})
	}
	return g.expr()
}

func (g *grower) command() *ast.Command {
	c := &ast.Command{Words: []*ast.Word{bare(pick(g, "echo", "/bin/if", "sort"))}}
	for range g.IntN(4) {
		c.Words = append(c.Words, g.argument())
	}
	if g.chance(3) {
		c.Redirects = some(g, g.redirect)
	}
	return c
}

func (g *grower) pipeline() *ast.Pipeline {
	n := &ast.Pipeline{Stages: append(some(g, g.command), g.command())}
	for range len(n.Stages) - 1 {
		n.Joins = append(n.Joins, ast.Join{Stderr: g.chance(2), Broken: g.chance(3)})
	}
	return n
}

func (g *grower) redirect() *ast.Redirect {
	r := &ast.Redirect{Op: ast.In + ast.RedirectOp(g.IntN(int(ast.HereTabs-ast.In+1))), FD: -1}
	switch r.Op {
	case ast.Atomic, ast.Both, ast.AppendBoth, ast.BothVar, ast.AppendBothVar:
	default:
		r.FD = pick(g, -1, 0, 3)
	}
	switch r.Op {
	case ast.DupOut, ast.DupIn:
		r.Dup = g.IntN(10)
	case ast.ToVar, ast.AppendVar, ast.BothVar, ast.AppendBothVar, ast.FromVar:
		r.Var = g.variable()
	case ast.Here, ast.HereTabs:
		g.document(r)
	default:
		r.Target = pick(g, bare("file"), g.word())
	}
	return r
}

// document adds a here-document.
func (g *grower) document(r *ast.Redirect) {
	if g.chance(2) {
		text := "$x 'a'\n"
		r.Target, r.Body = &ast.Word{Parts: []ast.Part{single("E 1")}}, &ast.Word{Parts: []ast.Part{single(text)}}
		return
	}
	inner := g.ref()
	inner.Quote = ast.Document
	line := func(text string) *ast.Lit { return &ast.Lit{Text: text, Raw: text, Quote: ast.Document} }
	r.Target, r.Body = bare("EOT"), &ast.Word{Parts: []ast.Part{line("\"end'\n"), inner, line("\n")}}
	if g.chance(2) {
		r.Body.Parts[1] = g.output(ast.Document)
	}
}
