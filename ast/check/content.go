package check

import (
	"cmp"
	"slices"
	"strings"

	"ftsh/ast"
	"ftsh/ast/constant"
)

// values knows what variables and arguments may hold, and what becomes of it.
type values struct {
	s     *script
	known map[held]*contents
	order []held // in which they are first set

	open    map[*ast.Function]bool // what it is given is not known
	changed map[use]bool           // a program changes the file of that name
	copies  map[use][]use          // what it is copied to
}

// contents says what a variable may hold.
type contents struct {
	setters []at[any]
	isSet   bool // the script does more than declare it
	blank   bool // it may hold a blank
	empty   bool // it may be empty
	grown   bool // it is a list to which values with blanks are appended
	lines   bool // it was captured or read, so that its lines may hold blanks
}

// held is a variable: that of all, or a local of a function.
type held struct {
	name  string
	local *ast.Function
}

// heldAt returns the variable that a name means at a place.
func (v *values) heldAt(name string, in *ast.Place) held {
	if f, _ := nearestAround[*ast.Function](in); f != nil && v.s.localNames(f)[name] {
		return held{name, f}
	}
	return held{name, nil}
}

// returnedBy stands for what a function returns.
func returnedBy(function string) held { return held{function + "()", nil} }

// noteSetter notes a node that sets or declares a variable, or returns from a function.
func (v *values) noteSetter(h held, node any, in *ast.Place) {
	if v.known[h] == nil {
		v.order, v.known[h] = append(v.order, h), &contents{}
	}
	v.known[h].setters = append(v.known[h].setters, at[any]{node, in})
}

// knownValues finds out what variables may hold, once.
func (s *script) knownValues() *values {
	if s.held != nil {
		return s.held
	}
	v := &values{s: s, known: map[held]*contents{}, open: map[*ast.Function]bool{}, changed: map[use]bool{},
		copies: map[use][]use{}}
	s.held = v
	for _, f := range s.files {
		ast.Walk(&f.Body, nil, func(node any, in *ast.Place) bool {
			for _, name := range constant.Sets(node) {
				v.noteSetter(v.heldAt(name, in), node, in)
			}
			if _, returns := node.(*ast.Return); returns {
				f, _ := nearestAround[*ast.Function](in)
				v.noteSetter(returnedBy(f.Name), node, in)
			}
			return true
		})
	}
	v.noteArguments()
	v.followCopies()
	for more := true; more; { // until nothing is found out any more
		more = false
		for _, h := range v.order {
			c := v.known[h]
			for _, x := range c.setters {
				sets, mayBlank := v.setsVariable(x.node, x.in, h.name)
				c.isSet = c.isSet || sets
				mayEmpty := v.setsToEmpty(x.node, x.in)
				more = more || mayBlank && !c.blank || mayEmpty && !c.empty
				c.blank, c.empty = c.blank || mayBlank, c.empty || mayEmpty
			}
		}
	}
	for h, c := range v.known {
		c.grown = slices.ContainsFunc(c.setters, func(x at[any]) bool { return v.appendsBlanks(x, h.name) })
		c.lines = slices.ContainsFunc(c.setters, func(x at[any]) bool { return holdsLines(x, h.name) })
	}
	return v
}

// contentsOf returns what a variable may hold at a place.
func (v *values) contentsOf(name string, in *ast.Place) *contents {
	return cmp.Or(v.known[v.heldAt(name, in)], &contents{})
}

// appendsBlanks reports whether a node appends what may hold a blank to a variable.
func (v *values) appendsBlanks(x at[any], name string) bool {
	n, ok := x.node.(*ast.Assign)
	if !ok {
		return false
	}
	o, ok := n.Value.(*ast.Operand)
	return ok && mentionsVariable(o.Word, name) &&
		mentionsAny(o.Word, func(ref *ast.Ref) bool {
			return ref.Name != name && (v.maySplit(ref, x.in) || v.s.isFileOf(x.in, ref.Name))
		})
}

// holdsLines reports whether a node captures or reads a variable, or gives it all arguments.
func holdsLines(x at[any], name string) bool {
	switch n := x.node.(type) {
	case *ast.Redirect:
		return n.Op.Captures() && !writesOneWord(writtenIn(x.in))
	case *ast.Command:
		return slices.Contains(constant.Reads(n), name)
	}
	o, ok := assignedValue(x.node).(*ast.Operand)
	return ok && (mentionsAny(o.Word, func(ref *ast.Ref) bool {
		return ref.Kind == ast.Arguments || ref.Kind == ast.Joined || ref.Kind == ast.Positional && len(o.Word.Parts) > 1
	}) || runsAny(o.Word, writesSeveralWords))
}

// maySplit reports whether an unquoted reference may be more than one word.
func (v *values) maySplit(ref *ast.Ref, in *ast.Place) bool {
	if ref.Portion == ast.WithoutLongestSuffix && strings.Contains(shapeOf(ref.Pattern), " ") {
		return false // it is cut at the first blank
	}
	switch ref.Kind {
	case ast.Positional:
		return ref.Index > 0 && ref.Portion != ast.Length && v.argumentOf(ref, in).blank && !v.s.isDecided(ref, in)
	case ast.Arguments, ast.Joined:
		return true
	case ast.Shell:
		return ref.IsList() || ref.Dotted == ast.ErrorItem || ref.Dotted == ast.ScriptDir
	case ast.Variable:
		return ref.Portion != ast.Length && v.mayHoldBlank(ref.Name, in) && !v.s.isDecided(ref, in)
	}
	return false
}

// mayHoldBlank reports whether a variable may hold a blank: by any of the ways in which the script sets it, or, if it
// does not, from the environment.
func (v *values) mayHoldBlank(name string, in *ast.Place) bool {
	if loop := loopOf(in, name); loop != nil && !v.s.changedBy(&loop.Body)[name] {
		return v.itemsMayHoldBlank(loop)
	}
	c := v.contentsOf(name, in)
	return c.blank || !c.isSet && isEnvironment(name) && !isOneWord(name)
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

// setsVariable reports whether a node that declares or sets a variable sets it, and whether to what may hold a blank.
func (v *values) setsVariable(node any, in *ast.Place, name string) (sets, several bool) {
	switch n := node.(type) {
	case *ast.Local:
		sets = n.Assign
	case *ast.Export:
		sets = n.Assign
	case *ast.For:
		return true, v.itemsMayHoldBlank(n)
	case *ast.Redirect:
		return true, !writesOneWord(writtenIn(in))
	case *ast.Command:
		list := constant.Reads(n)
		return true, slices.Contains(literals(n.Words), "-s") || list[len(list)-1] == name
	case *given:
		return true, v.mayBeMoved(n, in) || v.expression(n.value, in)
	default:
		sets = true
	}
	return sets, v.expression(assignedValue(node), in)
}

// assignedValue returns the value that a node assigns to a variable; nil: none.
func assignedValue(node any) ast.Expr {
	switch n := node.(type) {
	case *ast.Assign:
		return n.Value
	case *ast.Local:
		return n.Value
	case *ast.Export:
		return n.Value
	case *ast.Return:
		return n.Value
	case *given:
		return n.value
	}
	return nil
}

// itemsMayHoldBlank reports whether an item of a loop may hold a blank: what is split has none.
func (v *values) itemsMayHoldBlank(loop *ast.For) bool {
	for _, e := range loop.List {
		switch e := e.(type) {
		case *ast.Unary: // .lines.
			return true
		case *ast.Call:
			if v.expression(e, nil) {
				return true
			}
		case *ast.Operand:
			if slices.ContainsFunc(e.Word.Parts, v.itemMayHoldBlank) {
				return true
			}
		}
	}
	return false
}

// itemMayHoldBlank reports whether an item of a loop may hold a blank by this part of a word.
func (v *values) itemMayHoldBlank(part ast.Part) bool {
	switch part := part.(type) {
	case *ast.Lit:
		return strings.ContainsAny(part.Text, " \t\n")
	case *ast.Glob:
		return true
	case *ast.Ref:
		return part.Quote != ast.Bare && v.maySplit(part, nil)
	case *ast.Output:
		return part.Quote != ast.Bare && !writesOneWord(part.Stages())
	}
	return false
}

// expression reports whether the value of an expression may hold a blank.
func (v *values) expression(e ast.Expr, in *ast.Place) bool {
	switch e := e.(type) {
	case *ast.Paren:
		return v.expression(e.X, in)
	case *ast.Call:
		c := v.known[returnedBy(e.Name)]
		return c != nil && c.blank
	case *ast.Operand:
		for _, part := range e.Word.Parts {
			if lit, ok := part.(*ast.Lit); ok && strings.ContainsAny(lit.Text, " \t\n") {
				return true
			}
			if ref, ok := part.(*ast.Ref); ok && v.maySplit(ref, in) {
				return true
			}
		}
		return runsAny(e.Word, writesSeveralWords)
	}
	return false
}
