package printer

import "ftsh/ast"

func (p *printer) try(n *ast.Try) {
	p.text("try")
	p.limits(n)
	p.clause(" each ", n.Each)
	p.clause(" every ", n.Every)
	p.backoff(n.Backoff)
	p.on(n)
	p.named(" via ", n.Via)
	p.named(" key ", n.Key)
	p.block(&n.Body)
	p.optional("verify", n.Verify)
	p.optional("catch", n.Catch)
	p.optional("finally", n.Finally)
	p.end()
}

// limits prints `for 1 hour or 5 times`.
func (p *printer) limits(n *ast.Try) {
	p.clause(" for ", n.For)
	if n.Times == nil {
		return
	}
	if n.For == nil {
		p.text(" for ")
	} else {
		p.text(" or ")
	}
	p.expr(n.Times)
	p.counted(n.Times, " time")
}

// counted prints a noun after an amount.
func (p *printer) counted(amount ast.Expr, noun string) {
	p.text(noun)
	if o, ok := amount.(*ast.Operand); !ok || !o.IsInt || o.Int != 1 {
		p.text("s")
	}
}

func (p *printer) clause(keyword string, t *ast.Period) {
	if t != nil {
		p.text(keyword)
		p.period(t)
	}
}

// period prints a length of time: `1 hour 30 minutes`.
func (p *printer) period(t *ast.Period) {
	for i, term := range t.Terms {
		if i > 0 {
			p.text(" ")
		}
		p.expr(term.Amount)
		switch term.Unit {
		case ast.Millisecond:
			p.text(" ms")
		case ast.Second:
			p.counted(term.Amount, " second")
		case ast.Minute:
			p.counted(term.Amount, " minute")
		case ast.Hour:
			p.counted(term.Amount, " hour")
		case ast.Day:
			p.counted(term.Amount, " day")
		}
	}
}

func (p *printer) backoff(b *ast.Backoff) {
	if b == nil {
		return
	}
	p.text(" backoff ")
	p.text(b.Policy)
	p.clause(" from ", b.From)
	p.clause(" to ", b.To)
	if b.By != nil {
		p.simple(" by", b.By)
	}
	if b.Jitter != nil {
		p.simple(" jitter", b.Jitter)
	}
}

// on prints the clauses that sort failures.
func (p *printer) on(n *ast.Try) {
	switch {
	case n.On == nil:
	case n.On.Except:
		p.conditions(" except on", n.On)
	default:
		p.conditions(" only on", n.On)
	}
	if n.Unknown != nil {
		p.conditions(" unknown on", n.Unknown)
	}
}

func (p *printer) conditions(keyword string, c *ast.Conditions) {
	p.text(keyword)
	for _, condition := range c.List {
		if condition.Matching != nil {
			p.named(" matching ", condition.Matching)
		} else {
			p.simple("", condition.Value)
		}
	}
}

func (p *printer) named(keyword string, w *ast.Word) {
	if w != nil {
		p.text(keyword)
		p.word(w)
	}
}
