package check

import (
	"slices"
	"strconv"

	"ftsh/ast"
)

// given is an argument of a call: it sets the parameter of that number.
type given struct {
	before []*ast.Word // up to itself, of a command
	value  ast.Expr
}

// parameter stands for an argument of a function.
func parameter(f *ast.Function, number int) held { return held{strconv.Itoa(number), f} }

// noteArguments notes what the calls of functions give them.
func (v *values) noteArguments() {
	named := map[string]bool{} // as an argument, perhaps of what calls it
	for _, c := range v.s.commands {
		for _, text := range literals(c.node.Words[min(1, len(c.node.Words)):]) {
			named[text] = true
		}
	}
	for _, f := range v.s.files[0].Functions {
		calls := v.s.callsOf(f.Name)
		v.open[f] = len(calls) == 0 || named[f.Name] || shiftsArguments(&f.Body)
		for _, call := range calls {
			v.noteCall(f, call)
		}
	}
}

// noteCall notes what a call of a function gives it.
func (v *values) noteCall(f *ast.Function, call *ast.Place) {
	switch n := call.Node.(type) {
	case *ast.Command:
		for i, w := range n.Words[1:] {
			v.noteSetter(parameter(f, i+1), &given{n.Words[1 : i+2], &ast.Operand{Word: w}}, call.Outer)
		}
	case *ast.Call:
		for i, e := range n.Args {
			v.noteSetter(parameter(f, i+1), &given{value: e}, call.Outer)
		}
	}
}

// argumentOf returns what a numbered argument may be: anything, unless all calls of the function are known.
func (v *values) argumentOf(ref *ast.Ref, in *ast.Place) *contents {
	f, _ := nearestAround[*ast.Function](in)
	if c := v.known[parameter(f, ref.Index)]; f != nil && !v.open[f] && c != nil {
		return c
	}
	return &contents{blank: true, empty: true}
}

// mayBeMoved reports whether words before an argument, or it itself, may be several, so that it may be any.
func (v *values) mayBeMoved(g *given, in *ast.Place) bool {
	return slices.ContainsFunc(g.before, func(w *ast.Word) bool {
		return isList(w) || slices.ContainsFunc(w.Parts, func(part ast.Part) bool {
			switch part := part.(type) {
			case *ast.Glob:
				return true
			case *ast.Output:
				return part.Quote == ast.Bare && writesSeveralWords(part.Stages())
			case *ast.Ref:
				return part.Quote == ast.Bare && v.maySplit(part, in)
			}
			return false
		})
	})
}

// isList reports whether a word holds "$@" or its kin.
func isList(w *ast.Word) bool { return mentionsAny(w, (*ast.Ref).IsList) }
