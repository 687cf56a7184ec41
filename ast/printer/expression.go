package printer

import "ftsh/ast"

// expr prints an expression. Chains of operators that lean to the left, as
// `1 .add. 1 .add. 1 …` does, are as deep as they are long, so they are not
// descended into one by one.
func (p *printer) expr(e ast.Expr) {
	var chain []*ast.Binary
	for {
		b, ok := e.(*ast.Binary)
		if !ok {
			break
		}
		chain = append(chain, b)
		e = b.Left
	}
	p.operand(e)
	for i := len(chain) - 1; i >= 0; i-- {
		p.infix(chain[i].Pos, chain[i].Op.String())
		p.expr(chain[i].Right)
	}
}

// infix prints an operator between two operands.
func (p *printer) infix(pos ast.Pos, op string) {
	p.gap(pos)
	p.text(op)
	p.text(" ")
}

// operand prints an expression that is no binary operation.
func (p *printer) operand(e ast.Expr) {
	for {
		u, ok := e.(*ast.Unary)
		if !ok {
			break
		}
		p.text(u.Op.String())
		p.text(" ")
		e = u.X
	}
	switch e := e.(type) {
	case *ast.Operand:
		p.word(e.Word)
	case *ast.Binary:
		p.expr(e)
	case *ast.Range:
		p.bounds(e)
	case *ast.Call:
		p.call(e)
	case *ast.Paren:
		p.text("(")
		p.expr(e.X)
		p.text(")")
	}
}

// bounds prints `1 .to. 9 .step. 2`.
func (p *printer) bounds(r *ast.Range) {
	p.expr(r.From)
	p.infix(r.Pos, ".to.")
	p.expr(r.To)
	if r.Step != nil {
		p.text(" .step. ")
		p.expr(r.Step)
	}
}

func (p *printer) call(c *ast.Call) {
	p.text(c.Name)
	p.text("(")
	for i, arg := range c.Args {
		if i > 0 {
			p.text(", ")
		}
		p.expr(arg)
	}
	p.text(")")
}
