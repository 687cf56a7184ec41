package expand

import (
	"strings"

	"ftsh/ast"
	"ftsh/ast/diag"
)

// evalTruth evaluates a boolean expression.
func (s *scope) evalTruth(e ast.Expr) (bool, error) {
	negated := false
	for {
		e = withoutParens(e)
		u, ok := e.(*ast.Unary)
		if !ok || u.Op != ast.Not {
			break
		}
		negated = !negated
		e = u.X
	}
	b, err := s.plainTruth(e)
	return b != negated, err
}

// plainTruth evaluates a boolean expression that has no .not. before it.
func (s *scope) plainTruth(e ast.Expr) (bool, error) {
	switch e := e.(type) {
	case *ast.Binary:
		if !isArithmetic(e.Op) {
			return s.evalBinary(e)
		}
	case *ast.Unary:
		return s.evalUnary(e)
	}
	v, err := s.evalScalar(e)
	if err != nil {
		return false, err
	}
	text, _ := v.Exact() // a scalar has nothing to read
	switch text {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, unwantedText(e.At(), text, booleanWanted)
}

// evalUnary evaluates an operator that stands before its operand, other than .not..
func (s *scope) evalUnary(e *ast.Unary) (bool, error) {
	if e.Op == ast.Lines {
		return false, diag.Errorf(e.Pos, ".lines. makes a list, which only for, forany and forall take")
	}
	text, err := s.evalText(e.X)
	if err != nil {
		return false, err
	}
	if e.Op == ast.Defined {
		return s.evalDefined(e, text)
	}
	return s.fileTest(e, text)
}

// evalDefined is .defined..
func (s *scope) evalDefined(e *ast.Unary, name string) (bool, error) {
	if !ast.IsName(name) {
		return false, unwantedText(e.X.At(), name, "the name of a variable (write .defined. x, without a $)")
	}
	_, ok := s.env.Lookup(name)
	return ok, nil
}

// evalBinary evaluates an operator between two operands whose result is a boolean.
func (s *scope) evalBinary(e *ast.Binary) (bool, error) {
	if e.Op == ast.Or || e.Op == ast.And {
		return s.evalJunction(e)
	}
	result, err := s.comparison(e)
	return result, negationMeant(e, err)
}

func (s *scope) comparison(e *ast.Binary) (bool, error) {
	switch e.Op {
	case ast.Eq, ast.Ne:
		equal, err := s.compareText(e)
		return equal == (e.Op == ast.Eq), err
	case ast.Matches:
		return s.evalMatches(e)
	}
	return s.compareIntegers(e)
}

// negationMeant adds to what is wrong with the left side of a comparison that .not. stands before that
// alone, if it does: it binds more tightly.
func negationMeant(e *ast.Binary, err error) error {
	not, negated := e.Left.(*ast.Unary)
	wrong, known := err.(*diag.Error)
	if !negated || not.Op != ast.Not || !known || !strings.HasSuffix(wrong.Message, booleanWanted) {
		return err
	}
	operand := ""
	if at := not.X.At(); withoutParens(not.X).At() == wrong.Pos && at.Source != nil {
		operand = strings.TrimSpace(at.Source.Text[at.Offset:e.Pos.Offset])
	}
	if operand == "" || len(operand) > quoteLimit {
		return err
	}
	return diag.Errorf(wrong.Pos, "%s (.not. takes %s alone; write  .not. (%[2]s %s …))", wrong.Message, operand, e.Op)
}

const booleanWanted = "a boolean: true or false is wanted"

// evalJunction is .and. and .or.: the right side is only evaluated if the left one
// does not settle it. A chain of them leans to the left; it is walked by a loop,
// so that its length does not use up the stack.
func (s *scope) evalJunction(e *ast.Binary) (bool, error) {
	var few [8]*ast.Binary
	chain := few[:0]
	left := ast.Expr(e)
	for {
		b, ok := withoutParens(left).(*ast.Binary)
		if !ok || b.Op != ast.Or && b.Op != ast.And {
			break
		}
		chain = append(chain, b)
		left = b.Left
	}
	result, err := s.evalTruth(left)
	for i := len(chain) - 1; i >= 0 && err == nil; i-- {
		if settled := chain[i].Op == ast.Or; result != settled {
			result, err = s.evalTruth(chain[i].Right)
		}
	}
	return result, err
}

// compareText compares strings. Integers are equal if their texts are.
func (s *scope) compareText(e *ast.Binary) (bool, error) {
	left, err := s.evalScalar(e.Left)
	if err != nil {
		return false, err
	}
	right, err := s.evalScalar(e.Right)
	if err != nil {
		return false, err
	}
	m, isInt := left.Int()
	if n, both := right.Int(); isInt && both {
		return m == n, nil
	}
	a, _ := left.Exact() // scalars have nothing to read
	b, _ := right.Exact()
	return a == b, nil
}

// compareIntegers compares integers.
func (s *scope) compareIntegers(e *ast.Binary) (bool, error) {
	left, err := s.evalInteger(e.Left)
	if err != nil {
		return false, err
	}
	right, err := s.evalInteger(e.Right)
	if err != nil {
		return false, err
	}
	switch e.Op {
	case ast.Eql:
		return left == right, nil
	case ast.Neql:
		return left != right, nil
	case ast.Lt:
		return left < right, nil
	case ast.Le:
		return left <= right, nil
	case ast.Gt:
		return left > right, nil
	}
	return left >= right, nil
}

// evalMatches is .matches.: whether the pattern is found anywhere in the text.
func (s *scope) evalMatches(e *ast.Binary) (bool, error) {
	text, err := s.evalText(e.Left)
	if err != nil {
		return false, err
	}
	pattern, err := s.evalText(e.Right)
	if err != nil {
		return false, err
	}
	re, err := s.env.Patterns().Get(pattern)
	if err != nil {
		reason := strings.TrimPrefix(err.Error(), "error parsing regexp: ")
		return false, unwantedText(e.Right.At(), pattern, "a pattern: "+reason)
	}
	return re.MatchString(text), nil
}
