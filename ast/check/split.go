package check

import (
	"slices"
	"strconv"
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
			v.reportSplit(w, c.in, t.name+" would take each for a name")
		}
	}
	v.splitArguments()
	v.splitItems()
}

// reportSplit reports a word with values that may be several words, once.
func (v *values) reportSplit(w *ast.Word, in *ast.Place, what string) {
	var names []string
	var first *ast.Ref
	var edits []Edit
	for _, part := range w.Parts {
		if output, ok := part.(*ast.Output); ok && output.Quote == ast.Bare {
			v.s.addFinding(output.Pos, "what the command writes may be several words, and "+what, `put it in double quotes: "${ … }"`)
			return
		}
		ref, ok := part.(*ast.Ref)
		if !ok || ref.Quote != ast.Bare || v.isMeantList(ref, in, len(w.Parts) == 1) || v.s.isFileOf(in, ref.Name) ||
			!v.maySplit(ref, in) {
			continue
		}
		if names = append(names, referenceText(ref)); first == nil {
			first = ref
		}
		edits = append(edits, quoteEdits(ref, int(ref.Pos.Offset))...)
	}
	if first == nil {
		return
	}
	instead := "write \"" + strings.Join(names, "\" \"") + "\""
	if v.isPutTogether(first.Name, in) {
		instead, edits = `grow a list of arguments: set -- "$@" "$x", and write "$@" here`, nil
	}
	v.s.addFinding(first.Pos, strings.Join(names, " and ")+" may be several words, and "+what, instead, edits...)
}

// splitArguments looks for values that are split on their way into "$@", or to a function that changes files.
func (v *values) splitArguments() {
	for _, c := range v.s.commands {
		name := programName(c.node)
		f := v.s.functions[name]
		switch {
		case f != nil:
			for i, w := range c.node.Words[1:] {
				if v.changes(isPositional(i+1), within{f}, 0) {
					v.reportSplit(w, c.in, name+" would take the first for $"+strconv.Itoa(i+1))
				}
			}
		case name == "set" && len(c.node.Words) > 1 && literalWords(c.node)[1] == "--":
			around, _ := nearestAround[*ast.Function](c.in)
			if v.changes(isArgument(0), within{around}, 0) {
				for _, w := range c.node.Words[2:] {
					v.reportSplit(w, c.in, "each becomes an argument of its own")
				}
			}
		}
	}
}

// splitItems looks for lists that a loop takes apart at blanks, where its items name files that a program changes.
func (v *values) splitItems() {
	for _, loop := range v.s.loops {
		for _, item := range loop.node.List {
			o, ok := item.(*ast.Operand)
			if !ok || len(o.Word.Parts) != 1 {
				continue
			}
			ref, ok := o.Word.Parts[0].(*ast.Ref)
			if !ok || ref.Quote != ast.Bare || !v.changes(isVariable(loop.node.Var.Name), anywhere, 0) {
				continue
			}
			switch {
			case ref.Kind == ast.Arguments || ref.Kind == ast.Joined:
				v.s.addFinding(ref.Pos, "an argument with a blank in it becomes several items here", `write "$@"`)
			case ref.Kind == ast.Variable && (v.isPutTogether(ref.Name, loop.in) || v.holdsLines(ref.Name, loop.in)):
				v.s.addFinding(ref.Pos, "a name with a blank in it becomes several items here",
					"write .lines. $"+ref.Name+" for one item a line, or grow a list of arguments: set -- \"$@\" \"$x\"")
			}
		}
	}
}

// isArgument returns what tells references to an argument; of 0 those to all arguments.
func isArgument(number int) func(*ast.Ref) bool {
	return func(ref *ast.Ref) bool {
		return ref.Kind == ast.Arguments || ref.Kind == ast.Joined ||
			ref.Kind == ast.Positional && ref.Index > 0 && (number == 0 || ref.Index == number)
	}
}

// isPositional returns what tells references to one argument alone.
func isPositional(number int) func(*ast.Ref) bool {
	return func(ref *ast.Ref) bool { return ref.Kind == ast.Positional && ref.Index == number }
}

// isVariable returns what tells references to a variable.
func isVariable(name string) func(*ast.Ref) bool {
	return func(ref *ast.Ref) bool { return ref.Kind == ast.Variable && ref.Name == name }
}

// within is the function whose argument is meant; nil: one of the script.
type within struct{ function *ast.Function }

// anywhere is where a variable is seen.
var anywhere = within{&ast.Function{}}

// mostCopies bounds how many copies are followed.
const mostCopies = 1

// changes reports whether a value names a file that a program changes: directly, by copies in variables and items, or
// as an argument of a function.
func (v *values) changes(is func(*ast.Ref) bool, scope within, copies int) bool {
	if copies > mostCopies {
		return false
	}
	here := func(in *ast.Place) bool {
		f, _ := nearestAround[*ast.Function](in)
		return scope == anywhere || f == scope.function
	}
	mentions := func(w *ast.Word) bool { return mentionsAny(w, is) }
	for _, c := range v.s.commands {
		if len(c.node.Words) == 0 || !here(c.in) {
			continue
		}
		called := v.s.functions[programName(c.node)]
		if called == nil && v.s.toolOf(c.node).changesFiles() && slices.ContainsFunc(c.node.Words, mentions) {
			return true
		}
		for i, w := range c.node.Words[1:] {
			if called != nil && mentions(w) && v.changes(isArgument(i+1), within{called}, copies+1) {
				return true
			}
		}
	}
	return slices.ContainsFunc(v.s.statements, func(x at[*ast.Stmt]) bool {
		var list []ast.Expr
		name := ""
		switch n := x.node.Node.(type) {
		case *ast.Assign:
			list, name = []ast.Expr{n.Value}, n.Var.Name
		case *ast.Local:
			list, name = []ast.Expr{n.Value}, n.Var.Name
		case *ast.For:
			list, name = n.List, n.Var.Name
		}
		copied := slices.ContainsFunc(list, func(e ast.Expr) bool {
			o, ok := e.(*ast.Operand)
			return ok && mentions(o.Word)
		})
		return copied && here(x.in) && !is(&ast.Ref{Kind: ast.Variable, Name: name}) &&
			v.changes(isVariable(name), anywhere, copies+1)
	})
}

// settersOf returns what sets the variable of a name that is seen at a place: a local of its function, or that of all.
func (v *values) settersOf(name string, in *ast.Place) (list []at[any]) {
	owner := func(in *ast.Place) *ast.Function {
		if f, _ := nearestAround[*ast.Function](in); f != nil && v.s.localNames(f)[name] {
			return f
		}
		return nil
	}
	for _, x := range v.s.settersOf(name) {
		if in == nil || owner(x.in) == owner(in) {
			list = append(list, x)
		}
	}
	return list
}

// isPutTogether reports whether a variable is a list to which values with blanks are appended.
func (v *values) isPutTogether(name string, in *ast.Place) bool {
	return slices.ContainsFunc(v.settersOf(name, in), func(x at[any]) bool {
		n, ok := x.node.(*ast.Assign)
		if !ok {
			return false
		}
		o, ok := n.Value.(*ast.Operand)
		return ok && mentionsAny(o.Word, isVariable(name)) && mentionsAny(o.Word, func(ref *ast.Ref) bool {
			return ref.Name != name && (v.maySplit(ref, x.in) || v.s.isFileOf(x.in, ref.Name))
		})
	})
}

// holdsLines reports whether a variable was captured or read, so that its lines may hold blanks.
func (v *values) holdsLines(name string, in *ast.Place) bool {
	return slices.ContainsFunc(v.settersOf(name, in), func(x at[any]) bool {
		r, captured := x.node.(*ast.Redirect)
		c, read := x.node.(*ast.Command)
		return captured && constant.Captures(r) && !writesOneWord(x.in) || read && slices.Contains(constant.Reads(c), name)
	})
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
func (v *values) isMeantList(ref *ast.Ref, in *ast.Place, whole bool) bool {
	if !whole || ref.Kind != ast.Variable || v.isPutTogether(ref.Name, in) {
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
	if ref.Portion == ast.WithoutLongestSuffix && strings.Contains(shapeOf(ref.Pattern), " ") {
		return false // it is cut at the first blank
	}
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
	for _, x := range v.settersOf(name, in) {
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
				if _, pattern := part.(*ast.Glob); pattern {
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
