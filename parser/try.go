package parser

import (
	"ftsh/ast"
	"ftsh/lexer"
)

// tryHead makes the limits and clauses of a try.
func (b *builder) tryHead(t *ast.Try, head *tryHead, first *token) {
	if head == nil {
		return
	}
	for _, c := range head.Clauses {
		switch {
		case c.Each != nil:
			t.Each = b.period(c.Each, first)
		case c.Every != nil:
			t.Every = b.period(c.Every, first)
		case c.Backoff != nil:
			t.Backoff = b.backoff(c.Backoff)
		case c.On != nil:
			on := b.conditions(c.On)
			if c.On.Word.Value == "unknown" {
				t.Unknown = on
			} else {
				t.On = on
			}
		case c.Via.Type != 0:
			b.notYet(&c.Via)
			t.Via = b.word(&c.Via, false)
		case c.Key.Type != 0:
			b.notYet(&c.Key)
			t.Key = b.word(&c.Key, false)
		case c.Limits != nil:
			b.limits(t, c.Limits)
		}
	}
}

// limits makes the time limit and the attempt limit.
func (b *builder) limits(t *ast.Try, l *limits) {
	for _, a := range l.Amounts {
		x := b.expression(&a.Value)
		if a.Unit.Type == lexer.Clause {
			t.Times = x
			continue
		}
		if t.For == nil {
			t.For = &ast.Period{Pos: x.At()}
		}
		t.For.Terms = append(t.For.Terms, ast.Term{Amount: x, Unit: unit(a.Unit.Value)})
	}
}

// period makes a length of time.
func (b *builder) period(p *period, first *token) *ast.Period {
	out := &ast.Period{Pos: b.pos(&p.Terms[0].amount.tokens[0])}
	for _, t := range p.Terms {
		term := ast.Term{Amount: b.expression(&t.amount)}
		if t.unit != nil {
			term.Unit = unit(t.unit.Value)
		}
		out.Terms = append(out.Terms, term)
	}
	return out
}

func unit(word string) ast.Unit {
	switch word {
	case "ms", "millisecond", "milliseconds":
		return ast.Millisecond
	case "s", "second", "seconds":
		return ast.Second
	case "m", "minute", "minutes":
		return ast.Minute
	case "h", "hour", "hours":
		return ast.Hour
	case "d", "day", "days":
		return ast.Day
	}
	return ast.NoUnit
}

// backoff makes a backoff clause.
func (b *builder) backoff(s *backoff) *ast.Backoff {
	out := &ast.Backoff{Pos: b.pos(&s.Policy), Policy: s.Policy.Value}
	for _, p := range s.Parts {
		switch {
		case p.From != nil:
			out.From = b.period(p.From, &s.Policy)
		case p.To != nil:
			out.To = b.period(p.To, &s.Policy)
		case p.By != nil:
			out.By = b.expression(p.By)
		case p.Jitter != nil:
			out.Jitter = b.expression(p.Jitter)
		}
	}
	return out
}

// conditions makes a list of conditions.
func (b *builder) conditions(s *conditions) *ast.Conditions {
	out := &ast.Conditions{Pos: b.pos(&s.Word), Except: s.Word.Value == "except"}
	for _, c := range s.List {
		if c.Value == nil {
			out.List = append(out.List, ast.Condition{Matching: b.word(&c.Matching, false)})
			continue
		}
		out.List = append(out.List, ast.Condition{Value: b.expression(c.Value)})
	}
	return out
}
