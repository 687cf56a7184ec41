package expand

import (
	"strings"

	"ftsh/ast"
	"ftsh/interp/value"
)

// Words appends to dst what the words of a command expand to: unquoted references
// split, patterns match the names of files, sorted by their bytes. A pattern
// without a match stays as it is written, and a match that begins with - is given
// as ./-…, so that no file name is taken for an option. Errors are [*diag.Error].
func Words(env Env, dst []string, words []*ast.Word) ([]string, error) {
	for _, w := range words {
		var err error
		if dst, err = appendFields(env, dst, w, true); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// appendFields appends the strings that one word expands to. keep is for a
// pattern without a match: whether it stays.
func appendFields(env Env, dst []string, w *ast.Word, keep bool) ([]string, error) {
	if len(w.Parts) == 1 {
		switch part := w.Parts[0].(type) {
		case *ast.Lit:
			return append(dst, part.Text), nil
		case *ast.Ref:
			if part.Quote == ast.Bare {
				return appendSplit(env, dst, part)
			}
		}
	}
	if isOne(w) {
		text, err := Word(env, w)
		return append(dst, text), err
	}
	f := fields{dst: dst, keep: keep, word: w}
	for _, part := range w.Parts {
		if err := f.addPart(env, part); err != nil {
			return f.dst, err
		}
	}
	err := f.endField(env)
	return f.dst, err
}

// isOne reports whether a word is one string whatever its references hold.
func isOne(w *ast.Word) bool {
	for _, part := range w.Parts {
		switch part := part.(type) {
		case *ast.Glob:
			return false
		case *ast.Ref:
			if part.Quote == ast.Bare || part.IsList() {
				return false
			}
		case *ast.Output:
			if part.Quote == ast.Bare {
				return false
			}
		}
	}
	return true
}

// appendSplit appends the pieces of an unquoted reference that stands alone,
// without copying them.
func appendSplit(env Env, dst []string, ref *ast.Ref) ([]string, error) {
	text, err := textToSplit(env, ref)
	for {
		var piece string
		if piece, text = cutField(text); piece == "" {
			return dst, err
		}
		dst = append(dst, piece)
	}
}

// Matches reports whether one of the patterns matches a whole value. An unquoted reference in them may give
// several. Errors are [*diag.Error].
func Matches(env Env, patterns []*ast.Word, value string) (bool, error) {
	for _, w := range patterns {
		f := fields{word: w, value: &value}
		for _, part := range w.Parts {
			if err := f.addPart(env, part); err != nil {
				return false, err
			}
		}
		if err := f.endField(env); f.found || err != nil {
			return f.found, err
		}
	}
	return false, nil
}

// cutField skips separators and cuts off what comes before the next one. The
// piece is empty if there is nothing but separators.
func cutField(text string) (piece, rest string) {
	begin := 0
	for begin < len(text) && separates(text[begin]) {
		begin++
	}
	end := begin
	for end < len(text) && !separates(text[end]) {
		end++
	}
	return text[begin:end], text[end:]
}

// separates reports whether an unquoted reference splits at c.
func separates(c byte) bool { return c == ' ' || c == '\t' || c == '\n' }

// fields puts the strings together that a word of several parts expands to.
type fields struct {
	dst   []string // those that are complete
	word  *ast.Word
	keep  bool
	value *string // they are patterns for it, not for names of files; nil: they are not
	found bool    // one has matched it

	pieces []string // of the one under way; an empty piece too means that there is one
	length int      // of the pieces together
	marks  []mark   // the pattern characters in them
}

// mark is the place of a pattern character or set in a text.
type mark struct{ begin, end int }

// addPart takes the next part of the word.
func (f *fields) addPart(env Env, part ast.Part) error {
	switch part := part.(type) {
	case *ast.Lit:
		if part.Text == "" && part.Quote == ast.Bare {
			return nil // of a joined line there is nothing left
		}
	case *ast.Output:
		if part.Quote == ast.Bare {
			text, err := env.Output(part)
			return f.splitText(env, text, err)
		}
	case *ast.Ref:
		if part.Quote == ast.Bare {
			text, err := textToSplit(env, part)
			return f.splitText(env, text, err)
		}
		if part.IsList() && part.Quote == ast.Double {
			return f.splitMembers(env, part)
		}
	case *ast.Glob:
		if f.value != nil || isPattern(part.Pattern) {
			f.marks = append(f.marks, mark{f.length, f.length + len(part.Pattern)})
		}
	}
	text, err := partText(env, part, f.word.Pos)
	f.writeText(text)
	return err
}

// writeText takes text that means nothing but itself.
func (f *fields) writeText(text string) {
	f.pieces = append(f.pieces, text)
	f.length += len(text)
}

// splitText takes what an unquoted reference or command gave.
func (f *fields) splitText(env Env, text string, err error) error {
	for text != "" && err == nil {
		if separates(text[0]) {
			err = f.endField(env)
		}
		var piece string
		if piece, text = cutField(text); piece != "" {
			f.writeText(piece)
		}
	}
	return err
}

// splitMembers takes "$@" or its like: the first member joins what stands before, the last
// one what follows, and no members are nothing at all.
func (f *fields) splitMembers(env Env, ref *ast.Ref) error {
	args, err := membersOf(env, ref)
	if err != nil {
		return err
	}
	if ref.Default != nil && strings.Join(args, "") == "" {
		text, err := insteadOfNothing(env, ref)
		f.writeText(text)
		return err
	}
	for i, text := range args {
		if strings.IndexByte(text, 0) >= 0 {
			return unusableValue(ref, value.ErrNUL)
		}
		if i > 0 {
			if err := f.endField(env); err != nil {
				return err
			}
		}
		f.writeText(text)
	}
	return nil
}

// endField completes the string under way, if there is one.
func (f *fields) endField(env Env) error {
	if len(f.pieces) == 0 {
		return nil
	}
	text, marks := strings.Join(f.pieces, ""), f.marks
	f.pieces, f.length, f.marks = f.pieces[:0], 0, nil
	if f.value != nil {
		f.found = f.found || fitTokens(compileTokens(text, marks, 0), *f.value)
		return nil
	}
	if len(marks) == 0 || strings.Contains(text, "://") {
		f.dst = append(f.dst, text)
		return nil
	}
	names, err := matchPaths(env, text, marks)
	if err != nil {
		return unreadable(f.word.Pos, text, err)
	}
	if len(names) == 0 && f.keep {
		names = []string{unescapeSets(text, marks)}
	}
	f.dst = append(f.dst, names...)
	return nil
}

// unescapeSets takes the backslashes out of the sets of a pattern that stays: there,
// as everywhere in bare text, they only kept the next character from meaning more.
func unescapeSets(text string, marks []mark) string {
	if strings.IndexByte(text, '\\') < 0 {
		return text
	}
	var plain []byte
	done := 0
	for _, m := range marks {
		plain = append(plain, text[done:m.begin]...)
		for i := m.begin; i < m.end; i++ {
			if text[i] == '\\' {
				i++
			}
			plain = append(plain, text[i])
		}
		done = m.end
	}
	return string(append(plain, text[done:]...))
}
