package check

import (
	"slices"
	"strings"

	"ftsh/ast"
)

// findMissingPrograms looks for programs that would not be found. A script that sets PATH, or
// installs something, knows more than we do.
func findMissingPrograms(s *script) {
	if s.config.OnPath == nil || s.variables()["PATH"] != nil || s.isLibrary() {
		return
	}
	seen := map[string]bool{}
	for _, c := range s.commands {
		if installsPrograms(c.node) {
			return
		}
		for _, name := range askedPrograms(c.node) { // the script finds out by itself
			seen[name] = true
		}
	}
	for _, c := range s.commands {
		name := c.node.Name()
		if name == "" || seen[name] || strings.Contains(name, "/") || s.functions[name] != nil || s.isBuiltin(name) {
			continue
		}
		seen[name] = true
		if !s.config.OnPath(name) && !isAlternative(c) {
			s.reportMissing(c.node.Words[0], name)
		}
	}
}

// reportMissing reports a program that would not be found. Without one of a similar name it is only noted: the script
// may be written for another machine.
func (s *script) reportMissing(w *ast.Word, name string) {
	message, near := "no program "+name+" is on PATH here", ""
	if s.config.Nearest != nil && !isKnownProgram(name) {
		near = s.config.Nearest(name)
	}
	if near != "" {
		s.addFinding(w.Pos, message+"; did you mean "+near+"?", "mend the name, install it, or write its path")
		return
	}
	s.addFinding(w.Pos, message, "install it where the script runs, or write its path")
	s.found[len(s.found)-1].Level = Note
}

// isKnownProgram reports whether the rules know a program of that name, so that it is no misspelt one.
func isKnownProgram(name string) bool {
	_, tool := tools[name]
	_, network := networkVerbs()[name]
	_, wraps := wrappers[name]
	return tool || network || wraps
}

// installsPrograms reports whether a command installs programs.
func installsPrograms(c *ast.Command) bool {
	list := literals(c.Words)
	return slices.Contains(list, "install") || slices.Contains(list, "apk") && slices.Contains(list, "add")
}

// askedPrograms are the programs that a command asks for, as which and command -v do.
func askedPrograms(c *ast.Command) []string {
	list := literals(c.Words)
	if len(list) > 1 && (list[0] == "which" || list[0] == "command" && list[1] == "-v") {
		return list[1:]
	}
	return nil
}
