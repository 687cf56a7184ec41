package printer

import (
	"strings"

	"ftsh/ast"
)

// word prints a word as it was written, on a new line if it stood there.
func (p *printer) word(w *ast.Word) {
	if w.Broken {
		p.fold()
	}
	p.parts(w)
}

// parts prints what a word, a default or a here-document consists of.
func (p *printer) parts(w *ast.Word) {
	for _, part := range w.Parts {
		switch part := part.(type) {
		case *ast.Lit:
			p.literal(part)
		case *ast.Ref:
			p.quoted(part.Edge.Open)
			p.reference(part)
			p.quoted(part.Edge.Shut)
		case *ast.Output:
			p.quoted(part.Edge.Open)
			p.output(part)
			p.quoted(part.Edge.Shut)
		case *ast.Glob:
			p.text(part.Pattern)
		case *ast.Tilde:
			p.text("~")
			p.text(part.User)
		}
	}
}

func (p *printer) literal(l *ast.Lit) {
	if l.Quote == ast.Single {
		p.text("'")
		p.raw(l.Raw)
		p.text("'")
		return
	}
	p.quoted(l.Edge.Open)
	p.raw(l.Raw)
	p.quoted(l.Edge.Shut)
}

// raw prints text as it was written. The end of a line is LF, and CRLF is read as
// LF, so a CR that does stand before it needs another one.
func (p *printer) raw(text string) {
	if strings.Contains(text, "\r\n") {
		text = strings.ReplaceAll(text, "\r\n", "\r\r\n")
	}
	p.text(text)
}

// quoted prints a double quote if one stands there.
func (p *printer) quoted(edge bool) {
	if edge {
		p.text(`"`)
	}
}

// output prints ${ command }. A here-document of the line around comes after that line, not in it.
func (p *printer) output(o *ast.Output) {
	outside := p.documents
	p.documents = nil
	p.text("${ ")
	p.node(o.Node)
	p.text(" }")
	p.documents = outside
}

func (p *printer) reference(r *ast.Ref) {
	switch r.Braced {
	case ast.NoBrace:
		p.text("$")
		p.text(r.Name)
		return
	case ast.Round:
		p.text("$(")
		p.text(r.Name)
		p.text(")")
		return
	}
	p.text("${")
	if r.Portion == ast.Length {
		p.text("#")
	}
	p.text(r.Name)
	switch {
	case r.Default != nil && r.Must:
		p.text(":?")
		p.parts(r.Default)
	case r.Default != nil:
		p.text(":-")
		p.parts(r.Default)
	case r.Pattern != nil:
		p.text(r.Portion.String())
		p.parts(r.Pattern)
	}
	if r.Instead != nil {
		p.text("/")
		p.parts(r.Instead)
	}
	p.text("}")
}
