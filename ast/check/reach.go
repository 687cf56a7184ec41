package check

import (
	"fmt"

	"ftsh/ast"
)

// unreachable looks for what stands behind a statement that never returns.
func unreachable(s *script) {
	for _, x := range s.groups {
		var last *ast.Stmt // that never returns
		for i := range x.node.List {
			stmt := &x.node.List[i]
			if last != nil && doesSomething(stmt.Node) {
				s.addFinding(stmt.Pos, fmt.Sprintf("this is never reached: the statement of line %d does not return",
					last.Pos.Line),
					"put it before that, or remove it")
				break
			}
			if last == nil && !s.mayReturn(stmt.Node) {
				last = stmt
			}
		}
	}
}

// doesSomething reports whether a statement does something where it stands, and does not only define something.
func doesSomething(n ast.Node) bool {
	switch n.(type) {
	case *ast.Function, *ast.Resource, *ast.SourceFile:
		return false
	}
	return true
}

// mayReturn reports whether what follows a statement may be reached.
func (s *script) mayReturn(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.Return, *ast.Break, *ast.Continue:
		return false
	case *ast.Command:
		switch name := n.Name(); name {
		case "exit", "failure", "giveup", "absent":
			return !s.isCommand(n, name)
		case "exec":
			return !s.isCommand(n, name) || len(n.Words) == 1
		default:
			return s.functionReturns(s.functions[name])
		}
	case *ast.If:
		for i := range n.Branches {
			if s.groupReturns(&n.Branches[i].Body) {
				return true
			}
		}
		return n.Else == nil || s.groupReturns(n.Else)
	case *ast.On:
		return s.groupReturns(&n.Body)
	case *ast.While:
		always, _ := literalText(n.Test.Expr)
		return always != "true" || n.Test.Try != nil || mayBreak(&n.Body)
	}
	return true
}

// functionReturns reports whether a function may return to its caller; nil is no function.
func (s *script) functionReturns(f *ast.Function) bool {
	if f == nil {
		return true
	}
	if returns, known := s.returning[f]; known {
		return returns
	}
	s.returning[f] = true // as long as nothing else is known, so that a function that calls itself comes to an end
	s.returning[f] = holds(&f.Body, func(*ast.Return) bool { return true }) || s.groupReturns(&f.Body)
	return s.returning[f]
}

func (s *script) groupReturns(g *ast.Group) bool {
	for i := range g.List {
		if !s.mayReturn(g.List[i].Node) {
			return false
		}
	}
	return true
}

// mayBreak reports whether a loop's group may end the loop.
func mayBreak(g *ast.Group) (found bool) {
	ast.Walk(g, nil, func(node any, _ *ast.Place) bool {
		switch node.(type) {
		case *ast.Break:
			found = true
		case *ast.For, *ast.While: // a break in there ends that one
			return false
		}
		return !found
	})
	return found
}

// findUnheardAbsents looks for absent where no verify group could hear it. A function may say
// it for a verify group that calls it, perhaps in another file.
func findUnheardAbsents(s *script) {
	verifies := map[string]bool{} // functions that a verify group may run
	called := map[string]bool{}   // functions that something runs
	for _, t := range s.tries {
		s.noteReached(t.node.Verify, verifies)
	}
	for i := range s.files {
		s.noteReached(&s.files[i].Body, called)
	}
	for _, c := range s.commands {
		inVerify := func(t *ast.Try, g *ast.Group) bool { return g == t.Verify }
		if !s.isCommand(c.node, "absent") || tryAround(c.in, inVerify) != nil {
			continue
		}
		if f, _ := nearestAround[*ast.Function](c.in); f == nil || called[f.Name] && !verifies[f.Name] {
			s.addFinding(c.node.Pos, "absent outside of a verify group has nothing to answer",
				"write failure to fail, giveup to make no further attempt, or put it into a verify group")
		}
	}
}

// noteReached notes the functions that a group calls, directly or not. What functions
// themselves consist of is only looked at when they are called.
func (s *script) noteReached(g *ast.Group, seen map[string]bool) {
	call := func(name string) {
		if f := s.functions[name]; f != nil && !seen[name] {
			seen[name] = true
			s.noteReached(&f.Body, seen)
		}
	}
	ast.Walk(g, nil, func(node any, _ *ast.Place) bool {
		switch n := node.(type) {
		case *ast.Function:
			return false
		case *ast.Command:
			call(n.Name())
		case *ast.Call:
			call(n.Name)
		}
		return true
	})
}
