package check

import (
	"slices"
	"strings"

	"ftsh/ast"
)

// findEmptyFolders looks for values that may be empty where a program changes whole trees of files.
func findEmptyFolders(s *script) {
	e := s.knownValues()
	for _, c := range slices.Concat(s.commands, s.handed) {
		t := s.toolOf(c.node)
		if t.name == "cd" {
			s.findEmptyDirectory(c, e)
		}
		if !t.changesTrees() {
			continue
		}
		for _, w := range t.list[1:] {
			if e.reportEmpty(w, c.in, t.name, map[any]bool{}) {
				break
			}
		}
	}
}

// changesTrees reports whether the program changes or removes all that is below a folder.
func (t tool) changesTrees() bool {
	has := func(list ...string) bool { return slices.ContainsFunc(list, t.hasArgument) }
	switch t.name {
	case "rm":
		return has("-r", "-R", "--recursive")
	case "chown", "chmod", "chgrp":
		return has("-R", "--recursive")
	case "rsync":
		return slices.ContainsFunc(t.arguments(), func(a string) bool { return strings.HasPrefix(a, "--delete") })
	case "find":
		return t.changesFiles()
	}
	return false
}

// reportEmpty reports a word that names another folder where its values are empty: $dir/x is /x then, /srv/$dir/x is
// /srv/x, and host:$dir/ is host:/; or that begins with a variable to which such a word is assigned.
func (v *values) reportEmpty(w *ast.Word, in *ast.Place, program string, seen map[any]bool) bool {
	for i := range w.Parts {
		n := i
		for n < len(w.Parts) && v.partMayBeEmpty(w.Parts[n], in) {
			n++
		}
		folder, rest := shapeOf(&ast.Word{Parts: w.Parts[:i]}), shapeOf(&ast.Word{Parts: w.Parts[n:]})
		if n == i || !strings.HasPrefix(rest, "/") || strings.TrimRight(folder, "/:") == folder && folder != "" ||
			folder != "" && rest != "/" && rest != "/\x01*" && (isRelative(folder) || !v.isRead(w.Parts[i], in)) {
			continue
		}
		if folder = strings.TrimSuffix(folder, "/") + "/"; strings.Contains(folder, "\x00") {
			folder = "another folder"
		}
		v.addEmpty(w.Parts[i], " is empty, "+program+" changes what stands in "+folder)
		return true
	}
	ref, _ := w.Parts[0].(*ast.Ref)
	if ref == nil || ref.Kind != ast.Variable || v.s.asks()[ref.Name] {
		return false
	}
	return slices.ContainsFunc(v.contentsOf(ref.Name, in).setters, func(x at[any]) bool {
		o, ok := assignedValue(x.node).(*ast.Operand)
		if !ok || seen[x.node] || len(o.Word.Parts) == 0 {
			return false
		}
		seen[x.node] = true
		return v.reportEmpty(o.Word, x.in, program, seen)
	})
}

// isRelative reports whether a folder is one of those below the current one, where little can be lost but all of it.
func isRelative(folder string) bool {
	return !strings.ContainsAny(folder[:1], "/\x00\x02") && !strings.Contains(folder, ":")
}

// isRead reports whether a part of a word was captured or read, and not given, where nobody gives the empty text by
// chance.
func (v *values) isRead(part ast.Part, in *ast.Place) bool {
	ref, ok := part.(*ast.Ref)
	return !ok || ref.Kind == ast.Variable && v.contentsOf(ref.Name, in).lines
}

// addEmpty notes a part of a word that may be empty.
func (v *values) addEmpty(part ast.Part, what string) {
	switch part := part.(type) {
	case *ast.Ref:
		v.s.addOnce(part.Pos, "if "+referenceText(part)+what, "write ${"+part.Name+":?}, which fails where it is empty")
	case *ast.Output:
		v.s.addOnce(part.Pos, "if what the command writes"+what,
			"put it into a variable and write ${name:?}, which fails where it is empty")
	}
}

// findEmptyDirectory finds a cd to a value that may be empty, before a program that removes files.
func (s *script) findEmptyDirectory(c at[*ast.Command], v *values) {
	if len(c.node.Words) != 2 || len(c.node.Words[1].Parts) != 1 {
		return
	}
	part := c.node.Words[1].Parts[0]
	if !v.partMayBeEmpty(part, c.in) && !v.isOfOthers(part, c.in) {
		return
	}
	if slices.ContainsFunc(s.commands, func(later at[*ast.Command]) bool {
		t := s.toolOf(later.node)
		return later.node.Pos.Source == c.node.Pos.Source && later.node.Pos.Offset > c.node.Pos.Offset &&
			t.name == "rm" && slices.ContainsFunc(t.list, isPatternHere)
	}) {
		v.addEmpty(part, " is empty, or not the folder that is meant, the rm behind it removes what stands elsewhere")
	}
}

// isOfOthers reports whether a part is a value of the environment, at which nothing of the script looks.
func (v *values) isOfOthers(part ast.Part, in *ast.Place) bool {
	ref, ok := part.(*ast.Ref)
	return ok && ref.Kind == ast.Variable && ref.Default == nil && isEnvironment(ref.Name) && !isOneWord(ref.Name) &&
		!v.contentsOf(ref.Name, in).isSet && !v.s.asksFor(ref)
}

// isPatternHere reports whether a word is a pattern of all in the current folder: * or ./*
func isPatternHere(w *ast.Word) bool {
	shape := shapeOf(w)
	return strings.HasPrefix(shape, "\x01*") || strings.HasPrefix(shape, "./\x01*")
}

// mayBeEmpty reports whether a value was captured, read or given, and nothing says that it is not empty.
func (v *values) mayBeEmpty(ref *ast.Ref, in *ast.Place) bool {
	switch {
	case ref.Must || ref.Portion == ast.Length:
		return false
	case ref.Default != nil:
		return shapeOf(ref.Default) == ""
	}
	if ref.Kind == ast.Positional {
		return ref.Index > 0 && v.argumentOf(ref, in).empty
	}
	return ref.Kind == ast.Variable && loopOf(in, ref.Name) == nil && v.contentsOf(ref.Name, in).empty
}

// partMayBeEmpty reports whether a part of a word was captured, read or given, and may be empty.
func (v *values) partMayBeEmpty(part ast.Part, in *ast.Place) bool {
	switch part := part.(type) {
	case *ast.Ref:
		return v.mayBeEmpty(part, in) && !v.s.asksFor(part)
	case *ast.Output:
		return !writesSomething(part.Stages())
	}
	return false
}

// setsToEmpty reports whether a node that sets a variable may set it to the empty text.
func (v *values) setsToEmpty(node any, in *ast.Place) bool {
	argument, isArgument := node.(*given)
	switch node.(type) {
	case *ast.Redirect:
		return !writesSomething(writtenIn(in))
	case *ast.Command:
		return true
	}
	switch e := assignedValue(node).(type) {
	case *ast.Call:
		c := v.known[returnedBy(e.Name)]
		return c != nil && c.empty
	case *ast.Operand:
		if isArgument && (len(e.Word.Parts) == 0 || slices.ContainsFunc(argument.before, isList)) {
			return true
		}
		return len(e.Word.Parts) > 0 && !slices.ContainsFunc(e.Word.Parts, func(part ast.Part) bool {
			return !v.partMayBeEmpty(part, in)
		})
	}
	return false
}
