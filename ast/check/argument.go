package check

import (
	"slices"

	"ftsh/ast"
	"ftsh/ast/constant"
)

// readArgumentsRun notes what functions run that are given a command: `retry curl …`, where retry has a try with "$@"
// in it. It counts as standing in that try, at the call.
func (s *script) readArgumentsRun() {
	runners := map[*ast.Function]int{} // with the number of arguments that they take off before
	for _, c := range s.commands {
		if f, _ := nearestAround[*ast.Function](c.in); f != nil && s.argumentsAt(c.node) >= 0 {
			runners[f] = shiftedBy(f)
		}
	}
	for _, call := range s.commands {
		f := s.functions[call.node.Name()]
		skip, runs := runners[f]
		if !runs || skip < 0 || len(call.node.Words) <= skip+1 {
			continue
		}
		given := call.node.Words[skip+1:]
		ast.Walk(&f.Body, &ast.Place{Outer: call.in, Node: call.node}, func(node any, in *ast.Place) bool {
			c, isCommand := node.(*ast.Command)
			if !isCommand {
				return true
			}
			if i := s.argumentsAt(c); i >= 0 {
				inner := &ast.Command{Pos: given[0].Pos, Words: slices.Concat(c.Words[:i], given, c.Words[i+1:])}
				s.handed = append(s.handed, at[*ast.Command]{inner, in})
				s.readHanded(at[*ast.Command]{inner, in}, s.toolOf(inner))
			}
			return true
		})
	}
}

// argumentsAt returns where "$@" stands in a command as the program that it runs, perhaps behind env, timeout and their
// kin; -1: it runs something else.
func (s *script) argumentsAt(c *ast.Command) int {
	i := slices.IndexFunc(c.Words, func(w *ast.Word) bool {
		ref := onlyRef(&ast.Operand{Word: w})
		return ref != nil && ref.Kind == ast.Arguments
	})
	if i <= 0 {
		return i
	}
	const program = "given"
	named := &ast.Command{Words: append(slices.Clone(c.Words[:i]), &ast.Word{Parts: []ast.Part{&ast.Lit{Text: program}}})}
	if s.toolOf(named).name != program {
		return -1
	}
	return i
}

// shiftedBy returns the number of arguments that a function takes off; -1: that is not known.
func shiftedBy(f *ast.Function) int {
	sum := 0
	ast.Walk(&f.Body, nil, func(node any, in *ast.Place) bool {
		n, shifts := node.(*ast.Shift)
		if !shifts {
			return true
		}
		by, known := int64(1), true
		if n.By != nil {
			by, known = constant.Values(nil).Integer(n.By)
		}
		stmt, place := nearestAround[*ast.Stmt](in)
		if !known || stmt == nil || place.Outer.Node != any(&f.Body) || sum < 0 {
			sum = -1
			return true
		}
		sum += int(by)
		return true
	})
	return sum
}
