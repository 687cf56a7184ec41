package units

import (
	"slices"
	"strings"

	"ftsh/ast"
)

// A script holds the functions and names by which commands are told apart.
type script struct {
	functions map[string]*ast.Function
	isBuiltin func(name string) bool
	works     map[*ast.Function]Work // by function, once it was counted
}

func newScript(file *ast.File, isBuiltin func(name string) bool) *script {
	s := &script{functions: map[string]*ast.Function{}, isBuiltin: isBuiltin, works: map[*ast.Function]Work{}}
	for _, f := range file.Functions {
		s.functions[f.Name] = f
	}
	return s
}

// runs returns what a command names, and the function if it is one. A name that is not literal counts as a program.
func (s *script) runs(c *ast.Command) (Runs, *ast.Function) {
	name := c.Name()
	switch f := s.functions[name]; {
	case f != nil:
		return Function, f
	case name != "" && name != "exec" && s.isBuiltin != nil && s.isBuiltin(name):
		return Builtin, nil
	}
	return Program, nil
}

// causeHere is Cause, and sees devices that a script names.
func causeHere(list []*ast.Redirect) *ast.Redirect {
	if r := Cause(list); r != nil {
		return r
	}
	for _, r := range list {
		if name, literal := r.Target.Literal(); literal && slices.Contains(devices, name) {
			return r
		}
	}
	return nil
}

var devices = strings.Fields("/dev/full /dev/null /dev/random /dev/tty /dev/urandom /dev/zero")

// groupsOf returns the groups of a structure.
func groupsOf(node ast.Node) (list []*ast.Group) {
	switch n := node.(type) {
	case *ast.For:
		return []*ast.Group{&n.Body}
	case *ast.While:
		return []*ast.Group{&n.Body}
	case *ast.On:
		return []*ast.Group{&n.Body}
	case *ast.If:
		for i := range n.Branches {
			list = append(list, &n.Branches[i].Body)
		}
		if n.Else != nil {
			list = append(list, n.Else)
		}
	case *ast.Try:
		list = []*ast.Group{&n.Body}
		if n.Finally != nil {
			list = append(list, n.Finally)
		}
	}
	return list
}

// testsOf returns the tests of a structure.
func testsOf(node ast.Node) (list []*ast.Test) {
	switch n := node.(type) {
	case *ast.While:
		return []*ast.Test{&n.Test}
	case *ast.If:
		for i := range n.Branches {
			list = append(list, &n.Branches[i].Test)
		}
	}
	return list
}

// calledInside returns the names of the functions that the expressions of a statement call, not those of its groups.
func calledInside(s *ast.Stmt) (names []string) {
	alone := &ast.Group{List: []ast.Stmt{*s}}
	ast.Walk(alone, nil, func(node any, _ *ast.Place) bool {
		if call, ok := node.(*ast.Call); ok {
			names = append(names, call.Name)
		}
		group, isGroup := node.(*ast.Group)
		return !isGroup || group == alone
	})
	return names
}

// outputsIn returns each ${ command } of a statement, not those of its groups, nor those that stand in others.
func outputsIn(s *ast.Stmt) (list []*ast.Output) {
	alone := &ast.Group{List: []ast.Stmt{*s}}
	ast.Walk(alone, nil, func(node any, _ *ast.Place) bool {
		if o, ok := node.(*ast.Output); ok {
			list = append(list, o)
			return false
		}
		group, isGroup := node.(*ast.Group)
		return !isGroup || group == alone
	})
	return list
}

// workOfOutput counts what a ${ command } runs.
func (s *script) workOfOutput(o *ast.Output) Work {
	if c, ok := o.Node.(*ast.Command); ok {
		return s.workOfCommand(c)
	}
	return Work{Commands: 1}
}

// workOfGroup counts what a group does at the most, redirections apart; of the branches of an if that is one.
func (s *script) workOfGroup(g *ast.Group) (sum Work) {
	for i := range g.List {
		sum = sum.plus(s.workOf(&g.List[i]))
	}
	return sum
}

func (s *script) workOf(stmt *ast.Stmt) (sum Work) {
	for _, name := range calledInside(stmt) {
		sum = sum.plus(s.workOfCall(s.functions[name]))
	}
	for _, o := range outputsIn(stmt) {
		sum = sum.plus(s.workOfOutput(o))
	}
	switch n := stmt.Node.(type) {
	case *ast.Command:
		return sum.plus(s.workOfCommand(n))
	case *ast.Pipeline:
		return sum.plus(Work{Commands: 1})
	}
	for _, t := range testsOf(stmt.Node) {
		sum = sum.plus(s.workOfTest(t))
	}
	var most Work
	_, isIf := stmt.Node.(*ast.If)
	for _, g := range groupsOf(stmt.Node) {
		work := s.workOfGroup(g)
		if sum.Loop = sum.Loop || work.Loop; isIf {
			most.Commands = max(most.Commands, work.Commands)
		} else {
			most.Commands += work.Commands
		}
	}
	sum = sum.plus(most)
	if isLoop(stmt.Node) && sum.Commands > 0 {
		sum.Loop = true
	}
	return sum
}

func (s *script) workOfTest(t *ast.Test) Work {
	switch n := t.Try.(type) {
	case *ast.Command:
		return s.workOfCommand(n)
	case *ast.Pipeline:
		return Work{Commands: 1}
	}
	return Work{}
}

func (s *script) workOfCommand(n *ast.Command) Work {
	runs, f := s.runs(n)
	switch {
	case runs == Function:
		return s.workOfCall(f)
	case OfCommand(runs, n.Redirects) == Unit:
		return Work{Commands: 1}
	}
	return Work{}
}

// workOfCall counts what a function does; none if there is no function. One that calls itself counts once.
func (s *script) workOfCall(f *ast.Function) Work {
	if f == nil {
		return Work{}
	}
	work, known := s.works[f]
	if !known {
		s.works[f] = Work{}
		work = s.workOfGroup(&f.Body)
		s.works[f] = work
	}
	return work
}

// plus adds up to a million: functions that call each other twice would otherwise soon count more than an int holds.
func (w Work) plus(other Work) Work {
	return Work{Commands: min(w.Commands+other.Commands, 1_000_000), Loop: w.Loop || other.Loop}
}

// isLoop reports whether the group of a structure runs as often as there are items, or a test holds.
func isLoop(node ast.Node) bool {
	n, isFor := node.(*ast.For)
	_, isWhile := node.(*ast.While)
	return isWhile || isFor && n.Kind != ast.Any
}
