package printer_test

import (
	"strings"
	"testing"

	"ftsh/ast"
	"ftsh/ast/printer"
	"ftsh/parser"
)

// TestBare has the same statements with all that stands around them, and without.
func TestBare(t *testing.T) {
	const text = "# a\n\necho a # b\n\n# c\ntry # d\n    # e\n\n    echo b # f\n\n    # g\ncatch # h\n    true\n    " +
		"# i\nend # j\n\n# k\n"
	const want = "echo a\ntry\n    echo b\ncatch\n    true\nend\n"
	file, err := parser.Parse(&ast.Source{Text: text}, parser.Config{})
	if err != nil {
		t.Fatal(err)
	}
	var whole strings.Builder
	if err := printer.Print(&whole, file); err != nil || whole.String() != text {
		t.Errorf("with comments:\n%s\n%v", whole.String(), err)
	}
	if got := printer.Code(file.Body.List...); got != want {
		t.Errorf("without comments:\n%s", got)
	}
}

// TestBareWithoutBreaks has the same statements laid out in lines and not.
func TestBareWithoutBreaks(t *testing.T) {
	for broken, plain := range map[string]string{
		"try \\\n  3 times\ntrue\nend":                               "try 3 times\ntrue\nend",
		"try for 1 h \\\n or 3 times \\\n every \\\n 1 s\ntrue\nend": "try 1 hour or 3 times every 1 second\ntrue\nend",
		"try for 1 h \\\n 3 times key \\\n k\ntrue\nend":             "try 1 h 3 times key k\ntrue\nend",
		"try 2 times only on \\\n 75 \\\n 3\ntrue\nend":              "try 2 times only on 75 3\ntrue\nend",
		"make \\\n\tall \\\n > \\\n log \\\n 2>&1":                   "make all > log 2>&1",
		"a |\n  b |&\n  c":                                           "a | b |& c",
		"x=(1 \\\n .mul. 2) \\\n .add. \\\n 1":                       "x=(1 .mul. 2) .add. 1",
		"forall x in a \\\n b \\\n .limit. 3\ntrue\nend":             "forall x in a b .limit. 3\ntrue\nend",
		"if a \\\n .eq. b\n\n  # c\n  true\nend \\\n > f":            "if a .eq. b\ntrue\nend > f",
	} {
		if got, want := codeOf(t, broken), codeOf(t, plain); got != want {
			t.Errorf("%q is\n%s, and not\n%s", broken, got, want)
		}
	}
}

func codeOf(t *testing.T, text string) string {
	t.Helper()
	file, err := parser.Parse(&ast.Source{Text: text}, parser.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return printer.Code(file.Body.List...)
}

// TestCarriageReturn has words that end in one at the end of a line, where it would be taken for a part of the line's
// end.
func TestCarriageReturn(t *testing.T) {
	for text, want := range map[string]string{
		"\r": "\r \n", "a\r\r\n": "a\r \n", "a\r\nb\r": "a\nb\r \n", "a \r # c": "a \r # c\n", "a\r b": "a\r b\n",
	} {
		file, err := parser.Parse(&ast.Source{Text: text}, parser.Config{})
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		if err := printer.Print(&got, file); err != nil || got.String() != want {
			t.Errorf("%q: %q, wanted %q, %v", text, got.String(), want, err)
		}
	}
}
