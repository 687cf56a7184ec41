// Package constant knows the values that a script writes out: numbers and times
// that are the same in every run. What depends on a variable has a value only if
// the caller knows the variable.
package constant

import (
	"math"
	"strconv"
	"strings"
	"time"

	"ftsh/ast"
)

// Values knows what references stand for. The nil Values knows none.
type Values func(ref *ast.Ref) (text string, known bool)

// Text returns what a word stands for, if that is known.
func (v Values) Text(w *ast.Word) (string, bool) {
	var text strings.Builder
	for _, part := range w.Parts {
		switch part := part.(type) {
		case *ast.Lit:
			text.WriteString(part.Text)
		case *ast.Ref:
			if v == nil {
				return "", false
			}
			value, known := v(part)
			if !known {
				return "", false
			}
			text.WriteString(value)
		default:
			return "", false
		}
	}
	return text.String(), true
}

// constantText returns the value of an expression that is one word.
func (v Values) constantText(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.Operand:
		return v.Text(e.Word)
	case *ast.Paren:
		return v.constantText(e.X)
	}
	return "", false
}

// Integer returns the value of an integer.
func (v Values) Integer(e ast.Expr) (int64, bool) {
	text, known := v.constantText(e)
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	return n, known && err == nil
}

// Decimal returns the value of a number, perhaps with a fraction.
func (v Values) Decimal(e ast.Expr) (float64, bool) {
	text, known := v.constantText(e)
	number, err := strconv.ParseFloat(text, 64)
	return number, known && err == nil && !math.IsNaN(number) && !math.IsInf(number, 0)
}

// Period returns a length of time. Without one (nil) it is not known.
func (v Values) Period(p *ast.Period) (time.Duration, bool) {
	if p == nil {
		return 0, false
	}
	var sum float64
	for _, term := range p.Terms {
		length, known := v.termLength(term)
		if !known {
			return 0, false
		}
		sum += length
	}
	if sum < 0 || sum >= math.MaxInt64 {
		return 0, false
	}
	return time.Duration(sum), true
}

// termLength is one term of a time in nanoseconds.
func (v Values) termLength(term ast.Term) (float64, bool) {
	if term.Unit != ast.NoUnit {
		number, known := v.Decimal(term.Amount)
		return number * float64(term.Unit.Length()), known
	}
	text, known := v.constantText(term.Amount)
	if !known {
		return 0, false
	}
	return parseNanoseconds(text)
}

// parseNanoseconds returns a time such as 90s, 250ms or 1h30m in nanoseconds.
func parseNanoseconds(text string) (nanoseconds float64, ok bool) {
	for rest := text; rest != ""; {
		digits := len(rest) - len(strings.TrimLeft(rest, "0123456789."))
		number, err := strconv.ParseFloat(rest[:digits], 64)
		letters := len(rest) - digits - len(strings.TrimLeft(rest[digits:], "abcdefghijklmnopqrstuvwxyz"))
		length := ast.LookupUnit(rest[digits : digits+letters]).Length()
		if err != nil || length == 0 {
			return 0, false
		}
		nanoseconds += number * float64(length)
		rest = rest[digits+letters:]
	}
	return nanoseconds, text != ""
}

// Seconds returns a time as sleep takes it: a word such as 90s, an amount and its
// unit, or a number of seconds.
func Seconds(text string) (time.Duration, bool) {
	fields := strings.Fields(text)
	seconds, err := strconv.ParseFloat(text, 64)
	nanoseconds, known := seconds*float64(time.Second), err == nil
	if err != nil {
		nanoseconds, known = parseNanoseconds(strings.Join(fields, ""))
	}
	if len(fields) == 2 && !known {
		amount, err := strconv.ParseFloat(fields[0], 64)
		length := ast.LookupUnit(fields[1]).Length()
		nanoseconds, known = amount*float64(length), err == nil && length > 0
	}
	if !known || !(nanoseconds >= 0) || nanoseconds >= math.MaxInt64 {
		return 0, false
	}
	return time.Duration(nanoseconds), true
}

// Brief returns a time as a script would have it, without the parts that are zero: 1h, not 1h0m0s.
func Brief(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
