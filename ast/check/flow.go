package check

import "ftsh/ast"

// use is a variable, or an argument of a function (of the script, if there is no function).
type use struct {
	variable held
	of       *ast.Function
	number   int
}

// Numbers of arguments.
const (
	allArguments = 0  // as "$@" has them
	anyArgument  = -1 // one of them, or all
)

// usesOf returns what a reference uses.
func (v *values) usesOf(ref *ast.Ref, in *ast.Place) []use {
	f, _ := nearestAround[*ast.Function](in)
	switch {
	case ref.Kind == ast.Variable:
		return []use{{variable: v.heldAt(ref.Name, in)}}
	case ref.Kind == ast.Positional && ref.Index > 0:
		return []use{{of: f, number: ref.Index}, {of: f, number: anyArgument}}
	case ref.Kind == ast.Arguments || ref.Kind == ast.Joined:
		return []use{{of: f, number: allArguments}, {of: f, number: anyArgument}}
	}
	return nil
}

// changesFile reports whether a value names a file that a program changes: as it stands, or after it was copied.
func (v *values) changesFile(u use) bool {
	seen := map[use]bool{u: true}
	for list := []use{u}; len(list) > 0; list = list[1:] {
		if v.changed[list[0]] {
			return true
		}
		for _, to := range v.copies[list[0]] {
			if !seen[to] {
				seen[to] = true
				list = append(list, to)
			}
		}
	}
	return false
}

// followCopies notes which values name files that programs change, and where values are copied to: variables, items,
// arguments of functions.
func (v *values) followCopies() {
	for _, c := range v.s.commands {
		f := v.s.functions[c.node.Name()]
		changes := f == nil && v.s.toolOf(c.node).changesFiles()
		for i, w := range c.node.Words {
			for _, u := range v.usesIn(w, c.in) {
				switch {
				case changes:
					v.changed[u] = true
				case f != nil && i > 0:
					v.copies[u] = append(v.copies[u], use{of: f, number: i}, use{of: f, number: allArguments})
				}
			}
		}
	}
	for _, x := range v.s.statements {
		switch n := x.node.Node.(type) {
		case *ast.Assign:
			v.copy(n.Var.Name, x.in, n.Value)
		case *ast.Local:
			v.copy(n.Var.Name, x.in, n.Value)
		case *ast.Export:
			v.copy(n.Var.Name, x.in, n.Value)
		case *ast.For:
			v.copy(n.Var.Name, x.in, n.List...)
		}
	}
}

// copy notes that a variable gets values.
func (v *values) copy(name string, in *ast.Place, list ...ast.Expr) {
	for _, e := range list {
		if o, ok := e.(*ast.Operand); ok {
			for _, u := range v.usesIn(o.Word, in) {
				v.copies[u] = append(v.copies[u], use{variable: v.heldAt(name, in)})
			}
		}
	}
}

// usesIn returns what the references of a word use.
func (v *values) usesIn(w *ast.Word, in *ast.Place) (list []use) {
	for _, part := range w.Parts {
		if ref, ok := part.(*ast.Ref); ok {
			list = append(list, v.usesOf(ref, in)...)
		}
	}
	return list
}
