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

// answers finds what depends on answers that are not there.
type answers struct {
	missing map[string]bool     // the variables that hold one, or what was made of one, and as f() what a function returns
	given   map[string][]string // by function: what its arguments are made of
	called  map[string][]string // by function: what decides whether it is called
	list    map[*ast.Command][]string
	grown   bool
}

// dependencies finds for each command the names of what it depends on: in its words, and in what decides whether it
// runs.
func dependencies(file *ast.File) *answers {
	a := &answers{map[string]bool{}, map[string][]string{}, map[string][]string{}, map[*ast.Command][]string{}, true}
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
			a.miss(n.Var.Name, []string{n.Var.Name})
		}
	case *ast.Assign:
		a.miss(n.Var.Name, a.around(function, in, n))
	case *ast.Local:
		a.miss(n.Var.Name, a.around(function, in, n))
	case *ast.Export:
		a.miss(n.Var.Name, a.around(function, in, n))
	case *ast.For:
		a.miss(n.Var.Name, a.namesIn(function, expressions(n.List...)...))
	case *ast.Return:
		a.miss(function+"()", a.around(function, in, n))
	case *ast.Call:
		a.add(a.given, n.Name, a.namesIn(function, expressions(n.Args...)...))
		a.add(a.called, n.Name, a.around(function, in))
	case *ast.Command:
		a.list[n] = a.around(function, in, n)
		a.add(a.given, programOf(n), a.namesIn(function, n))
		a.add(a.called, programOf(n), a.around(function, in))
	}
}

// miss notes what depends on these names.
func (a *answers) miss(name string, on []string) {
	if len(on) > 0 && !a.missing[name] {
		a.missing[name], a.grown = true, true
	}
}

// add notes on which names a function depends.
func (a *answers) add(to map[string][]string, function string, on []string) {
	if all := join(to[function], on...); len(all) > len(to[function]) {
		to[function], a.grown = all, true
	}
}

// around returns the names in nodes that stand in a place, and in what decides whether they run.
func (a *answers) around(function string, in *ast.Place, nodes ...ast.Node) []string {
	names := join(a.namesIn(function, nodes...), a.called[function]...)
	for ; in != nil && in.Outer != nil; in = in.Outer {
		if _, inGroup := in.Node.(*ast.Group); inGroup {
			names = join(names, a.deciding(function, in.Outer.Node)...)
		}
	}
	return names
}

// deciding returns the names in what decides whether the commands in a structure run.
func (a *answers) deciding(function string, node any) (names []string) {
	switch n := node.(type) {
	case *ast.For:
		return a.namesIn(function, expressions(n.List...)...)
	case *ast.While:
		return a.namesInTest(function, n.Test)
	case *ast.If:
		names = a.namesIn(function, expressions(n.Case)...)
		for i := range n.Branches {
			names = join(names, a.namesInTest(function, n.Branches[i].Test)...)
		}
	}
	return names
}

func (a *answers) namesInTest(function string, test ast.Test) []string {
	names := a.namesIn(function, append(expressions(test.Expr), test.Try)...)
	if c, is := test.Try.(*ast.Command); is {
		names = join(names, programOf(c))
	}
	return names
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
	for _, node := range nodes {
		ast.Walk(&ast.Group{List: []ast.Stmt{{Node: node}}}, nil, func(node any, _ *ast.Place) bool {
			name := ""
			switch n := node.(type) {
			case *ast.Ref:
				name = n.Var.Name
				if n.Kind == ast.Positional || n.Kind == ast.Arguments {
					names = join(names, a.given[function]...)
				}
			case *ast.Redirect:
				if n.Op == ast.FromVar {
					name = n.Var.Name
				}
			case *ast.Call:
				name = n.Name + "()"
			case *ast.Output:
				names = join(names, programOf(n.Stages()[0]))
			}
			if a.missing[name] {
				names = join(names, name)
			}
			return true
		})
	}
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
