package check

import (
	"slices"

	"ftsh/ast"
)

// splitNames looks for file names from a pattern that are used without quotes.
func splitNames(s *script) {
	for _, r := range s.refs {
		n := r.node
		if n.Quote != ast.Bare || n.Kind != ast.Variable || !s.isFileOf(r.in, n.Name) {
			continue
		}
		word, place := nearestAround[*ast.Word](r.in)
		if word == nil || place.Outer == nil || !s.namesFile(place.Outer.Node, word) {
			continue
		}
		begin := int(n.Pos.Offset)
		s.addFinding(n.Pos, "a name with a blank in it becomes two words here", "write \"$"+n.Name+"\"",
			quoteEdits(n, begin)...)
	}
}

// isFileOf reports whether a variable is the item of a loop around a place which
// goes over files, and is not set again in it.
func (s *script) isFileOf(in *ast.Place, name string) bool {
	for ; in != nil; in = in.Outer {
		if loop, ok := in.Node.(*ast.For); ok && loop.Var.Name == name {
			return !s.changedBy(&loop.Body)[name] && listsFiles(loop)
		}
	}
	return false
}

// listsFiles reports whether a loop goes over the files of a pattern.
func listsFiles(loop *ast.For) bool {
	for _, e := range loop.List {
		o, ok := e.(*ast.Operand)
		if ok && slices.ContainsFunc(o.Word.Parts, func(p ast.Part) bool { _, glob := p.(*ast.Glob); return glob }) {
			return true
		}
	}
	return false
}

// namesFile reports whether a word is handed to a program or function, or names the file of a redirection.
func (s *script) namesFile(holder any, w *ast.Word) bool {
	switch n := holder.(type) {
	case *ast.Command:
		name := n.Name()
		return name != "" && n.Words[0] != w && !s.isBuiltin(name) && name != "echo" && name != "failure" && name != "giveup"
	case *ast.Redirect:
		return n.Target == w
	}
	return false
}

// quoteEdits puts a reference in quotes.
func quoteEdits(ref *ast.Ref, begin int) []Edit {
	length := 1 + len(ref.Name)
	if ref.Braced != ast.NoBrace {
		length += 2
	}
	if ref.Default != nil {
		return nil
	}
	end := begin + length
	return []Edit{{ref.Pos.Source, begin, begin, `"`}, {ref.Pos.Source, end, end, `"`}}
}

// findEaters looks for programs that read the rest of the list which the loop around them reads line by line.
func findEaters(s *script) {
	for _, c := range s.commands {
		t := s.toolOf(c.node)
		if !s.eatsInput(t) || hasOwnInput(c) || !s.inReadLoop(c.in) {
			continue
		}
		s.addFinding(c.node.Pos, t.name+" reads the rest of the list that the loop goes through",
			"write < /dev/null after it, or let the loop read another descriptor: read x <&3 … end 3< file")
	}
}

// inReadLoop reports whether a place is in a loop that reads standard input line by line, or in a function that is
// called there.
func (s *script) inReadLoop(in *ast.Place) (found bool) {
	s.lookOutward(in, func(in *ast.Place) bool {
		call, isCall := in.Node.(*ast.Command)
		if isCall && s.functions[call.Name()] != nil && hasOwnInput(at[*ast.Command]{call, in.Outer}) {
			return false
		}
		found = found || readLoop(in) != nil
		return !found
	})
	return found
}

// readLoop returns the loop around a place that reads standard input line by line.
func readLoop(in *ast.Place) *ast.While {
	for ; in != nil; in = in.Outer {
		loop, ok := in.Node.(*ast.While)
		if !ok {
			if _, isGroup := in.Node.(*ast.Group); isGroup && in.Outer != nil && redirectsInput(in.Outer) {
				return nil
			}
			continue
		}
		test, _ := loop.Test.Try.(*ast.Command)
		if test != nil && test.Name() == "read" && len(test.Redirects) == 0 {
			return loop
		}
	}
	return nil
}

// redirectsInput reports whether a block that is no loop has an input of its own.
func redirectsInput(block *ast.Place) bool {
	if _, loop := block.Node.(*ast.While); loop || block.Outer == nil {
		return false
	}
	stmt, ok := block.Outer.Node.(*ast.Stmt)
	return ok && slices.ContainsFunc(stmt.Redirects, isInput)
}

// isInput reports whether a redirection is of standard input.
func isInput(r *ast.Redirect) bool {
	switch r.Op {
	case ast.In, ast.DupIn, ast.FromVar, ast.Here, ast.HereTabs:
		return r.FD <= 0
	}
	return false
}

// hasOwnInput reports whether a command has an input of its own.
func hasOwnInput(c at[*ast.Command]) bool {
	if slices.ContainsFunc(c.node.Redirects, isInput) {
		return true
	}
	p, ok := c.in.Node.(*ast.Pipeline)
	return ok && p.Stages[0] != c.node
}
