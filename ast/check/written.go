package check

import (
	"slices"
	"strings"

	"ftsh/ast"
)

// writtenIn is the command whose output a redirection of a command, pipeline or block keeps; nil: it is not one.
func writtenIn(in *ast.Place) *ast.Command {
	switch n := in.Node.(type) {
	case *ast.Command:
		return n
	case *ast.Stmt:
		if p, ok := n.Node.(*ast.Pipeline); ok {
			return p.Stages[len(p.Stages)-1]
		}
	}
	return nil
}

// lastOf is the command of a ${ … } that writes its value.
func lastOf(o *ast.Output) *ast.Command {
	stages := o.Stages()
	return stages[len(stages)-1]
}

// writesOneWord reports whether a command surely writes one word, or a number.
func writesOneWord(c *ast.Command) bool {
	if c == nil {
		return false
	}
	list := literals(c.Words)
	switch c.Name() {
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

// writesSeveralWords reports whether a command may write anything else.
func writesSeveralWords(c *ast.Command) bool { return !writesOneWord(c) }

// writesSomething reports whether a command that succeeds surely writes more than the empty text.
func writesSomething(c *ast.Command) bool {
	return writesOneWord(c) || c != nil && slices.Contains(
		[]string{"basename", "date", "dirname", "pwd", "realpath"}, c.Name())
}

// writesTheSame reports whether a command writes the same each time in one run of the script.
func writesTheSame(c *ast.Command) bool {
	return slices.Contains([]string{"date", "hostname", "id", "nproc", "pwd", "uname", "whoami"}, c.Name())
}

// mentionsAny reports whether a reference of a word is one that is meant, also in a default and in a ${ command }.
func mentionsAny(w *ast.Word, isMeant func(*ast.Ref) bool) bool {
	return w != nil && slices.ContainsFunc(w.Parts, func(part ast.Part) bool {
		switch part := part.(type) {
		case *ast.Ref:
			return isMeant(part) || mentionsAny(part.Default, isMeant) || mentionsAny(part.Instead, isMeant)
		case *ast.Output:
			return slices.ContainsFunc(part.Stages(), func(c *ast.Command) bool {
				return slices.ContainsFunc(c.Words, func(w *ast.Word) bool { return mentionsAny(w, isMeant) }) ||
					slices.ContainsFunc(c.Redirects, func(r *ast.Redirect) bool {
						return mentionsAny(r.Target, isMeant) || mentionsAny(r.Body, isMeant)
					})
			})
		}
		return false
	})
}

// runsAny reports whether a ${ command } of a word is one that is meant, by the command that writes its value.
func runsAny(w *ast.Word, isMeant func(*ast.Command) bool) bool {
	return slices.ContainsFunc(w.Parts, func(part ast.Part) bool {
		o, ok := part.(*ast.Output)
		return ok && isMeant(lastOf(o))
	})
}
