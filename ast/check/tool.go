package check

import (
	"path"
	"slices"
	"strings"

	"ftsh/ast"
)

// tool is a command as it is run: without its folder, and without env, sudo, timeout and their kin before it.
type tool struct {
	name string      // "" if it is not literal, or a function of the script
	list []*ast.Word // from the program on
}

// toolOf looks through what stands before the program of a command.
func (s *script) toolOf(c *ast.Command) tool {
	if s.functions[c.Name()] != nil {
		return tool{list: c.Words}
	}
	list := c.Words
	for len(list) > 0 {
		name, literal := list[0].Literal()
		name = path.Base(name)
		w, wraps := wrappers[name]
		switch rest := w.wrappedWords(list[1:]); {
		case !literal:
			return tool{list: list}
		case !wraps || len(rest) == 0:
			return tool{name, list}
		default:
			list = rest
		}
	}
	return tool{}
}

// wrappedWords returns the words from the program on that a wrapper runs; none if it is not known which they are.
func (w wrapper) wrappedWords(list []*ast.Word) []*ast.Word {
	operands := w.operands
	for i := 0; i < len(list); i++ {
		text, literal := list[i].Literal()
		switch {
		case !literal && (operands == 0 || len(list[i].Parts) != 1):
			if w.assigns && strings.Contains(shapeOf(list[i]), "=") {
				continue
			}
			if operands == 0 && w.operands > 0 {
				return list[i:]
			}
			return nil
		case slices.Contains(w.valued, text):
			i++
		case strings.HasPrefix(text, "-"), w.assigns && strings.Contains(text, "="):
		case operands > 0:
			operands--
		default:
			return list[i:]
		}
	}
	return nil
}

// arguments returns the texts of the words behind the program; "" stands for one that is not literal.
func (t tool) arguments() []string { return literals(t.list[min(1, len(t.list)):]) }

// hasArgument reports whether one of the arguments is that one; a short option may stand among others.
func (t tool) hasArgument(arg string) bool {
	short, long := len(arg) == 2 && arg[0] == '-', strings.HasPrefix(arg, "--")
	return slices.ContainsFunc(t.list[min(1, len(t.list)):], func(w *ast.Word) bool {
		a, _, more := strings.Cut(shapeOf(w), "\x00")
		return a == arg && !more || long && strings.HasPrefix(a, arg+"=") ||
			short && strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") && strings.Contains(a, arg[1:])
	})
}

// changesFiles reports whether the program changes the files that its words name.
func (t tool) changesFiles() bool {
	has := func(list ...string) bool { return slices.ContainsFunc(list, t.hasArgument) }
	switch t.name {
	case "sed":
		return has("-i", "--in-place")
	case "git":
		return has("rm", "mv")
	case "find":
		return has("-delete") || has("-exec", "-execdir") && has("rm", "mv", "shred")
	}
	return tools[t.name].changes || strings.HasPrefix(t.name, "mkfs")
}

// eatsInput reports whether the program surely reads all of its standard input.
func (t tool) eatsInput() bool {
	k, missing := tools[t.name], func(arg string) bool { return !t.hasArgument(arg) }
	switch k.input {
	case always:
		return true
	case alone:
		return len(t.list) == 1
	case unlessSaid:
		return len(t.list) > 1 && !slices.ContainsFunc(k.without, t.hasArgument)
	case ifSaid:
		return !slices.ContainsFunc(k.with, missing) && !slices.ContainsFunc(k.without, t.hasArgument)
	case unlessProgram:
		return t.readsProgram(k.with)
	}
	return false
}

// readsProgram reports whether an interpreter reads its program from standard input.
func (t tool) readsProgram(with []string) bool {
	for _, arg := range t.arguments() {
		switch {
		case arg == "-" || slices.Contains(with, arg):
			return true
		case !strings.HasPrefix(arg, "-") || strings.HasPrefix(arg, "--") || strings.ContainsAny(arg, "cemV"):
			return false
		}
	}
	return true
}

// eatsInput reports whether a program surely reads all of its standard input, or a command of its text does.
func (s *script) eatsInput(t tool) bool {
	if t.eatsInput() {
		return true
	}
	if !slices.Contains(shellNames, t.name) {
		return false
	}
	return slices.ContainsFunc(s.texts, func(text shellText) bool {
		if !slices.Contains(t.list, text.word) {
			return false
		}
		for i, p := range text.pieces {
			isFed := i > 0 && text.pieces[i-1].next == "|" ||
				slices.ContainsFunc(p.words, func(w string) bool { return strings.HasPrefix(w, "<") })
			if !isFed && s.toolOf(text.command(i)).eatsInput() {
				return true
			}
		}
		return false
	})
}

// lookOutward calls look for a place and, as that is in a function, for each place where the function is called, and
// so on, until look returns false: then it goes no further out from there.
func (s *script) lookOutward(in *ast.Place, look func(in *ast.Place) (further bool)) {
	seen := map[string]bool{}
	var visit func(in *ast.Place)
	visit = func(in *ast.Place) {
		if !look(in) {
			return
		}
		f, _ := nearestAround[*ast.Function](in)
		if f == nil || seen[f.Name] {
			return
		}
		seen[f.Name] = true
		for _, call := range s.callsOf(f.Name) {
			visit(call)
		}
	}
	visit(in)
}

// callsOf returns the places of the calls of a function.
func (s *script) callsOf(name string) []*ast.Place {
	if s.callers == nil {
		s.callers = map[string][]*ast.Place{}
		for _, c := range s.commands {
			s.callers[c.node.Name()] = append(s.callers[c.node.Name()], &ast.Place{Outer: c.in, Node: c.node})
		}
		for _, c := range s.calls {
			s.callers[c.node.Name] = append(s.callers[c.node.Name], &ast.Place{Outer: c.in, Node: c.node})
		}
	}
	return s.callers[name]
}
