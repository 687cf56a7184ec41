package check

import (
	"strings"

	"ftsh/ast"
)

// undefinedShellValues looks for values that nothing has defined where they are read.
func undefinedShellValues(s *script) {
	for _, r := range s.refs {
		n := r.node
		if n.Kind != ast.Shell || n.Default != nil {
			continue
		}
		switch {
		case strings.HasPrefix(n.Name, "try."):
			s.outsideOfTry(n, r.in)
		case strings.HasPrefix(n.Name, "last."):
			s.firstAttempt(n, r.in)
		}
	}
}

// tryOf returns the innermost try around a place, or around a call of the function that the place is in. unknown: that
// function has no known caller.
func (s *script) tryOf(in *ast.Place) (t *ast.Try, unknown bool) {
	s.lookOutward(in, func(in *ast.Place) bool {
		if t == nil {
			t, _ = nearestAround[*ast.Try](in)
		}
		f, _ := nearestAround[*ast.Function](in)
		r, _ := nearestAround[*ast.Resource](in)
		unknown = unknown || r != nil || f != nil && len(s.callsOf(f.Name)) == 0
		return t == nil
	})
	return t, unknown
}

func (s *script) outsideOfTry(n *ast.Ref, in *ast.Place) {
	t, unknown := s.tryOf(in)
	switch {
	case unknown:
	case t == nil:
		s.addFinding(n.Pos, "${"+n.Name+"} is undefined outside of a try",
			"read it in the group of a try, its catch or its finally")
	case n.Dotted == ast.TryRemaining && t.For == nil && !s.anyLimit(in):
		s.addFinding(n.Pos, "${try.remaining} is undefined in a try without a time limit",
			"give the try a time, as in try for 1 hour")
	}
}

// anyLimit reports whether another try from which the function is called has a time limit.
func (s *script) anyLimit(in *ast.Place) (found bool) {
	s.lookOutward(in, func(in *ast.Place) bool {
		t, _ := nearestAround[*ast.Try](in)
		found = found || t != nil && t.For != nil
		return t == nil
	})
	return found
}

// firstAttempt reports a value of the attempt before where there may be none.
func (s *script) firstAttempt(n *ast.Ref, in *ast.Place) {
	asksBefore := func(b *ast.Binary) bool { return mentionsAttempt(b) && b.At().Offset < n.Pos.Offset }
	for place := in; place != nil; place = place.Outer {
		switch node := place.Node.(type) {
		case *ast.If:
			for i := range node.Branches {
				if mentionsAttempt(node.Branches[i].Test.Expr) {
					return
				}
			}
		case *ast.Binary:
			if mentionsAttempt(node) {
				return
			}
		case *ast.Function, *ast.Resource:
			return // whoever calls it knows
		case *ast.Try:
			if !inBody(in) || holds(&node.Body, asksBefore) {
				return
			}
			if !mayRepeat(node) && node.Key == nil {
				s.addFinding(n.Pos, "${"+n.Name+"} is never defined: there is one attempt",
					"give the try more attempts, or leave it out")
				return
			}
			s.addFinding(n.Pos, "${"+n.Name+"} is undefined in the first attempt",
				"ask before: if ${try.attempt} .gt. 1, or give a default: ${"+n.Name+":-none}")
			return
		}
	}
	s.addFinding(n.Pos, "${"+n.Name+"} is undefined outside of a try",
		"read it in the group of a try that makes several attempts")
}

func isAttempt(ref *ast.Ref) bool { return ref.Dotted == ast.TryAttempt }

// mentionsAttempt reports whether an expression asks which attempt it is.
func mentionsAttempt(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Paren:
		return mentionsAttempt(e.X)
	case *ast.Unary:
		return mentionsAttempt(e.X)
	case *ast.Binary:
		return mentionsAttempt(e.Left) || mentionsAttempt(e.Right)
	case *ast.Operand:
		return mentionsAny(e.Word, isAttempt)
	}
	return false
}
