package check

import (
	"slices"
	"strings"

	"ftsh/ast"
)

// findJobless looks for groups that ask for a batch system, and hold nothing that could be a job.
func findJobless(s *script) {
	for _, stmt := range s.statements {
		n, ok := stmt.node.Node.(*ast.On)
		if !ok || n.Engine == ast.Start || n.Engine == "here" {
			continue
		}
		if name := s.onlyBuiltins(&n.Body); name != "" {
			s.addFinding(stmt.node.Pos, "nothing becomes a job here: "+name+" is a builtin, which stays in the shell",
				"write a program, such as /bin/"+name+" where there is one, or leave the on out")
		}
	}
}

// onlyBuiltins names the first command of a group, if that and all others are builtins; else "".
func (s *script) onlyBuiltins(g *ast.Group) (first string) {
	others := false
	ast.Walk(g, nil, func(node any, _ *ast.Place) bool {
		switch n := node.(type) {
		case *ast.Call:
			others = true
		case *ast.Command:
			name := n.Name()
			others = others || !s.isBuiltin(name) || name == "exec"
			if first == "" {
				first = name
			}
		}
		return !others
	})
	if others {
		return ""
	}
	return first
}

// findUndotted looks for items of loops that were hardly meant as such: .limit for .limit.
func findUndotted(s *script) {
	known := append(ast.Operators(), ast.EngineOptions()...)
	for _, loop := range s.loops {
		for _, item := range loop.node.List {
			o, ok := item.(*ast.Operand)
			if !ok {
				continue
			}
			text, literal := o.Word.Literal()
			source := o.Word.Pos.Source.Text[o.Word.Pos.Offset:]
			if !literal || !strings.HasPrefix(source, text) { // in quotes it is meant so
				continue
			}
			for _, whole := range []string{text + ".", "." + text} {
				if strings.Contains(text, ".") && slices.Contains(known, whole) {
					s.addFinding(o.Word.Pos, text+" is taken as an item of the loop", insteadOf(whole, text))
				}
			}
		}
	}
}

// insteadOf returns what to write for an item that is nearly a word of the language.
func insteadOf(whole, text string) string {
	where := whole
	if whole == ".pilots." {
		where = "on slurm .pilots. N around the loop"
	}
	return "write " + where + ", or \"" + text + "\" if it is an item"
}
