package printer

import "ftsh/ast"

// command prints words and redirections in the order in which they were written:
// in `> log try x` the word `try` is a program's name because something stands
// before it.
func (p *printer) command(c *ast.Command) {
	words, redirects := c.Words, c.Redirects
	for i := 0; len(words)+len(redirects) > 0; i++ {
		if len(words) == 0 || len(redirects) > 0 && earlier(redirects[0].Pos, words[0].Pos) {
			if i > 0 {
				p.gap(redirects[0].Pos)
			}
			p.redirect(redirects[0])
			redirects = redirects[1:]
			continue
		}
		if i > 0 {
			p.text(" ")
			p.word(words[0])
		} else {
			p.parts(words[0]) // it begins a line as it is
		}
		words = words[1:]
	}
}

// earlier reports whether a place that is known stands before another.
func earlier(a, b ast.Pos) bool {
	return a.IsValid() && b.IsValid() && a.Offset < b.Offset
}

func (p *printer) pipeline(n *ast.Pipeline) {
	for i, stage := range n.Stages {
		p.command(stage)
		if i < len(n.Joins) {
			p.join(n.Joins[i])
		}
	}
}

// join prints the bar between two stages.
func (p *printer) join(j ast.Join) {
	if j.Stderr {
		p.text(" |&")
	} else {
		p.text(" |")
	}
	if j.Broken && !p.bare {
		p.newline("")
		p.indent(p.depth + 1)
		return
	}
	p.text(" ")
}

func (p *printer) redirect(r *ast.Redirect) {
	if r.FD >= 0 {
		p.digit(r.FD)
	}
	p.text(operator(r.Op))
	switch r.Op {
	case ast.DupOut, ast.DupIn:
		p.digit(r.Dup)
	case ast.ToVar, ast.AppendVar, ast.BothVar, ast.AppendBothVar, ast.FromVar:
		p.text(" ")
		p.text(r.Var.Name)
	case ast.Here, ast.HereTabs:
		p.documents = append(p.documents, r)
		fallthrough
	default:
		p.text(" ")
		p.word(r.Target)
	}
}

// operator returns a redirection's operator as it is written. After `>&` a digit would
// be a descriptor, after `&>` everything is a file.
func operator(op ast.RedirectOp) string {
	switch op {
	case ast.Both:
		return "&>"
	case ast.AppendBoth:
		return "&>>"
	}
	return op.String()
}

func (p *printer) digit(n int) { p.buf = append(p.buf, byte('0'+n)) }

// document prints the body of a here-document and the line that ends it.
func (p *printer) document(r *ast.Redirect) {
	if r.Body != nil {
		p.body(r.Body)
	}
	if text, ok := r.Target.Literal(); ok {
		p.raw(text + "\n")
		return
	}
	p.parts(r.Target)
	p.text("\n")
}

// body prints text between no quotes, also that of a quoted here-document.
func (p *printer) body(w *ast.Word) {
	for _, part := range w.Parts {
		switch part := part.(type) {
		case *ast.Lit:
			p.raw(part.Raw)
		case *ast.Ref:
			p.reference(part)
		case *ast.Output:
			p.output(part)
		}
	}
}
