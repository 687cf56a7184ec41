package check

import (
	"regexp"
	"slices"
	"strings"

	"ftsh/ast"
)

// isDecided reports whether what was asked before a place leaves only values there that are one word: the place is in
// the when of such words, or behind an if whose other branches leave.
func (s *script) isDecided(ref *ast.Ref, in *ast.Place) bool {
	if !s.asks()[ref.Name] {
		return false
	}
	for place, before := range groupsAround(in) {
		for i := len(before.List) - 1; i >= 0; i-- {
			if n, ok := before.List[i].Node.(*ast.If); ok && s.leavesWord(n, ref) {
				return !s.changesValue(ref, &ast.Group{List: before.List[i:]})
			}
		}
		group := place.Node.(*ast.Group)
		if place.Outer == nil || s.changesValue(ref, group) {
			return false
		}
		if n, ok := place.Outer.Node.(*ast.If); ok {
			branch := slices.IndexFunc(n.Branches, func(b ast.Branch) bool { return b.Body.Pos == group.Pos })
			if branch < 0 {
				branch = len(n.Branches)
			}
			if decidesBranch(n, branch, ref) {
				return true
			}
		}
	}
	return false
}

// changesValue reports whether a group gives another value to a variable, or to an argument.
func (s *script) changesValue(ref *ast.Ref, g *ast.Group) bool {
	if ref.Kind == ast.Variable {
		return s.changedBy(g)[ref.Name]
	}
	return shiftsArguments(g)
}

// leavesWord reports whether an if goes on only where a value is one word.
func (s *script) leavesWord(n *ast.If, ref *ast.Ref) bool {
	for i := range n.Branches {
		if s.groupReturns(&n.Branches[i].Body) && !decidesBranch(n, i, ref) {
			return false
		}
	}
	if n.Else == nil && n.Case != nil {
		return true // a case of which no when matches fails
	}
	return n.Else != nil && !s.groupReturns(n.Else) || decidesBranch(n, len(n.Branches), ref)
}

// decidesBranch reports whether a branch of an if is reached only where a value is one word: the tests before it have
// not held. The branch behind the last is the else.
func decidesBranch(n *ast.If, branch int, ref *ast.Ref) bool {
	for i := range n.Branches[:min(branch+1, len(n.Branches))] {
		switch test := &n.Branches[i].Test; {
		case test.Expr != nil && decides(test.Expr, ref, i == branch):
			return true
		case i == branch && n.Case != nil && isOnly(n.Case, ref) && !slices.ContainsFunc(test.Patterns, isNoWord):
			return true
		}
	}
	return false
}

// isNoWord reports whether a pattern is not a word that is written out.
func isNoWord(w *ast.Word) bool {
	text, literal := w.Literal()
	return !literal || text == "" || strings.ContainsAny(text, " \t\n")
}

// isOnly reports whether an expression is that value.
func isOnly(e ast.Expr, ref *ast.Ref) bool {
	other := onlyRef(e)
	return other != nil && other.Kind == ref.Kind && other.Name == ref.Name && other.Portion == ast.Whole
}

// decides reports whether a value is one word where an expression is true, or where it is false.
func decides(e ast.Expr, ref *ast.Ref, is bool) bool {
	switch e := e.(type) {
	case *ast.Paren:
		return decides(e.X, ref, is)
	case *ast.Unary:
		return e.Op == ast.Not && decides(e.X, ref, !is)
	case *ast.Binary:
		switch left, right := isOnly(e.Left, ref), isOnly(e.Right, ref); {
		case e.Op == ast.And || e.Op == ast.Or:
			one, other := decides(e.Left, ref, is), decides(e.Right, ref, is)
			return one && other || (one || other) && (e.Op == ast.And) == is
		case !left && !right:
			return false
		case e.Op == ast.Matches:
			text, written := literalText(e.Right)
			return left && written && matchesWords(text, is)
		case isArithmetic(e.Op):
			return true // it is a number, or this is a failure
		case left:
			return (e.Op == ast.Eq) == is && isWordText(e.Right)
		default:
			return (e.Op == ast.Eq) == is && isWordText(e.Left)
		}
	}
	return false
}

func isWordText(e ast.Expr) bool {
	o, ok := e.(*ast.Operand)
	return ok && !isNoWord(o.Word)
}

// matchesWords reports whether a pattern matches no text with a blank, or all of them.
func matchesWords(pattern string, is bool) bool {
	p, err := regexp.Compile(pattern)
	whole := strings.HasPrefix(pattern, "^") && strings.HasSuffix(pattern, "$")
	return err == nil && (whole || !is) && !slices.ContainsFunc([]string{"a b", "A_b -.x", "1 2", "/ /", " "},
		func(text string) bool { return p.MatchString(text) == is })
}

// asksFor reports whether an expression or a test of the script looks at a value, or at the file that it names, or
// ${x:?} before.
func (s *script) asksFor(ref *ast.Ref) bool {
	return s.asks()[ref.Name] || slices.ContainsFunc(s.musts, func(r *ast.Ref) bool {
		return r.Name == ref.Name && r.Pos.Source == ref.Pos.Source && r.Pos.Offset < ref.Pos.Offset
	})
}

// asks are the names of all values at which an expression or a test looks.
func (s *script) asks() map[string]bool {
	if s.asked != nil {
		return s.asked
	}
	s.asked = map[string]bool{}
	for _, r := range s.refs {
		if r.node.Must {
			s.musts = append(s.musts, r.node)
		}
		if isAsked(r.in) {
			s.asked[r.node.Name] = true
		}
	}
	return s.asked
}

// isAsked reports whether a place is in an expression that looks at a value, or in a test that does.
func isAsked(in *ast.Place) bool {
	isRun := false // by a command, whose output nothing looks at
	for ; in != nil; in = in.Outer {
		switch n := in.Node.(type) {
		case *ast.Group:
			return false
		case *ast.Command:
			if isRun = true; n.Name() == "test" || n.Name() == "[" {
				return true
			}
		case *ast.Output:
			isRun = false
		case *ast.Binary, *ast.Unary, *ast.If:
			return !isRun
		}
	}
	return false
}
