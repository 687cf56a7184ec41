// Package constant knows the values that a script writes out: numbers and times
// that are the same in every run. What depends on a variable has no value here.
package constant

import (
	"math"
	"strconv"
	"strings"
	"time"

	"ftsh/ast"
)

// Integer returns the value of an integer that is written out.
func Integer(e ast.Expr) (int64, bool) {
	switch e := e.(type) {
	case *ast.Operand:
		return e.Int, e.IsInt
	case *ast.Paren:
		return Integer(e.X)
	}
	return 0, false
}

// Decimal returns the value of a number that is written out, perhaps with a fraction.
func Decimal(e ast.Expr) (float64, bool) {
	switch e := e.(type) {
	case *ast.Operand:
		text, literal := e.Word.Literal()
		if !literal {
			return 0, false
		}
		number, err := strconv.ParseFloat(text, 64)
		return number, err == nil && !math.IsNaN(number) && !math.IsInf(number, 0)
	case *ast.Paren:
		return Decimal(e.X)
	}
	return 0, false
}

// Period returns the length of a time that is written out. Without one (nil) it is not known.
func Period(p *ast.Period) (time.Duration, bool) {
	if p == nil {
		return 0, false
	}
	var sum float64
	for _, term := range p.Terms {
		length, known := amount(term)
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

// amount is one term of a time in nanoseconds.
func amount(term ast.Term) (float64, bool) {
	if term.Unit == ast.NoUnit {
		return word(term.Amount)
	}
	number, known := Decimal(term.Amount)
	return number * float64(unit(term.Unit)), known
}

// word is a time such as 1h30m.
func word(e ast.Expr) (float64, bool) {
	o, operand := e.(*ast.Operand)
	if !operand {
		return 0, false
	}
	text, literal := o.Word.Literal()
	if !literal {
		return 0, false
	}
	return Word(text)
}

// Word returns a time such as 90s, 250ms or 1h30m in nanoseconds.
func Word(text string) (nanoseconds float64, ok bool) {
	for rest := text; rest != ""; {
		digits := len(rest) - len(strings.TrimLeft(rest, "0123456789."))
		number, err := strconv.ParseFloat(rest[:digits], 64)
		letters := len(rest) - digits - len(strings.TrimLeft(rest[digits:], "dhms"))
		length := unit(short(rest[digits : digits+letters]))
		if err != nil || length == 0 {
			return 0, false
		}
		nanoseconds += number * float64(length)
		rest = rest[digits+letters:]
	}
	return nanoseconds, text != ""
}

// short is the unit of those letters, NoUnit if there is none.
func short(letters string) ast.Unit {
	switch letters {
	case "ms":
		return ast.Millisecond
	case "s":
		return ast.Second
	case "m":
		return ast.Minute
	case "h":
		return ast.Hour
	case "d":
		return ast.Day
	}
	return ast.NoUnit
}

// unit is how long a unit is; 0 for NoUnit.
func unit(u ast.Unit) time.Duration {
	switch u {
	case ast.Millisecond:
		return time.Millisecond
	case ast.Second:
		return time.Second
	case ast.Minute:
		return time.Minute
	case ast.Hour:
		return time.Hour
	case ast.Day:
		return 24 * time.Hour
	}
	return 0
}
