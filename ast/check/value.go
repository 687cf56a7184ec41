package check

import (
	"slices"

	"ftsh/ast"
)

// findLostValues looks for calls of functions, as commands, that return a value.
func findLostValues(s *script) {
	for _, c := range s.commands {
		name := c.node.Name()
		if f := s.functions[name]; f != nil && holds(&f.Body, func(r *ast.Return) bool { return r.Value != nil }) {
			s.addFinding(c.node.Pos, "function "+name+" returns a value, and nothing takes it here: that is a failure",
				"write "+name+"(…) in an expression, or let it fail with failure, and succeed with return alone")
		}
	}
}

// findJoinedLists looks for "$@" and its kin where there is room for one value.
func findJoinedLists(s *script) {
	for _, r := range s.refs {
		if !r.node.IsList() || r.node.Quote == ast.Document || !wantsOne(r.in) {
			continue
		}
		s.addFinding(r.node.Pos, writtenList(r.node)+" is a list, and one value is wanted here: of several items it "+
			"is a failure",
			`write "$*", which joins arguments, or a loop over them`)
	}
}

func writtenList(ref *ast.Ref) string {
	if ref.Kind == ast.Arguments {
		return "$@"
	}
	return "${" + ref.Name + "}"
}

// wantsOne reports whether a word at a place is one value: an operand other than an item of a loop, the file of a
// redirection, or a default text.
func wantsOne(in *ast.Place) bool {
	word, place := nearestAround[*ast.Word](in)
	if place == nil || place.Outer == nil {
		return false
	}
	switch n := place.Outer.Node.(type) {
	case *ast.Redirect:
		return n.Target == word
	case *ast.Ref:
		return true
	case *ast.Operand:
		loop, isLoop := place.Outer.Outer.Node.(*ast.For)
		return !isLoop || !slices.Contains(loop.List, ast.Expr(n))
	}
	return false
}

// findEchoOptions looks for options that echo has in other shells.
func findEchoOptions(s *script) {
	for _, c := range s.commands {
		if !s.isCommand(c.node, "echo") || len(c.node.Words) < 2 {
			continue
		}
		switch option, _ := c.node.Words[1].Literal(); option {
		case "-e", "-E", "-ne", "-en":
			s.addFinding(c.node.Words[1].Pos, "echo has no option "+option+", and prints it", `write printf "…\n"`)
		}
	}
}
