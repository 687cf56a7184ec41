package check

import "ftsh/ast"

// mixedBranches looks for output of whole foralls that is taken as it comes.
func mixedBranches(s *script) {
	for _, x := range s.statements {
		if r := takesOutput(x.node.Redirects); r != nil && mixesOutput(x.node) {
			s.addMixed(r.Pos)
		}
	}
	for _, c := range s.commands {
		f := s.functions[c.node.Name()]
		if f == nil || !feedsPipe(c.node, c.in) {
			continue
		}
		for i := range f.Body.List {
			if stmt := &f.Body.List[i]; mixesOutput(stmt) && !redirectsOutput(stmt.Redirects) {
				s.addMixed(stmt.Pos)
			}
		}
	}
}

func (s *script) addMixed(pos ast.Pos) {
	s.addFinding(pos, "branches write in any order, and their lines tear each other",
		"write .grouped. after the list: what each branch writes stays together, in the order of the list")
}

// mixesOutput reports whether a statement is a forall of several branches that write at once.
func mixesOutput(stmt *ast.Stmt) bool {
	loop, ok := stmt.Node.(*ast.For)
	return ok && loop.Kind == ast.All && !loop.Grouped && !oneBranch(loop)
}

// takesOutput returns the redirection that takes standard output into a variable or through =>; nil: there is none.
func takesOutput(list []*ast.Redirect) *ast.Redirect {
	for _, r := range list {
		switch r.Op {
		case ast.ToVar, ast.AppendVar, ast.BothVar, ast.AppendBothVar, ast.Atomic:
			if r.FD <= 1 {
				return r
			}
		}
	}
	return nil
}

// redirectsOutput reports whether standard output goes elsewhere.
func redirectsOutput(list []*ast.Redirect) bool {
	for _, r := range list {
		switch r.Op {
		case ast.In, ast.DupIn, ast.FromVar, ast.Here, ast.HereTabs:
		default:
			if r.FD <= 1 {
				return true
			}
		}
	}
	return false
}
