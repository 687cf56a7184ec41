package expand

import (
	"strings"

	"ftsh/ast"
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
			if part.Quote != ast.Double || part.Kind != ast.Arguments {
				return appendOne(env, dst, part)
			}
		}
	}
	var scratch [scratchSize]byte
	f := fields{env: env, dst: dst, text: scratch[:0], keep: keep, at: w.Pos}
	for _, part := range w.Parts {
		if err := f.add(part); err != nil {
			return f.dst, err
		}
	}
	return f.dst, f.end()
}

// appendOne appends what a reference that stands alone expands to: pieces of
// its value, without copying them.
func appendOne(env Env, dst []string, ref *ast.Ref) ([]string, error) {
	text, err := refText(env, ref)
	if err != nil {
		return dst, err
	}
	if ref.Quote != ast.Bare {
		return append(dst, text), nil
	}
	for {
		var piece string
		if piece, text = cutField(text); piece == "" {
			return dst, nil
		}
		dst = append(dst, piece)
	}
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

// separates tells whether an unquoted reference splits at c.
func separates(c byte) bool { return c == ' ' || c == '\t' || c == '\n' }

// fields puts the strings together that a word of several parts expands to.
type fields struct {
	env  Env
	dst  []string // those that are complete
	at   ast.Pos
	keep bool

	text  []byte // the one under way
	begun bool   // there is one under way, though its text may be empty
	marks []mark // the pattern characters in it
}

// mark is where in a text a pattern character or set stands.
type mark struct{ begin, end int }

// add takes the next part of the word.
func (f *fields) add(part ast.Part) error {
	switch part := part.(type) {
	case *ast.Lit:
		f.write(part.Text)
	case *ast.Glob:
		f.glob(part.Pattern)
	case *ast.Tilde:
		dir, err := tilde(f.env, part, f.at)
		f.write(dir)
		return err
	case *ast.Ref:
		return f.reference(part)
	}
	return nil
}

// reference takes a reference.
func (f *fields) reference(ref *ast.Ref) error {
	if ref.Kind == ast.Arguments && ref.Quote == ast.Double && !(ref.Default != nil && f.noArguments()) {
		return f.arguments(ref)
	}
	if ref.Quote != ast.Bare {
		f.begun = true
		text, err := appendRef(f.env, f.text, ref)
		f.text = text
		return err
	}
	text, err := refText(f.env, ref)
	if err != nil {
		return err
	}
	return f.split(text)
}

// noArguments tells whether "$@" would come to nothing.
func (f *fields) noArguments() bool {
	for _, text := range f.env.Parameters() {
		if text != "" {
			return false
		}
	}
	return true
}

// arguments takes "$@": the first argument joins what stands before, the last
// one what follows, and no arguments are nothing at all.
func (f *fields) arguments(ref *ast.Ref) error {
	for i, text := range f.env.Parameters() {
		if strings.IndexByte(text, 0) >= 0 {
			return unusable(ref, errNUL)
		}
		if i > 0 {
			if err := f.end(); err != nil {
				return err
			}
		}
		f.write(text)
	}
	return nil
}

// split takes the value of an unquoted reference.
func (f *fields) split(text string) error {
	for text != "" {
		if separates(text[0]) {
			if err := f.end(); err != nil {
				return err
			}
		}
		piece, rest := cutField(text)
		if piece != "" {
			f.write(piece)
		}
		text = rest
	}
	return nil
}

// write takes text that means nothing but itself.
func (f *fields) write(text string) {
	f.text = append(f.text, text...)
	f.begun = true
}

// glob takes a pattern character or set.
func (f *fields) glob(pattern string) {
	begin := len(f.text)
	f.write(pattern)
	if isPattern(pattern) {
		f.marks = append(f.marks, mark{begin, len(f.text)})
	}
}

// end completes the string under way, if there is one.
func (f *fields) end() error {
	if !f.begun {
		return nil
	}
	text, marks := string(f.text), f.marks
	f.text, f.marks, f.begun = f.text[:0], nil, false
	if len(marks) == 0 || strings.Contains(text, "://") {
		f.dst = append(f.dst, text)
		return nil
	}
	names, err := match(f.env.Dir(), text, marks)
	if err != nil {
		return unreadable(f.at, text, err)
	}
	if len(names) == 0 && f.keep {
		names = []string{text}
	}
	f.dst = append(f.dst, names...)
	return nil
}
