package check

import (
	"maps"
	"slices"

	"ftsh/ast"
	"ftsh/ast/constant"
)

// branchOf returns the forall whose branch a place is in, also through functions that it calls, and the variables
// that change from branch to branch; nil if there is none.
func (s *script) branchOf(in *ast.Place) (loop *ast.For, changing map[string]bool) {
	changing = map[string]bool{}
	s.lookOutward(in, func(in *ast.Place) bool {
		for ; in != nil && loop == nil; in = in.Outer {
			switch n := in.Node.(type) {
			case *ast.For:
				maps.Copy(changing, s.changingVariables(n))
				if n.Kind == ast.All {
					loop = n
				}
			case *ast.Function:
				maps.Copy(changing, s.changedBy(&n.Body))
			}
		}
		return loop == nil
	})
	return loop, changing
}

// sharedFiles looks for files that each branch makes anew.
func sharedFiles(s *script) {
	for _, r := range s.redirects {
		switch r.node.Op {
		case ast.Out, ast.Both, ast.Atomic:
		default:
			continue
		}
		loop, changing := s.branchOf(r.in)
		if loop == nil || isDevice(r.node.Target) || dependsOn(r.node.Target, changing) {
			continue
		}
		// Where a branch changes the directory, a name means another file in each.
		if oneBranch(loop) || holds(&loop.Body, func(c *ast.Command) bool { return s.isCommand(c, "cd") }) {
			continue
		}
		s.addFinding(r.node.Pos, "every branch writes this file, and one of them is left",
			"let each branch write a file of its own, as in report.$"+loop.Var.Name)
	}
}

// oneBranch reports whether a forall surely has one branch at the most.
func oneBranch(loop *ast.For) bool {
	if len(loop.List) != 1 {
		return len(loop.List) == 0
	}
	_, literal := literalText(loop.List[0])
	return literal
}

// lostAssignments looks for variables that only a branch or a stage sets, and that something after it reads.
func lostAssignments(s *script) {
	for _, x := range s.statements {
		set := map[string]ast.Pos{}
		switch n := x.node.Node.(type) {
		case *ast.For:
			if n.Kind == ast.All {
				s.noteAssigned(&n.Body, set)
				delete(set, n.Var.Name)
			}
		case *ast.Pipeline:
			for _, stage := range n.Stages {
				s.assignedBy(stage, set)
			}
		}
		for name, pos := range set {
			if s.readNext(x, name) {
				s.addFinding(pos, "what is assigned to "+name+" here stays here: it has its old value behind that",
					"let the branch or stage write it to a file of its own, or capture it: -> "+name)
			}
		}
	}
}

// noteAssigned notes the variables that a group sets, but for those of functions.
func (s *script) noteAssigned(g *ast.Group, set map[string]ast.Pos) {
	note := func(name string, pos ast.Pos) {
		if _, known := set[name]; !known {
			set[name] = pos
		}
	}
	ast.Walk(g, nil, func(node any, in *ast.Place) bool {
		switch n := node.(type) {
		case *ast.Stmt:
			if a, ok := n.Node.(*ast.Assign); ok {
				note(a.Var.Name, n.Pos)
			}
		case *ast.Command:
			for _, name := range constant.Reads(n) {
				note(name, n.Pos)
			}
		case *ast.Redirect:
			if n.Op.Captures() {
				note(n.Var.Name, n.Pos)
			}
		}
		return true
	})
}

// assignedBy notes the variables that a stage sets, other than by a redirection: a read, or a function.
func (s *script) assignedBy(stage *ast.Command, set map[string]ast.Pos) {
	for _, name := range constant.Reads(stage) {
		set[name] = stage.Pos
	}
	f := s.functions[stage.Name()]
	if f == nil {
		return
	}
	inside := map[string]ast.Pos{}
	s.noteAssigned(&f.Body, inside)
	for name := range inside {
		if !s.localNames(f)[name] {
			set[name] = stage.Pos
		}
	}
}

// localNames are the variables that a function declares.
func (s *script) localNames(f *ast.Function) map[string]bool {
	if names := s.declared[f]; names != nil {
		return names
	}
	names := map[string]bool{}
	s.declared[f] = names
	ast.Walk(&f.Body, nil, func(node any, _ *ast.Place) bool {
		if n, ok := node.(*ast.Local); ok {
			names[n.Var.Name] = true
		}
		return true
	})
	return names
}

// readNext reports whether what comes after a statement, in the groups around it, reads a variable before it
// surely sets it again.
func (s *script) readNext(x at[*ast.Stmt], name string) (found bool) {
	inner := any(x.node)
	for in := x.in; in != nil && !found; in = in.Outer {
		g, ok := in.Node.(*ast.Group)
		if !ok {
			if n, isStmt := in.Node.(*ast.Stmt); isStmt {
				inner = n
			}
			continue
		}
		behind := false
		for i := range g.List {
			stmt := &g.List[i]
			if behind {
				reads, sets := s.usesVariable(stmt, name)
				if reads {
					return true
				}
				if sets {
					return false
				}
			}
			behind = behind || any(stmt) == inner
		}
		if in.Outer != nil {
			if _, isFunction := in.Outer.Node.(*ast.Function); isFunction {
				return false
			}
		}
	}
	return found
}

// usesVariable reports whether a statement reads a variable first, or surely sets it.
func (s *script) usesVariable(stmt *ast.Stmt, name string) (reads, sets bool) {
	g := &ast.Group{List: []ast.Stmt{*stmt}}
	ast.Walk(g, nil, func(node any, in *ast.Place) bool {
		switch n := node.(type) {
		case *ast.Function:
			return false
		case *ast.Ref:
			reads = reads || n.Kind == ast.Variable && n.Name == name && !sets
		case *ast.For:
			sets = sets || n.Var.Name == name
		case *ast.Redirect:
			reads = reads || n.Op == ast.FromVar && n.Var.Name == name && !sets
		}
		return true
	})
	list := stmt.Redirects
	switch n := stmt.Node.(type) {
	case *ast.Assign:
		sets = sets || n.Var.Name == name
	case *ast.Command:
		sets = sets || slices.Contains(constant.Reads(n), name)
		list = slices.Concat(list, n.Redirects)
	}
	for _, r := range list {
		sets = sets || r.Op.Captures() && r.Var.Name == name
	}
	return reads, sets
}
