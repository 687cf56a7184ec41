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
