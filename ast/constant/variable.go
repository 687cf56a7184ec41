package constant

import "ftsh/ast"

// Variable holds the values that a script assigns to a variable, as far as they are written out.
type Variable struct {
	Texts []string // of assignments of literal text
	Other bool     // it is set in another way, too, or asked whether it is
}

// Variables returns all variables that some files set, and those of which they ask
// whether they are set.
func Variables(files []*ast.File) map[string]*Variable {
	v := variables{}
	for _, f := range files {
		ast.Walk(&f.Body, nil, func(node any, _ *ast.Place) bool {
			switch n := node.(type) {
			case *ast.Assign:
				v.noteAssignment(n.Var.Name, n.Value, true)
			case *ast.Local:
				v.noteAssignment(n.Var.Name, n.Value, n.Assign)
			case *ast.Export:
				v.noteAssignment(n.Var.Name, n.Value, n.Assign)
			case *ast.Unary:
				if name, known := Values(nil).constantText(n.X); known && n.Op == ast.Defined {
					v.knownVariable(name).Other = true
				}
			default:
				for _, name := range Sets(node) {
					v.knownVariable(name).Other = true
				}
			}
			return true
		})
	}
	return v
}

type variables map[string]*Variable

// knownVariable returns what is known of a variable so far.
func (v variables) knownVariable(name string) *Variable {
	if v[name] == nil {
		v[name] = &Variable{}
	}
	return v[name]
}

// noteAssignment notes an assignment; without a value it is of the empty text.
func (v variables) noteAssignment(name string, value ast.Expr, assigned bool) {
	text, literal := "", true
	if value != nil {
		text, literal = Values(nil).constantText(value)
	}
	if one := v.knownVariable(name); assigned && literal {
		one.Texts = append(one.Texts, text)
	} else {
		one.Other = true
	}
}

// Sets returns the variables that a node sets, or declares.
func Sets(node any) []string {
	switch n := node.(type) {
	case *ast.Assign:
		return []string{n.Var.Name}
	case *ast.Local:
		return []string{n.Var.Name}
	case *ast.Export:
		return []string{n.Var.Name}
	case *ast.For:
		return []string{n.Var.Name}
	case *ast.Redirect:
		if n.Op.Captures() {
			return []string{n.Var.Name}
		}
	case *ast.Command:
		return Reads(n)
	}
	return nil
}

// Reads returns the variables that a command `read [-s SEP] NAME…` sets.
func Reads(c *ast.Command) []string {
	words := make([]string, len(c.Words))
	for i, w := range c.Words {
		words[i], _ = w.Literal()
	}
	switch {
	case len(words) == 0 || words[0] != "read":
		return nil
	case len(words) > 2 && words[1] == "-s":
		return words[3:]
	}
	return words[1:]
}
