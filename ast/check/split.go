package check

import (
	"slices"
	"strconv"
	"strings"

	"ftsh/ast"
)

// splitValues looks for values that become several names of files.
func splitValues(s *script) {
	v := s.knownValues()
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
		if output, ok := part.(*ast.Output); ok && output.Quote == ast.Bare && !writesOneWord(output.Stages()) {
			v.s.addFinding(output.Pos, "what the command writes may be several words, and "+what,
				`put it in double quotes: "${ … }"`)
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
	if v.contentsOf(first.Name, in).grown {
		instead, edits = `grow a list of arguments: set -- "$@" "$x", and write "$@" here`, nil
	}
	v.s.addFinding(first.Pos, strings.Join(names, " and ")+" may be several words, and "+what, instead, edits...)
}

// splitArguments looks for values that are split on their way into "$@", or to a function that changes files.
func (v *values) splitArguments() {
	for _, c := range v.s.commands {
		name := c.node.Name()
		f := v.s.functions[name]
		switch {
		case f != nil:
			for i, w := range c.node.Words[1:] {
				if v.changesFile(use{of: f, number: i + 1}) {
					v.reportSplit(w, c.in, name+" would take the first for $"+strconv.Itoa(i+1))
				}
			}
		case name == "set" && len(c.node.Words) > 1 && literals(c.node.Words)[1] == "--":
			around, _ := nearestAround[*ast.Function](c.in)
			if v.changesFile(use{of: around, number: anyArgument}) {
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
			if !v.changesFile(use{variable: v.heldAt(loop.node.Var.Name, loop.in)}) {
				continue
			}
			if o, ok := item.(*ast.Operand); ok {
				v.reportSplitOutput(o.Word)
			}
			ref := onlyRef(item)
			if ref == nil || ref.Quote != ast.Bare {
				continue
			}
			switch {
			case ref.Kind == ast.Arguments || ref.Kind == ast.Joined:
				v.s.addFinding(ref.Pos, "an argument with a blank in it becomes several items here", `write "$@"`)
			case ref.Kind != ast.Variable:
			case v.contentsOf(ref.Name, loop.in).grown, v.contentsOf(ref.Name, loop.in).lines:
				v.s.addFinding(ref.Pos, "a name with a blank in it becomes several items here",
					"write .lines. $"+ref.Name+" for one item a line, or grow a list of arguments: set -- \"$@\" \"$x\"")
			}
		}
	}
}

// reportSplitOutput reports an item of a loop that is what a command writes, taken apart at blanks.
func (v *values) reportSplitOutput(w *ast.Word) {
	if len(w.Parts) != 1 {
		return
	}
	if o, ok := w.Parts[0].(*ast.Output); ok && o.Quote == ast.Bare && !writesOneWord(o.Stages()) {
		v.s.addFinding(o.Pos, "a name with a blank in it becomes several items here",
			"write .lines. ${ … } for one item a line")
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
func (v *values) isMeantList(ref *ast.Ref, in *ast.Place, whole bool) bool {
	if !whole || ref.Kind != ast.Variable || v.contentsOf(ref.Name, in).grown {
		return false
	}
	if ref.Default != nil && !ref.Must && shapeOf(ref.Default) == "" {
		return true
	}
	name := strings.ToLower(ref.Name)
	if namesOptions(name) {
		return true
	}
	plural := len(name) > 2 && strings.HasSuffix(name, "s") && !strings.HasSuffix(name, "ss")
	return !v.contentsOf(ref.Name, in).lines && !v.isOneValue(ref.Name, in) && (strings.Contains(name, "list") || plural)
}

// isOneValue reports whether a variable is an item of a loop, or only ever holds one argument, whatever it is called.
func (v *values) isOneValue(name string, in *ast.Place) bool {
	setters := v.contentsOf(name, in).setters
	return loopOf(in, name) != nil || len(setters) > 0 && !slices.ContainsFunc(setters, func(x at[any]) bool {
		ref := onlyRef(assignedValue(x.node))
		return ref == nil || ref.Kind != ast.Positional
	})
}
