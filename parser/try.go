package parser

import (
	"slices"
	"strings"

	"ftsh/ast"
	backoffs "ftsh/backoff"
	"ftsh/lexer"
)

// readHeader reads the first line of a try: its limits and clauses. It reports the first
// clause that does not go with the rest.
func (b *builder) readHeader() (*ast.Try, error) {
	t := &ast.Try{}
	var words []*token // the first of each clause
	for !endsLine(b.peekToken()) {
		first := b.peekToken()
		if err := b.grammar.clause(first)(b, first, t); err != nil {
			return t, err
		}
		words = append(words, first)
	}
	for _, word := range words {
		if message := whyUnfit(t, word.Value); message != "" {
			b.errorf(b.posOf(word), "%s", message)
			break
		}
	}
	return t, nil
}

// whyUnfit returns why a clause does not go with the rest of the line; "" if it does.
func whyUnfit(t *ast.Try, clause string) string {
	switch clause {
	case "every", "backoff", "only", "except":
		if !t.Limited() {
			return clause + " is for a try that repeats; give it a limit, such as for 30 minutes or 5 times"
		}
	case "via":
		if t.For == nil {
			return "via is for a try with a time limit, since it may have to wait; give it one, such as for 1 hour"
		}
	}
	if clause == "backoff" && t.Every != nil {
		return "every and backoff in one try: it can wait by one of them only"
	}
	return ""
}

// checkOnce reports a clause that stands there a second time.
func (b *builder) checkOnce(word *token, before bool) {
	if before {
		b.errorf(b.posOf(word), "a second %s in one line", word.Value)
	}
}

// amount is a number and what it counts: a unit of time, times, or nothing.
type amount struct {
	ast.Term
	times bool // a number of attempts
	or    bool // stands before it
	last  bool // of a list of limits
}

// isAmount reports whether an amount begins with a token.
func isAmount(t *token) bool { return isOperand(t) || t.Type == lexer.Operator }

func (b *builder) readAmount() (a amount, err error) {
	if !isAmount(b.peekToken()) {
		return a, b.wantedHere("a limit or a clause")
	}
	a.Amount, err = b.expression(false)
	switch t := b.peekToken(); {
	case t.Type == lexer.Unit:
		a.Unit = ast.LookupUnit(b.nextToken().Value)
	case isToken(t, lexer.Clause, "times", "time"):
		a.times = true
		b.nextToken()
	}
	return a, err
}

// secondFor reports a for after limits that stand there already.
func (b *builder) secondFor(word *token) {
	for i := b.i - 2; i >= 0 && b.tokens[i].Pos.Line == word.Pos.Line; i-- {
		if isToken(&b.tokens[i], lexer.Clause, "for") {
			b.checkOnce(word, true)
			return
		}
	}
	b.errorf(b.posOf(word), "for after a limit; write all limits together, such as  try for 3 minutes or 5 times")
}

// readLimits reads `[for] 30 minutes or 5 times`.
func (b *builder) readLimits(first *token, t *ast.Try) error {
	if isToken(first, lexer.Clause, "for") {
		if word := b.nextToken(); t.Limited() {
			b.secondFor(word)
		}
		if endsLine(b.peekToken()) {
			return b.wantedHere("a limit such as 30 minutes or 5 times")
		}
	}
	joined, ok := false, true // the amount before was of time, too; nothing was wrong so far
	for or := false; ; {
		a, err := b.readAmount()
		if err != nil {
			return err
		}
		more := isToken(b.peekToken(), lexer.Clause, "or")
		a.or, a.last = or, !more && !isAmount(b.peekToken())
		if ok {
			joined, ok = b.setLimit(t, &a, joined)
		}
		if a.last {
			return nil
		}
		if or = more; more {
			b.nextToken()
		}
	}
}

// setLimit puts an amount into a try.
func (b *builder) setLimit(t *ast.Try, a *amount, joined bool) (time, ok bool) {
	if a.times {
		if t.Times != nil {
			b.errorf(a.Amount.At(), "a second number of attempts in one try")
		}
		t.Times = a.Amount
		return false, true
	}
	if a.Unit == ast.NoUnit && !b.isUnitMisspelt(a) && !b.mayLackUnit(a.Amount, "5 minutes or 5 times") {
		return false, false
	}
	switch {
	case t.For == nil:
		t.For = &ast.Period{Pos: a.Amount.At()}
	case !joined || a.or:
		b.errorf(a.Amount.At(), "a second time limit in one try")
	}
	t.For.Terms = append(t.For.Terms, a.Term)
	return true, true
}

// readPeriod reads a length of time: `1 hour 30 minutes`. It leaves a number of attempts
// to the limits.
func (b *builder) readPeriod() (*ast.Period, error) {
	out := &ast.Period{}
	for isAmount(b.peekToken()) && !isOption(b.peekToken().Value) {
		start, before := b.i, noted{len(b.errors), len(b.mentions), len(b.calls)}
		a, err := b.readAmount()
		if err != nil {
			return nil, err
		}
		if a.times {
			b.forgetSince(before)
			b.i = start
			break
		}
		if a.Unit == ast.NoUnit && !b.noTime(a.Amount, len(out.Terms) == 0) {
			b.mayLackUnit(a.Amount, "5 minutes")
		}
		out.Terms = append(out.Terms, a.Term)
	}
	if len(out.Terms) == 0 {
		return nil, b.wantedHere("a time such as 30 minutes")
	}
	out.Pos = out.Terms[0].Amount.At()
	return out, nil
}

// noTime reports a word that stands where a time must, and is none.
func (b *builder) noTime(amount ast.Expr, must bool) bool {
	o, ok := amount.(*ast.Operand)
	if !ok {
		return false
	}
	text, literal := o.Word.Literal()
	switch below := isTime(strings.TrimPrefix(text, "-")); {
	case !literal || isTime(text) || isNumber(text):
		return false
	case below:
		b.errorf(o.At(), "%s is below zero; wanted a time such as 30 seconds", text)
	case must || b.tokens[b.line.start].Value != "try":
		b.errorf(o.At(), "expected a time such as 30 seconds, not %s", quoteSource(text))
	default:
		return false
	}
	return true
}

// mayLackUnit reports whether an amount may stand without a unit, since a variable or a function
// can supply it, or it is a word such as 90s; if not, it reports the error.
func (b *builder) mayLackUnit(amount ast.Expr, example string) bool {
	switch x := amount.(type) {
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
	b.errorf(amount.At(), "the amount needs its unit, such as %s", example)
	return false
}

// isUnitMisspelt reports whether the word after a number was probably meant as its unit;
// it is reported in its turn.
func (b *builder) isUnitMisspelt(number *amount) bool {
	o, ok := number.Amount.(*ast.Operand)
	if !ok || number.last || b.peekToken().Type != lexer.Word {
		return false
	}
	after := &b.tokens[b.i+1]
	if after.Type == lexer.Unit || after.Type == lexer.Operator || isToken(after, lexer.Clause, "times", "time") {
		return false
	}
	text, _ := o.Word.Literal()
	next := b.peekToken().Value
	return isNumber(text) && isPlain(next) && !isNumber(next) && !isTime(next)
}

// isTime reports whether a word is a time with its units, such as 1h30m.
func isTime(s string) bool {
	for s != "" {
		n := len(s) - len(strings.TrimLeft(s, "0123456789."))
		if !isNumber(s[:n]) {
			return false
		}
		s = s[n:]
		letters := s[:len(s)-len(strings.TrimLeft(s, "abcdefghijklmnopqrstuvwxyz"))]
		if unit := ast.LookupUnit(letters); unit == ast.NoUnit || strings.TrimSuffix(letters, "s") == unit.String() {
			return false // 30minutes, too: long names stand apart
		}
		s = s[len(letters):]
	}
	return true
}

// isNumber reports whether a text is a decimal number, perhaps with a sign.
func isNumber(s string) bool {
	s = strings.TrimPrefix(s, "-")
	whole, fraction, dotted := strings.Cut(s, ".")
	return isDigits(whole) && (!dotted || isDigits(fraction)) && whole+fraction != ""
}

// isDigits reports whether there is nothing but digits in a text.
func isDigits(s string) bool { return strings.Trim(s, "0123456789") == "" }

// checkPolicy reports a backoff policy that is not known.
func (b *builder) checkPolicy(t *token) string {
	policies := backoffs.Policies()
	if slices.Contains(policies, t.Value) {
		return t.Value
	}
	b.errorf(b.posOf(t), "no backoff policy is called %s%s; there are %s",
		quoteSource(t.Value), nearestWord(t.Value, policies), strings.Join(policies, " "))
	return t.Value
}

// readSettings reads `[from T] [to M] [by F] [jitter J]`.
func (b *builder) readSettings() (*ast.Backoff, error) {
	out := &ast.Backoff{}
	for isToken(b.peekToken(), lexer.Clause, ast.BackoffSettings()...) {
		var err error
		switch word := b.nextToken(); word.Value {
		case "from":
			b.checkOnce(word, out.From != nil)
			out.From, err = b.readPeriod()
		case "to":
			b.checkOnce(word, out.To != nil)
			out.To, err = b.readPeriod()
		case "by":
			b.checkOnce(word, out.By != nil)
			out.By, err = b.expression(false)
		case "jitter":
			b.checkOnce(word, out.Jitter != nil)
			out.Jitter, err = b.expression(false)
		}
		if err != nil {
			return out, err
		}
	}
	return out, nil
}

// conditions reads `75 64 .to. 78 timeout matching PATTERN`.
func (b *builder) conditions() (list []ast.Condition, err error) {
	const wanted = "a condition: an exit status, a kind of failure, or matching PATTERN"
	for {
		var next ast.Condition
		switch t := b.peekToken(); {
		case isToken(t, lexer.Clause, "matching"):
			b.nextToken()
			if b.peekToken().Type != lexer.Word {
				return nil, b.wantedHere("a pattern after matching")
			}
			next.Matching = b.splitWord(b.nextToken(), false)
		case isAmount(t):
			if next.Value, err = b.expression(false); err != nil {
				return nil, b.wantedHere(wanted)
			}
			if err := b.limitWithoutFor(t); err != nil {
				return nil, err
			}
			b.condition(next.Value)
		case len(list) == 0:
			return nil, b.wantedHere(wanted)
		default:
			return list, nil
		}
		list = append(list, next)
	}
}

// limitWithoutFor reports a limit that was read as a condition; first is its first token.
func (b *builder) limitWithoutFor(first *token) error {
	last := &b.tokens[b.i-1]
	if t := b.peekToken(); t.Type == lexer.Unit || isToken(t, lexer.Clause, "times", "time") {
		last = t
	} else if last != first || !isTime(last.Value) {
		return nil
	}
	limit := b.textBetween(first, last)
	return &fault{token: *first, message: limit +
		" stands in a list of conditions; a limit after one needs its for:  for " + limit}
}

// condition reports a condition that can never hold.
func (b *builder) condition(x ast.Expr) {
	switch x := x.(type) {
	case *ast.Operand:
		b.checkKind(x)
	case *ast.Range:
		if o, ok := x.To.(*ast.Operand); ok && !o.IsInt {
			b.reportComma(o)
		}
	}
}

// reportComma reports a comma after a condition.
func (b *builder) reportComma(o *ast.Operand) bool {
	text, literal := o.Word.Literal()
	if !literal || !strings.HasSuffix(text, ",") {
		return false
	}
	b.errorf(o.At(), "a comma after a condition; set conditions off by blanks alone")
	return true
}

// checkKind reports a literal condition that is neither a status nor a kind of failure.
func (b *builder) checkKind(o *ast.Operand) {
	text, literal := o.Word.Literal()
	if !literal || o.IsInt || b.reportComma(o) {
		return
	}
	kinds := ast.Kinds()
	if slices.Contains(kinds, text) {
		return
	}
	b.errorf(o.At(), "no kind of failure is called %s%s; there are %s, exit statuses, and matching PATTERN",
		quoteSource(text), nearestWord(text, kinds), strings.Join(kinds, " "))
}

// unknownClause reports a word that is neither a limit nor a clause.
func (b *builder) unknownClause(pos ast.Pos, text string) {
	clauses := ast.Clauses()
	known := append([]string{"for", "times", "from", "jitter"}, ast.Units()...)
	for _, clause := range clauses {
		first, _, _ := strings.Cut(clause, " ")
		if known = append(known, first); text == first && first != clause {
			b.errorf(pos, "expected on after %s: %s LIST", text, clause)
			return
		}
	}
	near := nearestWord(text, known)
	if near == "" {
		near = "; the group begins on the next line"
	}
	b.errorf(pos, "expected a limit (30 minutes, 5 times) or a clause (%s), not %s%s",
		strings.Join(clauses, ", "), quoteSource(text), near)
}
