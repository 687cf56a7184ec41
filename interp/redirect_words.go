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
// until forget is called.
func (f *frame) runOutputs(list []*ast.Redirect) (forget func(), err error) {
	outside := f.expanded
	for _, n := range list {
		word := wordOf(n)
		if !word.RunsCommand() {
			continue
		}
		text, err := expand.Word(f, word)
		if err != nil {
			f.expanded = outside
			return nil, f.failWith(err, n.Pos)
		}
		f.expanded = maps.Clone(f.expanded) // branches have the one before
		if f.expanded == nil {
			f.expanded = map[*ast.Word]string{}
		}
		f.expanded[word] = text
	}
	return func() { f.expanded = outside }, nil
}

// redirectWord expands the word of a redirection, unless that was done.
func (f *frame) redirectWord(w *ast.Word) (string, error) {
	if text, known := f.expanded[w]; known {
		return text, nil
	}
	return expand.Word(f, w)
}
