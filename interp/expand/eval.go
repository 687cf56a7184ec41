package expand

import (
	"context"

	"ftsh/ast"
	"ftsh/ast/diag"
	"ftsh/interp/value"
)

// scope is one evaluation: the Env that it asks, and what cancels the functions it calls.
type scope struct {
	ctx context.Context
	env Env
}

// Eval evaluates an expression. A bare reference that stands alone gives the value
// as it is, newlines at its end and NUL bytes included; a range gives its numbers
// joined by blanks. Errors are [*diag.Error], or come from [Env.Call].
func Eval(ctx context.Context, env Env, e ast.Expr) (value.Value, error) {
	s := scope{ctx, env}
	return s.evalValue(e)
}

// Truth evaluates an expression that must be the word true or false.
func Truth(ctx context.Context, env Env, e ast.Expr) (bool, error) {
	s := scope{ctx, env}
	return s.evalTruth(e)
}

// Integer evaluates an expression that must be a 64-bit integer.
func Integer(ctx context.Context, env Env, e ast.Expr) (int64, error) {
	s := scope{ctx, env}
	return s.evalInteger(e)
}

// evalValue evaluates an expression as Eval does.
func (s *scope) evalValue(e ast.Expr) (value.Value, error) {
	switch e := withoutParens(e).(type) {
	case *ast.Operand:
		if ref, ok := bareReference(e.Word); ok {
			v, err := valueOf(s.env, ref)
			if blob, ok := v.Blob(); ok {
				blob.Share()
			}
			return v, err
		}
		return expandOperand(s.env, e)
	case *ast.Binary:
		if isArithmetic(e.Op) {
			n, err := s.arithmetic(e)
			return value.Int(n), err
		}
		b, err := s.evalBinary(e)
		return value.Bool(b), err
	case *ast.Unary:
		b, err := s.evalTruth(e)
		return value.Bool(b), err
	case *ast.Range:
		return s.joinedRange(e)
	case *ast.Call:
		return s.evalCall(e)
	}
	return value.Value{}, diag.Errorf(e.At(), "an expression is wanted")
}

// evalScalar evaluates an operand of an operator: the result is an integer, or text
// as it expands.
func (s *scope) evalScalar(e ast.Expr) (value.Value, error) {
	e = withoutParens(e)
	if e, ok := e.(*ast.Operand); ok {
		return expandOperand(s.env, e)
	}
	v, err := s.evalValue(e)
	if _, isInt := v.Int(); err != nil || isInt {
		return v, err
	}
	text, err := v.Text()
	if err != nil {
		return value.Value{}, diag.Errorf(e.At(), "the value %v", err)
	}
	return value.String(text), nil
}

// evalText evaluates an operand that is a string.
func (s *scope) evalText(e ast.Expr) (string, error) {
	v, err := s.evalScalar(e)
	if err != nil {
		return "", err
	}
	return v.Exact()
}

// expandOperand expands a word in an expression: to an integer if it is one already,
// else to its text.
func expandOperand(env Env, e *ast.Operand) (value.Value, error) {
	if e.IsInt {
		return value.Int(e.Int), nil
	}
	if len(e.Word.Parts) == 1 {
		if ref, ok := e.Word.Parts[0].(*ast.Ref); ok {
			v, err := valueOf(env, ref)
			if _, isInt := v.Int(); err != nil || isInt {
				return v, err
			}
			text, err := textOf(ref, v)
			return value.String(text), err
		}
	}
	text, err := Word(env, e.Word)
	return value.String(text), err
}

// bareReference returns the reference that a word consists of, if it is not quoted.
func bareReference(w *ast.Word) (*ast.Ref, bool) {
	if len(w.Parts) != 1 {
		return nil, false
	}
	ref, ok := w.Parts[0].(*ast.Ref)
	return ref, ok && ref.Quote == ast.Bare
}

// evalCall evaluates the arguments and lets the Env call the function.
func (s *scope) evalCall(e *ast.Call) (value.Value, error) {
	args := make([]value.Value, len(e.Args))
	for i, arg := range e.Args {
		var err error
		if args[i], err = s.evalValue(arg); err != nil {
			return value.Value{}, err
		}
	}
	return s.env.Call(s.ctx, e, args)
}

// withoutParens takes off the parentheses around an expression. They are a loop here and
// not a level of recursion, however many there are.
func withoutParens(e ast.Expr) ast.Expr {
	for {
		p, ok := e.(*ast.Paren)
		if !ok {
			return e
		}
		e = p.X
	}
}
