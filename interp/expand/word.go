package expand

import (
	"strings"

	"ftsh/ast"
)

// fewPieces is how many pieces of a string are collected on the stack. More go to
// the heap.
const fewPieces = 8

// Word expands a word to exactly one string: nothing splits, and patterns stay as
// they are written. It is for the targets of redirections, here-documents, keys
// and the like. Errors are [*diag.Error].
func Word(env Env, w *ast.Word) (string, error) {
	if len(w.Parts) == 1 {
		return partText(env, w.Parts[0], w.Pos)
	}
	var few [fewPieces]string
	pieces := few[:0]
	for _, part := range w.Parts {
		text, err := partText(env, part, w.Pos)
		if err != nil {
			return "", err
		}
		pieces = append(pieces, text)
	}
	return strings.Join(pieces, ""), nil
}

// partText is what a part of a word expands to, as one string.
func partText(env Env, part ast.Part, at ast.Pos) (string, error) {
	switch part := part.(type) {
	case *ast.Lit:
		return part.Text, nil
	case *ast.Ref:
		return refText(env, part)
	case *ast.Tilde:
		return tilde(env, part, at)
	}
	return part.(*ast.Glob).Pattern, nil
}
