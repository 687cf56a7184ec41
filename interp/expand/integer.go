package expand

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"ftsh/ast"
	"ftsh/ast/diag"
)

// blanks may stand around a number.
const blanks = " \t\n"

// isArithmetic reports whether an operator between two operands makes an integer.
func isArithmetic(op ast.Op) bool { return op >= ast.Add && op <= ast.Pow }

// knownInteger is the value of an operand that is an integer already: a constant, or a
// reference to a variable that holds one. Most operands of loops are, and this
// halves what a turn costs.
func (s *scope) knownInteger(e ast.Expr) (n int64, ok bool) {
	operand, ok := e.(*ast.Operand)
	if !ok {
		return 0, false
	}
	if operand.IsInt {
		return operand.Int, true
	}
	parts := operand.Word.Parts
	if len(parts) != 1 {
		return 0, false
	}
	ref, ok := parts[0].(*ast.Ref)
	if !ok || ref.Kind != ast.Variable || ref.Portion != ast.Whole {
		return 0, false
	}
	v, _ := s.env.Variable(&ref.Var)
	return v.Int()
}

// evalInteger evaluates an integer expression.
func (s *scope) evalInteger(e ast.Expr) (int64, error) {
	if n, ok := s.knownInteger(e); ok {
		return n, nil
	}
	e = withoutParens(e)
	if b, ok := e.(*ast.Binary); ok && isArithmetic(b.Op) {
		return s.arithmetic(b)
	}
	v, err := s.evalScalar(e)
	if n, isInt := v.Int(); err != nil || isInt {
		return n, err
	}
	text, _ := v.Exact() // a scalar has nothing to read
	return parseInteger(text, e)
}

// parseInteger reads the integer that an expression came to.
func parseInteger(text string, e ast.Expr) (int64, error) {
	digits := strings.Trim(text, blanks)
	n, err := strconv.ParseInt(digits, 10, 64)
	if err == nil {
		return n, nil
	}
	if errors.Is(err, strconv.ErrRange) {
		return 0, diag.Errorf(e.At(), "%s does not fit into a 64-bit integer", quoteForMessage(digits))
	}
	return 0, unwantedText(e.At(), text, "an integer")
}

// arithmetic evaluates an operator on integers.
func (s *scope) arithmetic(e *ast.Binary) (int64, error) {
	if left, ok := s.knownInteger(e.Left); ok {
		right, err := s.evalInteger(e.Right)
		if err != nil {
			return 0, err
		}
		return calculate(e, left, right)
	}
	return s.evalChain(e)
}

// evalChain evaluates operators on integers that follow each other. Their tree leans
// to the left; a loop walks it, so that its length does not use up the stack.
func (s *scope) evalChain(e *ast.Binary) (int64, error) {
	var few [8]*ast.Binary
	chain := append(few[:0], e)
	left := e.Left
	for {
		b, ok := withoutParens(left).(*ast.Binary)
		if !ok || !isArithmetic(b.Op) {
			break
		}
		chain = append(chain, b)
		left = b.Left
	}
	result, err := s.evalInteger(left)
	for i := len(chain) - 1; i >= 0 && err == nil; i-- {
		var right int64
		if right, err = s.evalInteger(chain[i].Right); err == nil {
			result, err = calculate(chain[i], result, right)
		}
	}
	return result, err
}

// calculate applies the operator of e.
func calculate(e *ast.Binary, a, b int64) (int64, error) {
	var result int64
	fits := true
	switch e.Op {
	case ast.Add:
		result = a + b
		fits = (result > a) == (b > 0)
	case ast.Sub:
		result = a - b
		fits = (result < a) == (b > 0)
	case ast.Mul:
		result, fits = multiplyIntegers(a, b)
	case ast.Pow:
		if b < 0 {
			return 0, diag.Errorf(e.Pos, "%d .pow. %d: the exponent is below zero", a, b)
		}
		result, fits = raiseInteger(a, b)
	default:
		if b == 0 {
			return 0, diag.Errorf(e.Pos, "%d %v 0: division by zero", a, e.Op)
		}
		result, fits = divideIntegers(e.Op, a, b)
	}
	if !fits {
		return 0, diag.Errorf(e.Pos, "%d %v %d does not fit into a 64-bit integer", a, e.Op, b)
	}
	return result, nil
}

// multiplyIntegers is a·b, and whether that fits.
func multiplyIntegers(a, b int64) (result int64, fits bool) {
	if a == 0 || b == 0 {
		return 0, true
	}
	result = a * b
	if (a == -1 && b == math.MinInt64) || (b == -1 && a == math.MinInt64) {
		return result, false
	}
	return result, result/b == a
}

// divideIntegers is .div. or .mod., rounded toward zero, and whether it fits; b is not 0.
func divideIntegers(op ast.Op, a, b int64) (result int64, fits bool) {
	if op == ast.Mod {
		return a % b, true // for b = -1 Go promises 0
	}
	return a / b, b != -1 || a != math.MinInt64
}

// raiseInteger is a to the power of n, which is not below zero, and whether that fits.
func raiseInteger(a, n int64) (result int64, fits bool) {
	result, fits = 1, true
	for n > 0 && fits {
		if n&1 == 1 {
			if result, fits = multiplyIntegers(result, a); !fits {
				break
			}
		}
		if n >>= 1; n > 0 {
			a, fits = multiplyIntegers(a, a)
		}
	}
	return result, fits
}
