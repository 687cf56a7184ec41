package check

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"ftsh/ast"
)

// writtenIn are the stages whose output a redirection of a command, pipeline or block keeps; none: it is neither of
// the first two.
func writtenIn(in *ast.Place) []*ast.Command {
	switch n := in.Node.(type) {
	case *ast.Command:
		if p, ok := in.Outer.Node.(*ast.Pipeline); ok {
			return p.Stages[:slices.Index(p.Stages, n)+1]
		}
		return []*ast.Command{n}
	case *ast.Stmt:
		if p, ok := n.Node.(*ast.Pipeline); ok {
			return p.Stages
		}
	}
	return nil
}

// oneWord are commands that surely write one word, or a number: their words, with a newline between them.
var oneWord = sync.OnceValue(func() *regexp.Regexp {
	const date = `date(\n.*)*\n\+([^% \n]|%[^cxr ])+`
	const stat = `stat\n(-c\n|--format=|--printf=)([^% \n]|%[abBgGhiosuUWXYZ])+\n.*`
	const printf = `printf\n([^% \\\n]|%[-+#0-9.]*[diouxX])+(\\n)?(\n.*)*`
	const git = `git(\n.*)*\nrev-parse(\n([^-].*|-q|--verify|--short.*|--abbrev-ref.*|))*`
	return regexp.MustCompile(`^(` +
		`(hostname|nproc|whoami|id|mktemp|sbatch|uname|uuidgen|expr|seq|sha256sum|md5sum)(\n.*)*|` +
		`wc\n.*|` + date + `|` + stat + `|` + printf + `|` + git + `)$`)
})

// writesOneWord reports whether a command surely writes one word, or a number: or its last stage a part of that.
func writesOneWord(stages []*ast.Command) bool {
	if len(stages) == 0 {
		return false
	}
	last := stages[len(stages)-1]
	if len(stages) > 1 && slices.Contains([]string{"awk", "cut", "head", "tail"}, last.Name()) {
		return writesOneWord(stages[:len(stages)-1])
	}
	return oneWord().MatchString(strings.Join(literals(last.Words), "\n"))
}

// writesSeveralWords reports whether a command may write anything else.
func writesSeveralWords(stages []*ast.Command) bool { return !writesOneWord(stages) }

// writesSomething reports whether a command that succeeds surely writes more than the empty text.
func writesSomething(stages []*ast.Command) bool {
	if len(stages) == 0 {
		return false
	}
	if writesOneWord(stages) {
		return true
	}
	last := stages[len(stages)-1]
	return slices.Contains([]string{"basename", "date", "dirname", "pwd", "realpath"}, last.Name()) ||
		slices.Contains(literals(last.Words), "rev-parse")
}

// writesTheSame reports whether a command writes the same each time in one run of the script.
// What its words depend on is another question, but for commands in them.
func writesTheSame(stages []*ast.Command) bool {
	last := stages[len(stages)-1]
	return slices.Contains(strings.Fields("basename date dirname echo hostname id nproc printf pwd uname whoami"),
		last.Name()) && !slices.ContainsFunc(last.Words, func(w *ast.Word) bool {
		return runsAny(w, func(stages []*ast.Command) bool { return !writesTheSame(stages) })
	})
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

// runsAny reports whether a ${ command } of a word is one that is meant.
func runsAny(w *ast.Word, isMeant func(stages []*ast.Command) bool) bool {
	return slices.ContainsFunc(w.Parts, func(part ast.Part) bool {
		o, ok := part.(*ast.Output)
		return ok && isMeant(o.Stages())
	})
}
