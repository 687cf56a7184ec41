package expand

import (
	"strconv"

	"ftsh/ast"
)

// scratchSize is how many bytes of a word are put together on the stack. Longer
// words go to the heap on the way.
const scratchSize = 128

// Word expands a word to exactly one string: nothing splits, and patterns stay as
// they are written. It is for the targets of redirections, here-documents, keys
// and the like. Errors are [*diag.Error].
func Word(env Env, w *ast.Word) (string, error) {
	if len(w.Parts) == 1 {
		switch part := w.Parts[0].(type) {
		case *ast.Lit:
			return part.Text, nil
		case *ast.Ref:
			return refText(env, part)
		}
	}
	var scratch [scratchSize]byte
	text, err := appendWord(env, scratch[:0], w)
	return string(text), err
}

// appendWord appends what Word returns.
func appendWord(env Env, buf []byte, w *ast.Word) ([]byte, error) {
	for _, part := range w.Parts {
		switch part := part.(type) {
		case *ast.Lit:
			buf = append(buf, part.Text...)
		case *ast.Glob:
			buf = append(buf, part.Pattern...)
		case *ast.Ref:
			var err error
			if buf, err = appendRef(env, buf, part); err != nil {
				return nil, err
			}
		case *ast.Tilde:
			home, err := tilde(env, part, w.Pos)
			if err != nil {
				return nil, err
			}
			buf = append(buf, home...)
		}
	}
	return buf, nil
}

// appendRef appends what a reference expands to.
func appendRef(env Env, buf []byte, ref *ast.Ref) ([]byte, error) {
	v, err := refer(env, ref)
	if err != nil {
		return nil, err
	}
	if v.kind == isInteger {
		return strconv.AppendInt(buf, v.number, 10), nil
	}
	text, err := textOf(ref, v)
	return append(buf, text...), err
}
