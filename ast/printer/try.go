package printer

import "ftsh/ast"

// try prints a try, with its clauses in one order, whatever order they were written in.
func (p *printer) try(n *ast.Try) {
	p.text("try")
	p.limits(n)
	p.withPeriod("each", n.Each)
	p.withPeriod("every", n.Every)
	p.backoff(n.Backoff)
	p.on(n)
	p.withWord("via", n.Via)
	p.withWord("key", n.Key)
	p.block(&n.Body)
	p.optional("verify", n.Verify)
	p.optional("catch", n.Catch)
	p.optional("finally", n.Finally)
	p.end()
}

// limits prints `for 1 hour or 5 times`.
func (p *printer) limits(n *ast.Try) {
	keyword := "for"
	if n.For != nil {
		p.keyword(keyword, n.For.Terms[0].Amount.At(), "for", "or")
		p.period(n.For)
		keyword = "or"
	}
	if n.Times != nil {
		p.keyword(keyword, n.Times.At(), "for", "or")
		p.expr(n.Times)
		p.counted(n.Times, " time")
	}
}

// keyword prints the word that introduces what stands at a place, on a new line
// if it stood there. It may have been written in other words.
func (p *printer) keyword(word string, pos ast.Pos, written ...string) {
	p.gapBefore(foldedKeyword(pos, written...))
	p.text(word)
	p.text(" ")
}

// counted prints a noun after an amount.
func (p *printer) counted(amount ast.Expr, noun string) {
	p.text(noun)
	if o, ok := amount.(*ast.Operand); !ok || !o.IsInt || o.Int != 1 {
		p.text("s")
	}
}

// withPeriod prints a word and the time after it, if it is written.
func (p *printer) withPeriod(word string, t *ast.Period) {
	if t != nil {
		p.keyword(word, t.Pos, word)
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
		case ast.NoUnit:
		case ast.Millisecond:
			p.text(" ms")
		default:
			p.counted(term.Amount, " "+term.Unit.String())
		}
	}
}

func (p *printer) backoff(b *ast.Backoff) {
	if b == nil {
		return
	}
	p.gap(b.Pos)
	p.text("backoff ")
	p.text(b.Policy)
	p.withPeriod("from", b.From)
	p.withPeriod("to", b.To)
	p.withNumber("by", b.By)
	p.withNumber("jitter", b.Jitter)
}

// withNumber prints a word and the number after it, if it is written.
func (p *printer) withNumber(word string, e ast.Expr) {
	if e != nil {
		p.keyword(word, e.At(), word)
		p.expr(e)
	}
}

// on prints the clauses that sort failures.
func (p *printer) on(n *ast.Try) {
	switch {
	case n.On == nil:
	case n.On.Except:
		p.conditions("except on", n.On)
	default:
		p.conditions("only on", n.On)
	}
	if n.Unknown != nil {
		p.conditions("unknown on", n.Unknown)
	}
}

func (p *printer) conditions(words string, c *ast.Conditions) {
	p.gap(c.Pos)
	p.text(words)
	for _, condition := range c.List {
		if condition.Matching != nil {
			p.withWord("matching", condition.Matching)
		} else {
			p.text(" ")
			p.expr(condition.Value)
		}
	}
}

// withWord prints a word of the language and the script's word after it, if it is written.
func (p *printer) withWord(word string, w *ast.Word) {
	if w != nil {
		p.keyword(word, w.Pos, word)
		p.word(w)
	}
}

// Condition returns one condition of `only on` or its like as the printer writes it.
func Condition(c ast.Condition) string {
	p := printer{}
	if c.Matching != nil {
		p.text("matching ")
		p.word(c.Matching)
	} else {
		p.expr(c.Value)
	}
	return string(p.buf)
}
