package expand

import (
	"errors"
	"strconv"
	"unicode/utf8"

	"ftsh/ast"
	"ftsh/ast/diag"
)

// quoteLimit is how many bytes of a value a message shows at most.
const quoteLimit = 60

// quote shows a text in a message: in quotes, control characters escaped, the
// end of a long one cut off.
func quote(text string) string {
	if len(text) <= quoteLimit {
		return strconv.Quote(text)
	}
	cut := quoteLimit
	for cut > quoteLimit-utf8.UTFMax && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return strconv.Quote(text[:cut]) + "…"
}

// undefined says that a reference refers to nothing.
func undefined(ref *ast.Ref) error {
	what := "variable " + ref.Name + " was never set"
	switch {
	case ref.Kind == ast.Variable && ref.Braced == ast.Round:
		return diag.Errorf(ref.Pos, "%s; $(%s) is a variable here, to keep what a command writes use  %s -> name", what, ref.Name, ref.Name)
	case ref.Kind == ast.Positional:
		what = "parameter $" + ref.Name + " was not given"
	case ref.Kind == ast.Shell:
		what = "${" + ref.Name + "} is not defined here"
	}
	return diag.Errorf(ref.Pos, "%s; ${%s:-text} gives a default", what, ref.Name)
}

// unusable says that the value of a reference cannot be expanded.
func unusable(ref *ast.Ref, err error) error {
	if errors.Is(err, errNUL) {
		return diag.Errorf(ref.Pos, "the value of %s %v", ref.Name, err)
	}
	return refusal{diag.Errorf(ref.Pos, "the value of %s cannot be read: %v", ref.Name, err), err}
}

// refusal is what the machine refused, at a place in the script.
type refusal struct {
	what  *diag.Error
	cause error
}

func (r refusal) Error() string { return r.what.Error() }

// Unwrap gives both.
func (r refusal) Unwrap() []error { return []error{r.what, r.cause} }

// unwanted says that a text is not what is wanted where it stands.
func unwanted(at ast.Pos, text, wanted string) error {
	return diag.Errorf(at, "%s is not %s", quote(text), wanted)
}

// unreadable says that the files that a pattern matches could not be found out.
func unreadable(at ast.Pos, pattern string, err error) error {
	return refusal{diag.Errorf(at, "looking for files that match %s: %v", quote(pattern), err), err}
}
