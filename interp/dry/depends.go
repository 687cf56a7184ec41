package dry

import (
	"slices"

	"ftsh/ast"
)

// body is the group of a script, of a function, or of what is sourced.
type body struct {
	function string // "": none
	group    *ast.Group
}

func bodies(file *ast.File) []body {
	list := []body{{"", &file.Body}}
	for _, function := range file.Functions {
		list = append(list, body{function.Name, &function.Body})
	}
	for i := range file.Body.List {
		if sourced, is := file.Body.List[i].Node.(*ast.SourceFile); is {
			list = append(list, bodies(sourced.File)...)
		}
	}
	return list
}

// answers finds what depends on answers that are not there: what a variable captures, and how a program ends.
type answers struct {
	on      map[string][]string // by name, also as returned, arguments and called make it: the names it depends on
	command map[*ast.Command][]string
	grown   bool
}

// What a function may depend on, besides what stands in it.
func returned(function string) string  { return function + "()" }
func arguments(function string) string { return function + "(" }
func called(function string) string    { return function + "?" }

// dependencies finds for each command the names of what it depends on: in its words, and in what decides whether it
// runs.
func dependencies(file *ast.File) *answers {
	a := &answers{map[string][]string{}, map[*ast.Command][]string{}, true}
	for a.grown { // a loop may use what stands further down
		a.grown = false
		for _, body := range bodies(file) {
			ast.Walk(body.group, nil, func(node any, in *ast.Place) bool {
				a.take(node, body.function, in)
				return true
			})
		}
	}
	return a
}

// take notes what a node in a function, or in none, says of variables, functions and commands.
func (a *answers) take(node any, function string, in *ast.Place) {
	switch n := node.(type) {
	case *ast.Redirect:
		if n.Op.Captures() {
			a.add(n.Var.Name, []string{n.Var.Name})
		}
	case *ast.Assign:
		a.add(n.Var.Name, a.around(function, in, n))
	case *ast.Local:
		a.add(n.Var.Name, a.around(function, in, n))
	case *ast.Export:
		a.add(n.Var.Name, a.around(function, in, n))
	case *ast.For:
		a.add(n.Var.Name, a.namesIn(function, expressions(n.List...)...))
	case *ast.Return:
		a.add(returned(function), a.around(function, in, n))
	case *ast.Call:
		a.add(arguments(n.Name), a.namesIn(function, expressions(n.Args...)...))
		a.add(called(n.Name), a.around(function, in))
	case *ast.Command:
		a.command[n] = a.around(function, in, n)
		a.add(arguments(programOf(n)), a.namesIn(function, n))
		a.add(called(programOf(n)), a.around(function, in))
	}
}

// add notes on which names another depends.
func (a *answers) add(name string, on []string) {
	if all := join(a.on[name], on...); len(all) > len(a.on[name]) {
		a.on[name], a.grown = all, true
	}
}

// around returns the names in nodes that stand in a place, and in what decides whether they run.
func (a *answers) around(function string, in *ast.Place, nodes ...ast.Node) []string {
	names := join(a.namesIn(function, nodes...), a.on[called(function)]...)
	for ; in != nil && in.Outer != nil; in = in.Outer {
		if _, inGroup := in.Node.(*ast.Group); inGroup {
			names = join(names, a.namesIn(function, deciding(in.Outer.Node)...)...)
		}
	}
	return names
}

// deciding returns what decides whether the commands in a structure run.
func deciding(node any) (nodes []ast.Node) {
	switch n := node.(type) {
	case *ast.For:
		return expressions(n.List...)
	case *ast.While:
		return tested(n.Test)
	case *ast.If:
		nodes = expressions(n.Case)
		for i := range n.Branches {
			nodes = append(nodes, tested(n.Branches[i].Test)...)
		}
	}
	return nodes
}

// tested returns what a test looks at: of a command its answer, too.
func tested(test ast.Test) []ast.Node {
	nodes := append(expressions(test.Expr), test.Try)
	if c, is := test.Try.(*ast.Command); is && len(c.Words) > 0 {
		answer := &ast.Word{Parts: []ast.Part{&ast.Output{Node: &ast.Command{Words: c.Words[:1]}}}}
		nodes = append(nodes, &ast.Command{Words: []*ast.Word{answer}})
	}
	return nodes
}

// expressions are expressions as nodes.
func expressions(list ...ast.Expr) (nodes []ast.Node) {
	for _, e := range list {
		nodes = append(nodes, &ast.Return{Value: e})
	}
	return nodes
}

// programOf is the first word of a command.
func programOf(c *ast.Command) string {
	if len(c.Words) == 0 {
		return ""
	}
	text, _ := c.Words[0].Literal()
	return text
}

// namesIn returns the names of the answers that nodes use: of variables, and of programs in a ${ command }.
func (a *answers) namesIn(function string, nodes ...ast.Node) (names []string) {
	group := &ast.Group{}
	for _, node := range nodes {
		group.List = append(group.List, ast.Stmt{Node: node})
	}
	ast.Walk(group, nil, func(node any, _ *ast.Place) bool {
		name := ""
		switch n := node.(type) {
		case *ast.Ref:
			name = n.Var.Name
			if n.Kind == ast.Positional || n.Kind == ast.Arguments {
				names = join(names, a.on[arguments(function)]...)
			}
		case *ast.Redirect:
			if n.Op == ast.FromVar {
				name = n.Var.Name
			}
		case *ast.Call:
			name = returned(n.Name)
		case *ast.Output:
			names = join(names, programOf(n.Stages()[0]))
		}
		if len(a.on[name]) > 0 {
			names = join(names, name)
		}
		return true
	})
	return names
}

// goesOn reports whether the test of a while can end it in a dry run: it reads, or looks at a variable that depends on
// no answer, and at no file.
func (a *answers) goesOn(function string, test ast.Test) (can bool) {
	if c, is := test.Try.(*ast.Command); is {
		return programOf(c) == "read"
	}
	if test.Try != nil || len(a.namesIn(function, expressions(test.Expr)...)) > 0 {
		return false
	}
	files := false
	ast.Walk(&ast.Group{List: []ast.Stmt{{Node: &ast.Return{Value: test.Expr}}}}, nil, func(node any, _ *ast.Place) bool {
		switch n := node.(type) {
		case *ast.Ref, *ast.Call:
			can = true
		case *ast.Unary:
			files = files || n.Op >= ast.Exists && n.Op < ast.Defined
		}
		return true
	})
	return can && !files
}

// join adds names that are not among the others.
func join(list []string, more ...string) []string {
	for _, name := range more {
		if name != "" && !slices.Contains(list, name) {
			list = append(slices.Clip(list), name)
		}
	}
	return list
}
