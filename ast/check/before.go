package check

import (
	"iter"
	"slices"

	"ftsh/ast"
)

// groupsAround yields the groups around a place, the innermost first, each with those of its statements that come
// before the place. Those around a function are others.
func groupsAround(in *ast.Place) iter.Seq2[*ast.Place, *ast.Group] {
	return func(yield func(*ast.Place, *ast.Group) bool) {
		var inner *ast.Stmt
		for ; in != nil; in = in.Outer {
			switch n := in.Node.(type) {
			case *ast.Function:
				return
			case *ast.Stmt:
				inner = n
			case *ast.Group:
				i := 0
				for inner != nil && &n.List[i] != inner {
					i++
				}
				if !yield(in, &ast.Group{List: n.List[:i]}) {
					return
				}
			}
		}
	}
}

// beginsAnew reports whether each attempt makes a file anew, or removes it, before what stands at a place appends to
// that.
func (s *script) beginsAnew(target *ast.Word, in *ast.Place) bool {
	found := mentionsAny(target, isAttempt)
	s.lookOutward(in, func(in *ast.Place) bool {
		for place, before := range groupsAround(in) {
			steps := s.appendSteps(nil, before, map[*ast.Function]bool{})
			found = found || s.makesAnew(&ast.Group{List: steps}, target)
			if found || place.Outer != nil && tryAround(place, repeats) != tryAround(place.Outer, repeats) {
				return false
			}
		}
		return true
	})
	return found
}

// removers are programs after which a file that they name is gone, or made anew.
var removers = []string{"mv", "rm", "tee", "truncate", "unlink"}

// makesAnew reports whether a group makes a file anew, whatever happens, or removes it.
func (s *script) makesAnew(g *ast.Group, target *ast.Word) (found bool) {
	is := func(w *ast.Word) bool { return fileOf(w) == fileOf(target) }
	ast.Walk(g, nil, func(node any, in *ast.Place) bool {
		switch n := node.(type) {
		case *ast.Redirect:
			perhaps, _ := nearestAround[*ast.If](in)
			found = found || perhaps == nil && slices.Contains([]ast.RedirectOp{ast.Out, ast.Both, ast.Atomic}, n.Op) &&
				is(n.Target) || n.Op.Captures() && isTemporary(writtenIn(in)) && mentionsVariable(target, n.Var.Name)
		case *ast.Assign:
			o, ok := n.Value.(*ast.Operand)
			found = found || ok && runsAny(o.Word, isTemporary) && mentionsVariable(target, n.Var.Name)
		case *ast.Command:
			t := s.toolOf(n)
			found = found || slices.Contains(removers, t.name) && !t.appendsByItself() && slices.ContainsFunc(t.list[1:], is) ||
				s.makes(n, is)
		}
		return !found
	})
	return found
}

// isTemporary reports whether a command makes a new file or folder each time.
func isTemporary(stages []*ast.Command) bool { return len(stages) == 1 && stages[0].Name() == "mktemp" }

func mentionsVariable(w *ast.Word, name string) bool {
	return mentionsAny(w, func(ref *ast.Ref) bool { return ref.Kind == ast.Variable && ref.Name == name })
}
