package check

import (
	"slices"
	"strings"

	"ftsh/ast"
	"ftsh/ast/constant"
)

func splitRules() []Rule {
	return []Rule{{
		Code: "F215", Level: Warning, Page: "words", look: splitValues,
		Title: "an unquoted value that may be several words, given to a program that changes the files that these name",
		Finds: `dir="my data"
rm -rf $dir/old`,
		Passes: `dir="my data"
rm -rf "$dir/old"
options="-a --delete"
rsync $options "$dir" host:
n=3
mkdir part.$n`,
	}}
}

// splitValues looks for values that become several names of files.
func splitValues(s *script) {
	v := &values{s: s, under: map[string]bool{}}
	for _, c := range s.commands {
		t := s.toolOf(c.node)
		if !t.changesFiles() {
			continue
		}
		for _, w := range t.list[1:] {
			for _, part := range w.Parts {
				ref, ok := part.(*ast.Ref)
				if !ok || ref.Quote != ast.Bare || isMeantList(ref, len(w.Parts) == 1) || s.isFileOf(c.in, ref.Name) ||
					!v.maySplit(ref, c.in) {
					continue
				}
				written := referenceText(ref)
				s.addFinding(ref.Pos, written+" may be several words, and "+t.name+" would take each for a name",
					"write \""+written+"\"", quoteEdits(ref, int(ref.Pos.Offset))...)
			}
		}
	}
}

// referenceText is a reference as it is written, without a default.
func referenceText(ref *ast.Ref) string {
	if ref.Braced == ast.NoBrace {
		return "$" + ref.Name
	}
	return "${" + ref.Name + "}"
}

// isMeantList reports whether a reference that is a whole word is named like a list: options, args, files. One with an
// empty default vanishes on purpose.
func isMeantList(ref *ast.Ref, whole bool) bool {
	if !whole || ref.Kind != ast.Variable {
		return false
	}
	if ref.Default != nil && shapeOf(ref.Default) == "" {
		return true
	}
	name := strings.ToLower(ref.Name)
	for _, word := range []string{"opt", "arg", "flag", "list"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return len(name) > 2 && strings.HasSuffix(name, "s") && !strings.HasSuffix(name, "ss")
}

// values knows which values may hold blanks.
type values struct {
	s     *script
	under map[string]bool // variables whose assignments are being looked at
}

// maySplit reports whether an unquoted reference may be more than one word.
func (v *values) maySplit(ref *ast.Ref, in *ast.Place) bool {
	switch ref.Kind {
	case ast.Positional:
		return ref.Index > 0 && ref.Portion != ast.Length
	case ast.Arguments, ast.Joined:
		return true
	case ast.Shell:
		return ref.IsList()
	case ast.Variable:
		return ref.Portion != ast.Length && v.mayHoldBlank(ref.Name, in)
	}
	return false
}

// mayHoldBlank reports whether a variable may hold a blank: by any of the ways in which the script sets it, or, if it
// does not, from the environment.
func (v *values) mayHoldBlank(name string, in *ast.Place) bool {
	if loop := loopOf(in, name); loop != nil && !v.s.changedBy(&loop.Body)[name] {
		return v.itemsMayHoldBlank(loop)
	}
	if v.under[name] {
		return false
	}
	v.under[name] = true
	defer delete(v.under, name)
	set, several := false, false
	for _, x := range v.s.settersOf(name) {
		sets, may := v.setsVariable(x.node, x.in, name)
		set, several = set || sets, several || may
	}
	return several || !set && isEnvironment(name) && !isOneWord(name)
}

// isOneWord reports whether a variable of the environment is one word by custom.
func isOneWord(name string) bool {
	switch name {
	case "HOME", "USER", "LOGNAME", "TMPDIR", "HOSTNAME", "SHELL", "UID", "LANG", "TERM":
		return true
	}
	return strings.HasPrefix(name, "SLURM_") || strings.HasPrefix(name, "FTSH_") || strings.HasSuffix(name, "_ID")
}

// loopOf returns the loop around a place whose variable that is; nil if there is none.
func loopOf(in *ast.Place, name string) *ast.For {
	for ; in != nil; in = in.Outer {
		if loop, ok := in.Node.(*ast.For); ok && loop.Var.Name == name {
			return loop
		}
	}
	return nil
}

// setsVariable reports whether a node sets a variable, and whether to what may hold a blank.
func (v *values) setsVariable(node any, in *ast.Place, name string) (sets, several bool) {
	switch n := node.(type) {
	case *ast.Assign:
		return n.Var.Name == name, n.Var.Name == name && v.expression(n.Value, in)
	case *ast.Local:
		return n.Var.Name == name && n.Assign, n.Var.Name == name && n.Assign && v.expression(n.Value, in)
	case *ast.Export:
		return n.Var.Name == name && n.Assign, n.Var.Name == name && n.Assign && v.expression(n.Value, in)
	case *ast.For:
		return n.Var.Name == name, n.Var.Name == name && v.itemsMayHoldBlank(n)
	case *ast.Redirect:
		if constant.Captures(n) && n.Var.Name == name {
			return true, !writesOneWord(in)
		}
	case *ast.Command:
		if list := constant.Reads(n); slices.Contains(list, name) {
			separated := len(n.Words) > 1 && slices.Contains(literalWords(n), "-s")
			return true, separated || list[len(list)-1] == name
		}
	}
	return false, false
}

// itemsMayHoldBlank reports whether an item of a loop may hold a blank: what is split has none.
func (v *values) itemsMayHoldBlank(loop *ast.For) bool {
	for _, e := range loop.List {
		switch e := e.(type) {
		case *ast.Unary: // .lines.
			return true
		case *ast.Operand:
			for _, part := range e.Word.Parts {
				if lit, ok := part.(*ast.Lit); ok && strings.ContainsAny(lit.Text, " \t\n") {
					return true
				}
				if ref, ok := part.(*ast.Ref); ok && ref.Quote != ast.Bare && v.maySplit(ref, nil) {
					return true
				}
			}
		}
	}
	return false
}

// expression reports whether the value of an expression may hold a blank.
func (v *values) expression(e ast.Expr, in *ast.Place) bool {
	switch e := e.(type) {
	case *ast.Paren:
		return v.expression(e.X, in)
	case *ast.Operand:
		for _, part := range e.Word.Parts {
			if lit, ok := part.(*ast.Lit); ok && strings.ContainsAny(lit.Text, " \t\n") {
				return true
			}
			if ref, ok := part.(*ast.Ref); ok && v.maySplit(ref, in) {
				return true
			}
		}
	}
	return false
}

// writesOneWord reports whether the command that a redirection belongs to surely writes one word, or a number.
func writesOneWord(in *ast.Place) bool {
	c, ok := in.Node.(*ast.Command)
	if !ok {
		stmt, isBlock := in.Node.(*ast.Stmt)
		if !isBlock {
			return false
		}
		p, isPipeline := stmt.Node.(*ast.Pipeline)
		if !isPipeline {
			return false
		}
		c = p.Stages[len(p.Stages)-1]
	}
	list := literalWords(c)
	switch programName(c) {
	case "hostname", "nproc", "whoami", "id", "mktemp", "sbatch", "uname", "expr", "seq", "sha256sum", "md5sum":
		return true
	case "date":
		return len(list) == 2 && strings.HasPrefix(list[1], "+") && !strings.Contains(list[1], " ") &&
			!strings.ContainsAny(list[1], "cxr")
	case "wc":
		return len(list) == 2
	case "git":
		return slices.Contains(list, "rev-parse")
	}
	return false
}
