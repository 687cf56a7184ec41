package check_test

import (
	"testing"

	"ftsh/ast"
	"ftsh/ast/check"
	"ftsh/ast/explain"
	"ftsh/parser"
)

// FuzzScript holds that any script that parses can be checked and explained, that
// each finding has its place in it, and that what mends one leaves the rest of the text.
func FuzzScript(f *testing.F) {
	for _, e := range examples(f) {
		f.Add(e.finds)
		f.Add(e.passes)
	}
	for _, c := range cases {
		f.Add(c.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file, err := parser.Parse(&ast.Source{Name: "x", Text: text},
			parser.Config{ReadFile: func(string) ([]byte, error) { return nil, nil }})
		if err != nil {
			return
		}
		for _, found := range check.Script(file, config()) {
			if int(found.Pos.Offset) > len(found.Pos.Source.Text) || found.Pos.Line < 1 || found.Message == "" ||
				found.Instead == "" {
				t.Errorf("%+v", found)
			}
			for _, e := range found.Edits {
				if e.Begin > e.End || e.End > len(e.Source.Text) {
					t.Errorf("%s: %+v", found.Rule.Code, e)
				}
			}
			_ = found.Text()
		}
		_ = explain.Text(file, explain.Config{})
	})
}
