package printer

import (
	"io"
	"strings"

	"ftsh/ast"
)

// Print writes a script in canonical form. The error is that of w.
func Print(w io.Writer, file *ast.File) error {
	p := printer{w: w}
	p.list(&file.Body)
	p.flush()
	return p.err
}

// Code gives statements in canonical form, without comments, blank lines and line breaks within a statement: texts that
// mean the same, however they are laid out, give the same.
func Code(list ...ast.Stmt) string {
	var text strings.Builder
	p := printer{w: &text, bare: true}
	p.list(&ast.Group{List: list})
	p.flush()
	return text.String()
}

// deepest is the deepest indentation, in blocks. Without a limit, deeply nested
// scripts would grow with the square of their depth.
const deepest = 40

// chunk limits the text that is kept before it is written, in bytes.
const chunk = 32 << 10

// printer writes one script. Text is collected line by line; here-documents wait
// for the end of the line that begins them.
type printer struct {
	w         io.Writer
	err       error
	buf       []byte
	depth     int // of the blocks around the present line
	documents []*ast.Redirect
	bare      bool // without comments, blank lines and line breaks within a statement
}

// flush writes what was collected.
func (p *printer) flush() {
	if p.err == nil && len(p.buf) > 0 {
		_, p.err = p.w.Write(p.buf)
	}
	p.buf = p.buf[:0]
}

func (p *printer) text(s string) { p.buf = append(p.buf, s...) }

// indent begins a line.
func (p *printer) indent(depth int) {
	for range min(depth, deepest) {
		p.text("    ")
	}
}

// newline ends a line, with a comment if there is one.
func (p *printer) newline(comment string) {
	if comment != "" && !p.bare {
		p.text(" ")
		p.text(comment)
	}
	if n := len(p.buf); n > 0 && p.buf[n-1] == '\r' {
		p.text(" ") // this CR is part of a word, not of the line's end
	}
	p.text("\n")
	for _, r := range p.documents {
		p.document(r)
	}
	p.documents = p.documents[:0]
	if len(p.buf) >= chunk {
		p.flush()
	}
}

// block prints a group after the words that open it, one step further in.
func (p *printer) block(g *ast.Group) {
	p.newline(g.After)
	p.depth++
	p.list(g)
	p.depth--
}

// list prints the statements of a group.
func (p *printer) list(g *ast.Group) {
	for i := range g.List {
		p.stmt(&g.List[i])
	}
	p.comments(g.Tail)
}

func (p *printer) comments(list []ast.Comment) {
	if p.bare {
		return
	}
	for _, c := range list {
		p.blank(c.Blank)
		p.indent(p.depth)
		p.text(c.Text)
		p.newline("")
	}
}

func (p *printer) blank(wanted bool) {
	if wanted && !p.bare {
		p.text("\n")
	}
}

// stmt prints a statement with its comments.
func (p *printer) stmt(s *ast.Stmt) {
	p.comments(s.Before)
	p.blank(s.Blank)
	p.indent(p.depth)
	p.node(s.Node)
	for _, r := range s.Redirects {
		p.gap(r.Pos)
		p.redirect(r)
	}
	p.newline(s.After)
}

func (p *printer) node(node ast.Node) {
	switch n := node.(type) {
	case *ast.Assign:
		p.assign(n.Var.Name, n.Value)
	case *ast.Command:
		p.command(n)
	case *ast.Pipeline:
		p.pipeline(n)
	case *ast.Try:
		p.try(n)
	case *ast.For:
		p.loop(n)
	case *ast.While:
		p.while(n)
	case *ast.If:
		p.conditional(n)
	case *ast.On:
		p.engine(n)
	case *ast.Function:
		p.function(n)
	case *ast.Break:
		p.text("break")
	case *ast.Continue:
		p.text("continue")
	case *ast.Return:
		p.simple("return", n.Value)
	case *ast.Shift:
		p.simple("shift", n.By)
	case *ast.Export:
		p.declaration("export ", n.Var.Name, n.Assign, n.Value)
	case *ast.Local:
		p.declaration("local ", n.Var.Name, n.Assign, n.Value)
	case *ast.Secret:
		p.text("secret")
		for _, v := range n.Vars {
			p.text(" " + v.Name)
		}
	case *ast.SourceFile:
		p.text("source ")
		p.word(n.Path)
	case *ast.Resource, *ast.Slots, *ast.Budget, *ast.Breaker, *ast.Sense:
		p.resource(node)
	case *ast.Bad:
		p.text(n.Text)
	}
}

// assign prints `name=expr`.
func (p *printer) assign(name string, value ast.Expr) {
	p.text(name)
	p.text("=")
	if value != nil {
		p.expr(value)
	}
}

// simple prints a keyword and an expression, if there is one.
func (p *printer) simple(keyword string, value ast.Expr) {
	p.text(keyword)
	if value != nil {
		p.text(" ")
		p.expr(value)
	}
}

// declaration prints `export name` or `export name=expr`.
func (p *printer) declaration(keyword, name string, assign bool, value ast.Expr) {
	p.text(keyword)
	if assign {
		p.assign(name, value)
	} else {
		p.text(name)
	}
}
