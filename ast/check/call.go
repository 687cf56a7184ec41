package check

import (
	"fmt"
	"math"

	"ftsh/ast"
)

// arguments compares what functions read with what they are given.
func arguments(s *script) {
	needs := map[string]span{}
	for name, f := range s.functions {
		needs[name] = s.parameters(f)
	}
	for _, c := range s.commands {
		if name := c.node.Name(); s.functions[name] != nil {
			s.compareArguments(c.node.Pos, name, needs[name], givenArguments(c.node.Words[1:]))
		}
	}
	for _, c := range s.calls {
		if n := c.node; s.functions[n.Name] != nil {
			s.compareArguments(n.Pos, n.Name, needs[n.Name], span{len(n.Args), len(n.Args)})
		}
	}
}

// span is a number that lies between two others.
type span struct{ least, most int }

// compareArguments reports a call that surely gives too much or too little.
func (s *script) compareArguments(pos ast.Pos, name string, reads, gets span) {
	instead := "write " + name + " with what it reads; \"…\" makes one argument of several words"
	switch {
	case reads.most == 0 && gets.least > 0:
		s.addFinding(pos, fmt.Sprintf("function %s reads no arguments, and gets %d", name, gets.least), instead)
	case gets.least > reads.most:
		s.addFinding(pos, fmt.Sprintf("function %s reads $%d at most, and gets %d arguments",
			name, reads.most, gets.least), instead)
	case gets.most < reads.least:
		s.addFinding(pos, fmt.Sprintf("function %s reads $%d, and gets %d arguments", name, reads.least, gets.most),
			"give it all that it reads, or let it write ${"+fmt.Sprint(reads.least)+":-text}")
	}
}

// parameters returns the least and the most arguments that a function reads.
func (s *script) parameters(f *ast.Function) span {
	reads, leaves := span{}, int32(math.MaxInt32)
	var certain []at[*ast.Ref]
	ast.Walk(&f.Body, nil, func(node any, in *ast.Place) bool {
		switch n := node.(type) {
		case *ast.Shift:
			reads.most = math.MaxInt
		case *ast.Command:
			switch n.Name() {
			case "set":
				reads.most = math.MaxInt
			case "exit", "failure", "giveup":
				leaves = min(leaves, n.Pos.Offset)
			}
		case *ast.Stmt:
			if _, returns := n.Node.(*ast.Return); returns {
				leaves = min(leaves, n.Pos.Offset)
			}
		case *ast.Ref:
			if n.Kind == ast.Positional {
				reads.most = max(reads.most, n.Index)
			} else if n.Kind == ast.Count || n.Kind == ast.Arguments || n.Kind == ast.Joined {
				reads.most = math.MaxInt
			}
			if n.Kind == ast.Positional && n.Default == nil && !conditional(f, in) {
				certain = append(certain, at[*ast.Ref]{n, in})
			}
		}
		return true
	})
	for _, x := range certain {
		if reads.most < math.MaxInt && statementOf(x.in).Pos.Offset <= leaves {
			reads.least = max(reads.least, x.node.Index)
		}
	}
	return reads
}

// conditional reports whether what stands at a place of a function may not be reached, or may fail unharmed.
func conditional(f *ast.Function, in *ast.Place) bool {
	for ; in != nil; in = in.Outer {
		switch n := in.Node.(type) {
		case *ast.Group:
			if n == &f.Body {
				return false
			}
			if t, ok := in.Outer.Node.(*ast.Try); !ok || n != &t.Body || t.Catch != nil {
				return true
			}
		case *ast.If:
			if len(n.Branches) > 1 {
				return true
			}
		case *ast.Binary:
			if n.Op == ast.And || n.Op == ast.Or {
				return true
			}
		case *ast.Ref:
			return true // within a default
		}
	}
	return false
}

// givenArguments returns the least and the most arguments that some words become.
func givenArguments(words []*ast.Word) (gets span) {
	for _, w := range words {
		one := countArguments(w)
		gets.least += one.least
		if gets.most < math.MaxInt {
			gets.most += one.most
		}
		if one.most == math.MaxInt {
			gets.most = math.MaxInt
		}
	}
	return gets
}

// countArguments returns the least and the most words that one becomes.
func countArguments(w *ast.Word) span {
	n := span{0, 1}
	for _, part := range w.Parts {
		switch part := part.(type) {
		case *ast.Lit, *ast.Tilde:
			n.least = 1
		case *ast.Glob:
			n = span{1, math.MaxInt}
		case *ast.Output:
			if part.Quote == ast.Bare && !writesOneWord(part.Stages()) {
				n.most = math.MaxInt
			} else {
				n.least = 1
			}
		case *ast.Ref:
			splits := part.Quote == ast.Bare && part.Kind != ast.Count && part.Kind != ast.ProcessID
			if splits || part.IsList() {
				n.most = math.MaxInt
			} else {
				n.least = 1
			}
		}
	}
	return n
}
