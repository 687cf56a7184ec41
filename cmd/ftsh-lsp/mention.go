package main

import (
	"strings"

	"ftsh/ast"
	"ftsh/ast/constant"
)

// kind says what a name stands for.
type kind int

const (
	variable kind = iota
	function
	resource
	sourced
)

// mention is a name that stands in a text.
type mention struct {
	kind       kind
	name       string
	local      string // the function whose local variable it is, if it is one
	source     *ast.Source
	begin, end int
	defines    bool // it is set or defined here
	stmt       *ast.Stmt
}

// isSame reports whether two mentions mean the same thing.
func (m *mention) isSame(other *mention) bool {
	return m.kind == other.kind && m.name == other.name && m.local == other.local
}

// mentionsIn finds all names in a file and in what it sources.
func mentionsIn(file *ast.File) []mention {
	c := collector{functions: map[string]bool{}}
	for _, f := range file.Functions {
		c.functions[f.Name] = true
	}
	for _, f := range file.Files() {
		ast.Walk(&f.Body, nil, func(node any, in *ast.Place) bool {
			c.in = in
			c.visitNode(node)
			return true
		})
	}
	return c.list
}

type collector struct {
	list      []mention
	functions map[string]bool
	stmt      *ast.Stmt
	in        *ast.Place // of the node that is visited
}

func (c *collector) visitNode(node any) {
	switch n := node.(type) {
	case *ast.Stmt:
		c.stmt = n
	case *ast.Assign:
		c.addVariable(n.Var, c.stmt.Pos, 0, true)
	case *ast.Local:
		c.addVariable(n.Var, c.stmt.Pos, len("local"), true)
	case *ast.Export:
		c.addVariable(n.Var, c.stmt.Pos, len("export"), n.Assign)
	case *ast.Secret:
		after := len("secret")
		for _, v := range n.Vars {
			before := len(c.list)
			if c.addVariable(v, c.stmt.Pos, after, false); len(c.list) > before {
				after = c.list[before].end - int(c.stmt.Pos.Offset)
			}
		}
	case *ast.For:
		c.addVariable(n.Var, c.stmt.Pos, len(n.Kind.String()), true)
	case *ast.Redirect:
		if n.Var.Name != "" {
			c.addVariable(n.Var, n.Pos, 2, n.Op.Captures())
		}
	case *ast.Ref:
		if n.Kind == ast.Variable {
			c.addVariable(n.Var, n.Pos, 1, false)
		}
	case *ast.Command:
		c.visitCommand(n)
	case *ast.Call:
		c.addMention(function, n.Name, n.Pos, 0, false)
	case *ast.Function:
		c.addMention(function, n.Name, c.stmt.Pos, len("function"), true)
	case *ast.Resource:
		c.addMention(resource, n.Name, c.stmt.Pos, len("resource"), true)
	case *ast.Try:
		if n.Via != nil {
			name, _ := n.Via.Literal()
			c.addMention(resource, name, n.Via.Pos, 0, false)
		}
	case *ast.SourceFile:
		if n.File != nil {
			path, _ := n.Path.Literal()
			c.addMention(sourced, path, n.Path.Pos, 0, false)
		}
	}
}

// visitCommand is a call of a function, or sets the variables that read reads.
func (c *collector) visitCommand(n *ast.Command) {
	if c.functions[n.Name()] {
		c.addMention(function, n.Name(), n.Words[0].Pos, 0, false)
		return
	}
	names := constant.Reads(n)
	for i, name := range names {
		c.addMention(variable, name, n.Words[len(n.Words)-len(names)+i].Pos, 0, true)
	}
}

func (c *collector) addVariable(v ast.Var, pos ast.Pos, after int, defines bool) {
	c.addMention(variable, v.Name, pos, after, defines)
	if v.Local == 0 || len(c.list) == 0 {
		return
	}
	for p := c.in; p != nil; p = p.Outer {
		if f, ok := p.Node.(*ast.Function); ok {
			c.list[len(c.list)-1].local = f.Name
		}
	}
}

// addMention notes a name that stands so many bytes, or soon, after a place.
func (c *collector) addMention(k kind, name string, pos ast.Pos, after int, defines bool) {
	text := pos.Source.Text
	from := min(int(pos.Offset)+after, len(text))
	at := strings.Index(text[from:], name)
	if name == "" || at < 0 {
		return
	}
	begin := from + at
	c.list = append(c.list, mention{
		kind: k, name: name, source: pos.Source, begin: begin, end: begin + len(name), defines: defines, stmt: c.stmt,
	})
}
