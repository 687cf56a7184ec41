package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"ftsh/ast"
	"ftsh/ast/constant"
	"ftsh/ast/diag"
)

// undefined looks for variables that neither the script nor, by custom, the environment sets.
func undefined(s *script) {
	first := s.sources[0].Line(1)
	if strings.HasPrefix(first, "#!") && strings.Contains(first, "--undefined=empty") || s.isLibrary() {
		return
	}
	set := s.variables()
	unset := func(name string) bool {
		_, known := set[name]
		return !known && (!isEnvironment(name) || otherShells()[name] != "")
	}
	names := slices.Sorted(maps.Keys(set))
	hidden := s.hiddenVariables()
	for _, r := range s.refs {
		n := r.node
		if f := hidden[n.Name]; f != nil && n.Kind == ast.Variable && n.Default == nil && !isEnvironment(n.Name) {
			if here, _ := nearestAround[*ast.Function](r.in); here == nil || !s.localNames(here)[n.Name] {
				s.addFinding(n.Pos, fmt.Sprintf("nothing sets %s here: in function %s it is local", n.Name, f.Name),
					"let the function return it, or leave its local out")
				continue
			}
		}
		if n.Kind == ast.Variable && n.Default == nil && unset(n.Name) {
			begin := int(n.Pos.Offset) + 1
			if n.Braced != ast.NoBrace {
				begin++
			}
			if instead := otherShells()[n.Name]; instead != "" {
				s.addFinding(n.Pos, "nothing sets "+n.Name+": bash does, and exports it to nobody", instead)
				continue
			}
			if n.Braced == ast.NoBrace && ast.IsGroupOfValues(n.Name) {
				s.addFinding(n.Pos, "nothing sets "+n.Name, "write the shell's own values in braces: ${"+n.Name+".…}")
				continue
			}
			if n.Braced == ast.Round {
				s.addFinding(n.Pos, "nothing sets "+n.Name+", and $("+n.Name+") is a variable here",
					"to keep what a program writes: "+n.Name+" -> name, and then $name; or ${ "+n.Name+" } in its place")
				continue
			}
			s.undefined(n.Pos, n.Name, begin, names)
		}
	}
	for _, r := range s.redirects {
		if n := r.node; n.Op == ast.FromVar && unset(n.Var.Name) {
			begin := strings.Index(n.Pos.Source.Text[n.Pos.Offset:], n.Var.Name)
			s.undefined(n.Pos, n.Var.Name, int(n.Pos.Offset)+begin, names)
		}
	}
}

// otherShells says what to write for variables that bash sets itself, and programs do not find in their environment.
var otherShells = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"RANDOM":   "write shuf -i 0-32767 -n 1 -> RANDOM before",
		"SECONDS":  "write date +%s -> start before, or ${try.elapsed} in a try",
		"HOSTNAME": "write hostname -> HOSTNAME before; if it comes from the environment, export HOSTNAME",
		"UID":      "write id -u -> UID before",
		"EUID":     "write id -u -> EUID before",
		"LINENO":   "write ${error.line} in a catch",
		"PPID":     "write ps -o ppid= -p $$ -> PPID before",
	}
})

// hiddenVariables are the variables that functions only set as locals of their own, each with one of these functions.
func (s *script) hiddenVariables() map[string]*ast.Function {
	v, hidden := s.knownValues(), map[string]*ast.Function{}
	for _, f := range s.functions {
		for name := range s.localNames(f) {
			if v.known[held{name, nil}] == nil {
				hidden[name] = f
			}
		}
	}
	for _, x := range s.exprs {
		if n, ok := x.node.(*ast.Unary); ok && n.Op == ast.Defined {
			if name, written := literalText(n.X); written && v.heldAt(name, x.in).local == nil {
				delete(hidden, name)
			}
		}
	}
	return hidden
}

// undefined reports a variable whose name stands at an offset.
func (s *script) undefined(pos ast.Pos, name string, begin int, known []string) {
	near := diag.Nearest(name, known)
	if near == "" {
		s.addFinding(pos, "nothing sets "+name, "set it before, as in "+name+"=value, or give a default: ${"+name+
			":-text}; if it comes from the environment, write  export "+name+"  on top")
		return
	}
	s.addFinding(pos, fmt.Sprintf("nothing sets %s; did you mean %s?", name, near), "write "+near+", or set "+name+
		" before",
		Edit{pos.Source, begin, begin + len(name), near})
}

// isEnvironment reports whether a name is one of the environment's by custom.
func isEnvironment(name string) bool {
	switch name {
	case "http_proxy", "https_proxy", "ftp_proxy", "all_proxy", "no_proxy":
		return true
	}
	return name == strings.ToUpper(name)
}

// variables are all that the script sets, or asks whether they are set.
func (s *script) variables() map[string]*constant.Variable { return constant.Variables(s.files) }

// literalText returns the text of an expression that is written out; nothing is empty text.
func literalText(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case nil:
		return "", true
	case *ast.Operand:
		return e.Word.Literal()
	case *ast.Paren:
		return literalText(e.X)
	}
	return "", false
}
