package expand

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"time"

	"ftsh/ast"
	"ftsh/ast/diag"
)

// Duration adds up the terms of a period. An amount with a unit is a decimal
// number of them; one without is a time as [ParseTime] reads it. What is below
// zero, or longer than 292 years, fails. Errors are [*diag.Error], or come from
// [Env.Call].
func Duration(ctx context.Context, env Env, p *ast.Period) (time.Duration, error) {
	s := scope{ctx, env}
	var sum time.Duration
	for _, term := range p.Terms {
		d, err := s.evalTerm(term)
		if err != nil {
			return 0, err
		}
		if sum += d; sum < 0 {
			return 0, diag.Errorf(p.Pos, "the time %v", errTooLong)
		}
	}
	return sum, nil
}

// evalTerm is the length of one term.
func (s *scope) evalTerm(term ast.Term) (time.Duration, error) {
	if x, ok := term.Amount.(*ast.Operand); ok && x.IsInt && x.Int >= 0 && term.Unit != ast.NoUnit { // as most are
		if d, fits := (decimal{whole: uint64(x.Int), outOf: 1}).times(term.Unit.Length()); fits {
			return d, nil
		}
	}
	amount, err := s.evalScalar(term.Amount)
	if err != nil {
		return 0, err
	}
	text, err := amount.Exact()
	if err != nil {
		return 0, diag.Errorf(term.Amount.At(), "%v", err)
	}
	var d time.Duration
	if term.Unit == ast.NoUnit {
		d, err = ParseTime(text)
	} else {
		d, err = parseAmount(text, term.Unit)
	}
	if err != nil {
		return 0, diag.Errorf(term.Amount.At(), "%v", err)
	}
	return d, nil
}

// Decimal evaluates an expression that must be a decimal number, such as 2, -1.5
// or .5; there are no exponents. Errors are [*diag.Error], or come from [Env.Call].
func Decimal(ctx context.Context, env Env, e ast.Expr) (float64, error) {
	s := scope{ctx, env}
	text, err := s.evalText(e)
	if err != nil {
		return 0, err
	}
	trimmed := strings.Trim(text, blanks)
	if _, rest, ok := cutDecimal(trimmed); !ok || rest != "" {
		return 0, unwantedText(e.At(), text, "a decimal number such as 2 or 1.5")
	}
	f, err := strconv.ParseFloat(trimmed, 64)
	if err != nil { // more than 10 to the power of 308
		return 0, unwantedText(e.At(), text, "a number of a size that can be used")
	}
	return f, nil
}

// errTooLong ends the sentence that names a time.
var errTooLong = errors.New("is too long: at most 106751d (292 years) can be used")

// ParseTime reads a time: one or more decimal amounts, each with its unit, with or
// without blanks between: 90s, 1h30m, 250ms, 2d, 1.5h, "2 minutes". The units are
// millisecond(s) ms, second(s) s, minute(s) m, hour(s) h and day(s) d. Parts of a
// nanosecond are dropped. The error says what is wrong with the text, and names it.
func ParseTime(text string) (time.Duration, error) {
	rest := strings.Trim(text, blanks)
	if rest == "" {
		return 0, notTime(text)
	}
	var sum time.Duration
	for rest != "" {
		d, after, err := cutTerm(rest, text)
		if err != nil {
			return 0, err
		}
		if sum += d; sum < 0 {
			return 0, tooLong(text)
		}
		rest = strings.TrimLeft(after, blanks)
	}
	return sum, nil
}

// ParseSeconds reads a time as [ParseTime] does, or a decimal number without a
// unit, which is in seconds.
func ParseSeconds(text string) (time.Duration, error) {
	if _, rest, ok := cutDecimal(strings.Trim(text, blanks)); ok && rest == "" {
		return parseAmount(text, ast.Second)
	}
	return ParseTime(text)
}

// cutTerm cuts an amount and its unit off the beginning of rest, the part that is
// left of text.
func cutTerm(rest, text string) (d time.Duration, after string, err error) {
	amount, after, ok := cutDecimal(rest)
	if !ok {
		return 0, "", notTime(text)
	}
	name, after := cutAll(strings.TrimLeft(after, blanks), letters)
	unit := ast.LookupUnit(name)
	switch {
	case amount.negative:
		return 0, "", errors.New(quoteForMessage(text) + " is below zero")
	case name == "" && after == "":
		amount := bareAmount(rest)
		return 0, "", errors.New(quoteForMessage(text) + " has no unit: write " + amount + "s, or " + amount + " minutes")
	case unit == ast.NoUnit:
		return 0, "", notTime(text)
	}
	d, fits := amount.times(unit.Length())
	if !fits {
		return 0, "", tooLong(text)
	}
	return d, after, nil
}

// bareAmount is an amount as it is shown in advice.
func bareAmount(text string) string {
	if text = strings.Trim(text, blanks); len(text) <= 20 {
		return text
	}
	return "30"
}

// parseAmount reads a number of units.
func parseAmount(text string, unit ast.Unit) (time.Duration, error) {
	plural := unit.String() + "s"
	amount, rest, ok := cutDecimal(strings.Trim(text, blanks))
	if !ok || rest != "" {
		return 0, errors.New(quoteForMessage(text) + " is not a number of " + plural)
	}
	if amount.negative {
		return 0, errors.New(quoteForMessage(text) + " " + plural + ": a time below zero")
	}
	d, fits := amount.times(unit.Length())
	if !fits {
		return 0, tooLong(text + " " + plural)
	}
	return d, nil
}

func notTime(text string) error {
	return errors.New(quoteForMessage(text) + " is not a time such as 90s, 1h30m or 250ms (units: ms s m h d)")
}

func tooLong(text string) error { return fmt.Errorf("%s %w", quoteForMessage(text), errTooLong) }

// decimal is a number such as 1.5: whole 1, fraction 5 of 10.
type decimal struct {
	negative        bool // below zero; -0 is not
	whole           uint64
	fraction, outOf uint64
	huge            bool // the whole part does not fit
}

// fractionDigits limits the digits after the point that count: enough for a
// nanosecond of any length of time, few enough for 64 bits.
const fractionDigits = 18

// cutDecimal cuts a decimal number off the beginning of text. There must be a
// digit, and one after the point if there is a point.
func cutDecimal(text string) (d decimal, rest string, ok bool) {
	negative := strings.HasPrefix(text, "-")
	if negative || strings.HasPrefix(text, "+") {
		text = text[1:]
	}
	whole, rest := cutAll(text, digits)
	for i := range len(whole) {
		high, low := bits.Mul64(d.whole, 10)
		d.whole = low + uint64(whole[i]-'0')
		d.huge = d.huge || high > 0 || d.whole < low
	}
	d.outOf = 1
	if strings.HasPrefix(rest, ".") {
		var fraction string
		if fraction, rest = cutAll(rest[1:], digits); fraction == "" {
			return decimal{}, text, false
		}
		for i := range min(len(fraction), fractionDigits) {
			d.fraction = d.fraction*10 + uint64(fraction[i]-'0')
			d.outOf *= 10
		}
	} else if whole == "" {
		return decimal{}, text, false
	}
	d.negative = negative && (d.huge || d.whole > 0 || d.fraction > 0)
	return d, rest, true
}

// times is so many times a length, parts of a nanosecond dropped, and whether that fits.
func (d decimal) times(length time.Duration) (time.Duration, bool) {
	unit := uint64(length)
	over, whole := bits.Mul64(d.whole, unit)
	high, low := bits.Mul64(d.fraction, unit)
	part, _ := bits.Div64(high, low, d.outOf) // cannot overflow: fraction < outOf
	sum := time.Duration(whole + part)
	return sum, !d.huge && over == 0 && whole <= 1<<63-1 && sum >= 0
}

// cutAll cuts off the beginning of text what consists of these characters alone.
func cutAll(text, characters string) (head, rest string) {
	rest = strings.TrimLeft(text, characters)
	return text[:len(text)-len(rest)], rest
}

// What a time consists of.
const (
	digits  = "0123456789"
	letters = "abcdefghijklmnopqrstuvwxyz"
)
