package interp

import (
	"maps"
	"slices"

	"ftsh/ast"
	"ftsh/interp/expand"
)

// runsCommands reports whether a ${ command } stands in words.
func runsCommands(words []*ast.Word) bool { return slices.ContainsFunc(words, (*ast.Word).RunsCommand) }

// wordOf is the word of a redirection that is expanded; nil: it has none.
func wordOf(n *ast.Redirect) *ast.Word {
	if n.Body != nil {
		return n.Body
	}
	return n.Target
}

// runOutputs expands the words of redirections with a ${ command } in them, before anything is opened. They are known
// in the frame that it returns.
func (f *frame) runOutputs(list []*ast.Redirect) (*frame, error) {
	g := f
	for _, n := range list {
		word := wordOf(n)
		if !word.RunsCommand() {
			continue
		}
		text, err := expand.Word(f, word)
		if err != nil {
			return f, f.failWith(err, n.Pos)
		}
		if g == f {
			g = f.withDescriptors()
			g.io.expanded = map[*ast.Word]string{}
			maps.Copy(g.io.expanded, f.io.expanded)
		}
		g.io.expanded[word] = text
	}
	return g, nil
}

// redirectWord expands the word of a redirection, unless that was done.
func (f *frame) redirectWord(w *ast.Word) (string, error) {
	if text, known := f.io.expanded[w]; known {
		return text, nil
	}
	return expand.Word(f, w)
}
