package dry

import (
	"slices"

	"ftsh/ast"
)

// bodies are the groups of a script, of its functions, and of what it sources.
func bodies(file *ast.File) []*ast.Group {
	list := []*ast.Group{&file.Body}
	for _, function := range file.Functions {
		list = append(list, &function.Body)
	}
	for i := range file.Body.List {
		if sourced, is := file.Body.List[i].Node.(*ast.SourceFile); is {
			list = append(list, bodies(sourced.File)...)
		}
	}
	return list
}

// unanswered are the variables that hold an answer that is not there, or what was made of one.
type unanswered map[string]bool

// dependencies returns, by command, the names of what it depends on: in its words, and in what decides whether it runs.
func dependencies(file *ast.File) map[*ast.Command][]string {
	u, list := unanswered{}, map[*ast.Command][]string{}
	for known := -1; known < len(u); { // a loop may use what stands further down
		known = len(u)
		for _, body := range bodies(file) {
			ast.Walk(body, nil, func(node any, in *ast.Place) bool {
				u.take(node)
				if c, is := node.(*ast.Command); is {
					list[c] = u.namesIn(c)
					for ; in != nil && in.Outer != nil; in = in.Outer {
						if _, inGroup := in.Node.(*ast.Group); inGroup {
							list[c] = join(list[c], u.deciding(in.Outer.Node)...)
						}
					}
				}
				return true
			})
		}
	}
	return list
}

// take notes the variables that a node gives such an answer.
func (u unanswered) take(node any) {
	switch n := node.(type) {
	case *ast.Redirect:
		if n.Op == ast.ToVar || n.Op == ast.AppendVar || n.Op == ast.BothVar || n.Op == ast.AppendBothVar {
			u[n.Var.Name] = true
		}
	case *ast.Assign:
		u.assign(n.Var.Name, n.Value)
	case *ast.Local:
		u.assign(n.Var.Name, n.Value)
	case *ast.Export:
		u.assign(n.Var.Name, n.Value)
	case *ast.For:
		u.assign(n.Var.Name, n.List...)
	}
}

func (u unanswered) assign(variable string, list ...ast.Expr) {
	if len(u.namesIn(expressions(list...)...)) > 0 {
		u[variable] = true
	}
}

// deciding returns the names in what decides whether the commands in a structure run.
func (u unanswered) deciding(node any) (names []string) {
	var tests []ast.Test
	switch n := node.(type) {
	case *ast.For:
		return u.namesIn(expressions(n.List...)...)
	case *ast.While:
		tests = append(tests, n.Test)
	case *ast.If:
		names = u.namesIn(expressions(n.Case)...)
		for i := range n.Branches {
			tests = append(tests, n.Branches[i].Test)
		}
	}
	for _, test := range tests {
		names = join(names, u.namesIn(append(expressions(test.Expr), test.Try)...)...)
		if c, is := test.Try.(*ast.Command); is {
			names = join(names, programOf(c))
		}
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
	text, _ := c.Words[0].Literal()
	return text
}

// namesIn returns the names of the answers that nodes use: of variables, and of programs in a ${ command }.
func (u unanswered) namesIn(nodes ...ast.Node) (names []string) {
	for _, node := range nodes {
		ast.Walk(&ast.Group{List: []ast.Stmt{{Node: node}}}, nil, func(node any, _ *ast.Place) bool {
			switch n := node.(type) {
			case *ast.Ref:
				if u[n.Var.Name] {
					names = join(names, n.Var.Name)
				}
			case *ast.Redirect:
				if n.Op == ast.FromVar && u[n.Var.Name] {
					names = join(names, n.Var.Name)
				}
			case *ast.Output:
				names = join(names, programOf(n.Stages()[0]))
			}
			return true
		})
	}
	return names
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
