package printer_test

import (
	"testing"

	"ftsh/ast"
	"ftsh/ast/printer"
	"ftsh/parser"
)

// TestCondition has each condition of a line by itself.
func TestCondition(t *testing.T) {
	file, err := parser.Parse(&ast.Source{
		Text: "try 5 times only on timeout 75 $x matching \"a b\" matching lost\n    a\nend\n"},
		parser.Config{})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"timeout", "75", "$x", `matching "a b"`, "matching lost"}
	list := file.Body.List[0].Node.(*ast.Try).On.List
	if len(list) != len(want) {
		t.Fatalf("%d conditions", len(list))
	}
	for i, c := range list {
		if got := printer.Condition(c); got != want[i] {
			t.Errorf("%s, wanted %s", got, want[i])
		}
	}
}
