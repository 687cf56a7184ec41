package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"ftsh/ast"
	"ftsh/ast/diag"
)

func variableRules() []Rule {
	return []Rule{{
		Code: "F101", Level: Error, Page: "variables", look: undefined,
		Title:  "a variable that nothing sets",
		Finds:  "dir=/data\nrm -rf $dri/old",
		Passes: "dir=/data\nrm -rf $dir/old ${extra:-} $HOME/old",
	}}
}

// undefined looks for variables that neither the script nor, by custom, the environment sets.
func undefined(s *script) {
	first := s.sources[0].Line(1)
	if strings.HasPrefix(first, "#!") && strings.Contains(first, "--undefined=empty") || s.isLibrary() {
		return
	}
	set := s.variables()
	unset := func(name string) bool {
		_, known := set[name]
		return !known && !isEnvironment(name)
	}
	names := slices.Sorted(maps.Keys(set))
	for _, r := range s.refs {
		if n := r.node; n.Kind == ast.Variable && n.Default == nil && unset(n.Name) {
			begin := int(n.Pos.Offset) + 1
			if n.Braced != ast.NoBrace {
				begin++
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

// undefined reports a variable whose name stands at an offset.
func (s *script) undefined(pos ast.Pos, name string, begin int, known []string) {
	near := diag.Nearest(name, known)
	if near == "" {
		s.report(pos, "nothing sets "+name, "set it before, as in "+name+"=value, or give a default: ${"+name+":-text}")
		return
	}
	s.report(pos, fmt.Sprintf("nothing sets %s; did you mean %s?", name, near), "write "+near+", or set "+name+" before",
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

// values is what a script assigns to a variable, as far as it is written out.
type values struct {
	texts []string // of assignments of literal text
	other bool     // it is set in another way, too
}

// variables are all that the script sets, or asks whether they are set.
func (s *script) variables() map[string]*values {
	found := map[string]*values{}
	set := func(name string, value ast.Expr, assigned bool) {
		if found[name] == nil {
			found[name] = &values{}
		}
		text, literal := literal(value)
		if v := found[name]; assigned && literal {
			v.texts = append(v.texts, text)
		} else {
			v.other = true
		}
	}
	for _, x := range s.statements {
		switch n := x.node.Node.(type) {
		case *ast.Assign:
			set(n.Var.Name, n.Value, true)
		case *ast.Local:
			set(n.Var.Name, n.Value, n.Assign)
		case *ast.Export:
			set(n.Var.Name, n.Value, n.Assign)
		}
	}
	for _, x := range s.loops {
		set(x.node.Var.Name, nil, false)
	}
	for _, x := range s.redirects {
		if capturesInto(x.node) {
			set(x.node.Var.Name, nil, false)
		}
	}
	for _, x := range s.commands {
		for _, name := range s.readNames(x.node) {
			set(name, nil, false)
		}
	}
	for _, x := range s.exprs {
		if n, ok := x.node.(*ast.Unary); ok && n.Op == ast.Defined {
			if name, known := literal(n.X); known {
				set(name, nil, false)
			}
		}
	}
	return found
}

// literal returns the text of an expression that is written out; nothing is empty text.
func literal(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case nil:
		return "", true
	case *ast.Operand:
		return e.Word.Literal()
	case *ast.Paren:
		return literal(e.X)
	}
	return "", false
}

// capturesInto reports whether a redirection sets a variable.
func capturesInto(r *ast.Redirect) bool {
	return r.Op == ast.ToVar || r.Op == ast.AppendVar || r.Op == ast.BothVar || r.Op == ast.AppendBothVar
}

// readNames are the variables that `read [-s SEP] NAME…` sets.
func (s *script) readNames(c *ast.Command) []string {
	if !s.isCommand(c, "read") {
		return nil
	}
	names := words(c)[1:]
	if len(names) > 1 && names[0] == "-s" {
		names = names[2:]
	}
	return names
}
