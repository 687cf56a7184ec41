package check

import (
	"slices"

	"ftsh/ast"
)

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
