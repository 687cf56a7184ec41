package parser

import (
	"strings"

	"ftsh/ast"
	"ftsh/lexer"
)

// clauses makes the limits and clauses of a try, and sees that they go together.
func (b *builder) clauses(t *ast.Try, c *clauses) {
	if c == nil {
		return
	}
	for i, clause := range c.list {
		clause.add(b, t, c.word[i])
	}
	for _, word := range c.word {
		switch word.Value {
		case "every", "backoff", "only", "except":
			if !t.Limited() {
				b.errorf(b.pos(word), "%s is for a try that repeats; give it a limit, such as for 30 minutes or 5 times", word.Value)
				return
			}
		}
		if word.Value == "via" && t.For == nil {
			b.errorf(b.pos(word), "via is for a try with a time limit, since it may have to wait; give it one, such as for 1 hour")
		}
		if word.Value == "backoff" && t.Every != nil {
			b.errorf(b.pos(word), "every and backoff in one try: it can wait by one of them only")
		}
	}
}

// once reports a clause that stands there a second time.
func (b *builder) once(word *token, before bool) {
	if before {
		b.errorf(b.pos(word), "a second %s in one line", word.Value)
	}
}

// add puts limits into a try.
func (l *limits) add(b *builder, t *ast.Try, first *token) {
	if is(first, lexer.Clause, "for") && t.Limited() {
		b.once(first, true)
	}
	joined := false // the amount before was of time, too
	for i := range l.list {
		a := &l.list[i]
		x := b.climb(&a.value, false)
		if a.unit != nil && a.unit.Type == lexer.Clause {
			if t.Times != nil {
				b.errorf(x.At(), "a second number of attempts in one try")
			}
			t.Times, joined = x, false
			continue
		}
		if (i+1 == len(l.list) || !misspelt(a, &l.list[i+1])) && !b.hasUnit(a, x, "5 minutes or 5 times") {
			return
		}
		switch {
		case t.For == nil:
			t.For = &ast.Period{Pos: x.At()}
		case !joined || a.or:
			b.errorf(x.At(), "a second time limit in one try")
		}
		t.For.Terms = append(t.For.Terms, ast.Term{Amount: x, Unit: unit(a.unit)})
		joined = true
	}
}

// period makes a length of time.
func (b *builder) period(p *period) *ast.Period {
	out := &ast.Period{}
	for i := range p.terms {
		a := &p.terms[i]
		x := b.climb(&a.value, false)
		b.hasUnit(a, x, "5 minutes")
		out.Terms = append(out.Terms, ast.Term{Amount: x, Unit: unit(a.unit)})
	}
	if len(out.Terms) > 0 {
		out.Pos = out.Terms[0].Amount.At()
	}
	return out
}

// hasUnit reports an amount without a unit, unless a variable or a function may
// supply it, or it is a word such as 90s.
func (b *builder) hasUnit(a *amount, x ast.Expr, example string) bool {
	if a.unit != nil {
		return true
	}
	switch x := x.(type) {
	case *ast.Operand:
		text, literal := x.Word.Literal()
		switch {
		case !literal || isTime(text):
			return true
		case isNumber(text):
			b.errorf(x.At(), "%s of what? write the unit, such as %s", text, example)
		default:
			b.unknownClause(x.At(), text)
		}
		return false
	case *ast.Call:
		return true
	}
	b.errorf(x.At(), "the amount needs its unit, such as %s", example)
	return false
}

// misspelt tells whether the word after a number was probably meant as its unit;
// it is reported in its turn.
func misspelt(number, next *amount) bool {
	text := next.value.tokens[0].Value
	return next.unit == nil && len(next.value.tokens) == 1 && isNumber(number.value.tokens[0].Value) &&
		isPlain(text) && !isNumber(text) && !isTime(text)
}

// isTime tells whether a word is a time with its units, such as 1h30m.
func isTime(s string) bool {
	for s != "" {
		n := len(s) - len(strings.TrimLeft(s, "0123456789."))
		if !isNumber(s[:n]) {
			return false
		}
		s = s[n:]
		switch {
		case strings.HasPrefix(s, "ms"):
			s = s[2:]
		case s != "" && strings.IndexByte("smhd", s[0]) >= 0:
			s = s[1:]
		default:
			return false
		}
	}
	return true
}

// isNumber tells whether a text is a decimal number, perhaps with a sign.
func isNumber(s string) bool {
	s = strings.TrimPrefix(s, "-")
	whole, fraction, dotted := strings.Cut(s, ".")
	return isDigits(whole) && (!dotted || isDigits(fraction)) && whole+fraction != ""
}

// isDigits tells whether there is nothing but digits in a text.
func isDigits(s string) bool { return strings.Trim(s, "0123456789") == "" }

func unit(t *token) ast.Unit {
	if t == nil {
		return ast.NoUnit
	}
	switch strings.TrimSuffix(t.Value, "s") {
	case "m", "millisecond":
		if t.Value == "m" {
			return ast.Minute
		}
		return ast.Millisecond
	case "", "second":
		return ast.Second
	case "minute":
		return ast.Minute
	case "h", "hour":
		return ast.Hour
	}
	return ast.Day
}

// policy sees that a backoff policy is known.
func (b *builder) policy(t *token) string {
	policies := []string{"ethernet", "thain", "full", "equal", "decorrelated", "additive", "normal", "exact", "fixed"}
	for _, p := range policies {
		if p == t.Value {
			return p
		}
	}
	b.errorf(b.pos(t), "no backoff policy is called %s%s; there are %s", quoted(t.Value), nearest(t.Value, policies), strings.Join(policies, " "))
	return t.Value
}

// settings makes what follows the policy.
func (b *builder) settings(out *ast.Backoff, s *settings) {
	for i := range s.list {
		next := &s.list[i]
		switch next.word.Value {
		case "from":
			b.once(next.word, out.From != nil)
			out.From = b.period(&next.time)
		case "to":
			b.once(next.word, out.To != nil)
			out.To = b.period(&next.time)
		case "by":
			b.once(next.word, out.By != nil)
			out.By = b.climb(&next.number, false)
		case "jitter":
			b.once(next.word, out.Jitter != nil)
			out.Jitter = b.climb(&next.number, false)
		}
	}
}

// conditions makes the list of an only on or except on.
func (b *builder) conditions(c *conditionList) []ast.Condition {
	list := make([]ast.Condition, 0, len(c.list))
	for i := range c.list {
		next := &c.list[i]
		if next.matching != nil {
			list = append(list, ast.Condition{Matching: b.word(next.matching, false)})
			continue
		}
		x := b.climb(&next.value, false)
		switch x := x.(type) {
		case *ast.Operand:
			b.condition(x)
		case *ast.Range:
			if o, ok := x.To.(*ast.Operand); ok && !o.IsInt {
				b.comma(o)
			}
		}
		list = append(list, ast.Condition{Value: x})
	}
	return list
}

// comma reports a comma after a condition.
func (b *builder) comma(o *ast.Operand) bool {
	text, literal := o.Word.Literal()
	if !literal || !strings.HasSuffix(text, ",") {
		return false
	}
	b.errorf(o.At(), "a comma after a condition; set conditions off by blanks alone")
	return true
}

// condition sees that a literal condition can hold at all.
func (b *builder) condition(o *ast.Operand) {
	text, literal := o.Word.Literal()
	if !literal || o.IsInt || b.comma(o) {
		return
	}
	kinds := []string{"exit", "signal", "missing", "system", "timeout", "cancelled", "redirect", "failure", "error"}
	for _, k := range kinds {
		if k == text {
			return
		}
	}
	b.errorf(o.At(), "no kind of failure is called %s%s; there are %s, exit statuses, and matching PATTERN",
		quoted(text), nearest(text, kinds), strings.Join(kinds, " "))
}

// unknownClause reports a word that is neither a limit nor a clause.
func (b *builder) unknownClause(pos ast.Pos, text string) {
	near := nearest(text, []string{"for", "times", "each", "every", "backoff", "only", "except", "unknown", "via", "key", "minutes", "seconds",
		"hours", "days", "from", "jitter", "milliseconds"})
	if near == "" {
		near = "; the group begins on the next line"
	}
	b.errorf(pos, "expected a limit (30 minutes, 5 times) or a clause (each, every, backoff, only on, except on, unknown on, via, key), not %s%s",
		quoted(text), near)
}
