package check

import (
	"slices"
	"strings"

	"ftsh/ast"
)

// halfFiles looks for files that hold half of the output when the last attempt fails.
func halfFiles(s *script) {
	for _, c := range s.commands {
		name := c.node.Name()
		if len(c.node.Redirects) == 0 || len(c.node.Words) == 0 || s.isBuiltin(name) || s.functions[name] != nil {
			continue
		}
		t := s.tryOver(c.in, repeats)
		for _, r := range c.node.Redirects {
			if t == nil || r.Op != ast.Out || r.FD > 1 || isDevice(r.Target) || isLog(r.Target) {
				continue
			}
			if !s.usesAgain(t, c.in, r) && !mentionsAny(r.Target, isAttempt) {
				s.addFinding(r.Pos, "if an attempt fails, the file holds half of its output", writeAtomic, atomicEdits(r)...)
			}
		}
	}
}

// isLog reports whether a file is called a log, of which half is better than nothing.
func isLog(target *ast.Word) bool { return strings.Contains(strings.ToLower(shapeOf(target)), "log") }

// usesAgain reports whether a try, or the function that it calls, does something more with a file: renames it, reads
// it or removes it. Then its name is not that of the result.
func (s *script) usesAgain(t *ast.Try, in *ast.Place, out *ast.Redirect) bool {
	target := fileOf(out.Target)
	groups := []*ast.Group{&t.Body, t.Verify, t.Catch, t.Finally}
	if f, _ := nearestAround[*ast.Function](in); f != nil {
		groups = append(groups, &f.Body)
	}
	return slices.ContainsFunc(groups, func(g *ast.Group) bool {
		return holds(g, func(w *ast.Word) bool { return w != out.Target && fileOf(w) == target })
	})
}

// mixedFiles looks for branches that append to one file. What a builtin writes is a
// whole line; a program writes when its buffer is full.
func mixedFiles(s *script) {
	for _, r := range s.redirects {
		if r.node.Op != ast.Append && r.node.Op != ast.AppendBoth || isDevice(r.node.Target) || isLog(r.node.Target) {
			continue
		}
		c, _ := r.in.Node.(*ast.Command)
		if c == nil || c.Name() == "echo" || s.functions[c.Name()] != nil {
			continue
		}
		if loop, changing := s.branchOf(r.in); loop != nil && !dependsOn(r.node.Target, changing) {
			s.addFinding(r.node.Pos, "the branches write to this file at the same time: their lines mix",
				"let each branch write a file of its own, and put them together after the loop")
		}
	}
}
