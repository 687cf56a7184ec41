package check

import (
	"slices"
	"strings"

	"ftsh/ast"
)

// findUnhidden looks for variables among the words of programs that are secrets by what stands before them.
func findUnhidden(s *script) {
	if s.isLibrary() {
		return // the script that sources it may say so
	}
	secret := s.secretVariables()
	for _, c := range s.commands {
		name := s.toolOf(c.node).name
		for i, w := range c.node.Words {
			option := ""
			if i > 0 {
				option, _ = c.node.Words[i-1].Literal()
			}
			for _, ref := range refsOfSecrets(name, option, w) {
				if !secret[ref.Name] {
					secret[ref.Name] = true // said once
					s.addFinding(ref.Pos, ref.Name+" is not secret: the log, ${error.summary} and the live view show it",
						"write  secret "+ref.Name+"  before; then they show ***")
				}
			}
		}
	}
}

// secretVariables are the variables that are secret, and those that are made of them.
func (s *script) secretVariables() map[string]bool {
	secret := map[string]bool{}
	for _, name := range s.files[0].Secrets {
		secret[name] = true
	}
	for more := true; more; {
		more = false
		for _, e := range s.statements {
			n, ok := e.node.Node.(*ast.Assign)
			if !ok || secret[n.Var.Name] {
				continue
			}
			if o, ok := n.Value.(*ast.Operand); ok && mentionsAny(o.Word, func(ref *ast.Ref) bool { return secret[ref.Name] }) {
				secret[n.Var.Name], more = true, true
			}
		}
	}
	return secret
}

// refsOfSecrets returns the variables in a word of a program that are secrets. The option is the word before.
func refsOfSecrets(program, option string, w *ast.Word) (list []*ast.Ref) {
	before, isUser := "", isUserOption(program, option)
	if isUser || isSecretName(option) && strings.HasPrefix(option, "-") {
		before = option + "="
	}
	for _, part := range w.Parts {
		switch part := part.(type) {
		case *ast.Lit:
			before += part.Text
			continue
		case *ast.Ref:
			if part.Kind == ast.Variable && part.Dotted == 0 && holdsSecret(program, before) {
				list = append(list, part)
			}
		}
		before += "\x00"
	}
	if isUser && strings.Contains(before[len(option)+1:], ":") {
		// of ann:$password and $user:$password only what stands behind the colon
		list = slices.DeleteFunc(list, func(ref *ast.Ref) bool { return precedesColon(w, ref) })
	}
	return list
}

// precedesColon reports whether a colon is written behind a reference in a word.
func precedesColon(w *ast.Word, ref *ast.Ref) bool {
	i := slices.IndexFunc(w.Parts, func(part ast.Part) bool { return part == ast.Part(ref) })
	return slices.ContainsFunc(w.Parts[i+1:], func(part ast.Part) bool {
		lit, ok := part.(*ast.Lit)
		return ok && strings.Contains(lit.Text, ":")
	})
}

// isUserOption reports whether the value of an option is a name and a password.
func isUserOption(program, option string) bool {
	return program == "curl" && slices.Contains([]string{"--user", "--proxy-user", "-u", "-U"}, option)
}

// secretHeaders are fields of HTTP whose values are secrets.
var secretHeaders = []string{"authorization", "x-api-key", "api-key", "x-auth-token", "private-token", "job-token",
	"x-vault-token", "cookie"}

// holdsSecret reports whether the rest of a word after a text is a secret; \x00 stands for a value.
func holdsSecret(program, before string) bool {
	if name, _, found := strings.Cut(before, ":"); found &&
		slices.Contains(secretHeaders, strings.ToLower(strings.TrimSpace(name))) {
		return true
	}
	if name, _, found := strings.Cut(before, "="); found && isUserOption(program, name) {
		return true
	}
	name, assigned := strings.CutSuffix(before, "=")
	return assigned && isSecretName(name[strings.LastIndexAny(name, "?&;, \x00")+1:])
}

// isSecretName reports whether an option, a variable or a field is called like a secret.
func isSecretName(name string) bool {
	name = strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(name))
	for _, end := range []string{"password", "passwd", "passphrase", "token", "secret", "apikey", "secretkey",
		"accesskey", "bearer"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}
