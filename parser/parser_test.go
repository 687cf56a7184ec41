package parser

import (
	"strings"
	"sync"
	"testing"

	"ftsh/ast"
)

// Looking for errors only finds the same ones, and keeps nothing.
func TestCheck(t *testing.T) {
	text := "function f\nx=1\nend\nfunction f\nend\necho $?\nlet x\ntry\n"
	_, want := Parse(&ast.Source{Text: text}, Config{})
	_, err := Parse(&ast.Source{Text: text}, Config{Check: true})
	if err.Error() != want.Error() || strings.Count(err.Error(), "\n") != 3 {
		t.Errorf("%v\nwant:\n%v", err, want)
	}
	file, err := Parse(&ast.Source{Text: sample}, Config{Check: true})
	if err != nil || len(file.Body.List)+len(file.Functions) != 0 {
		t.Errorf("%v, %d statements", err, len(file.Body.List))
	}
}

// The grammars are built once, whoever needs them first.
func TestConcurrently(t *testing.T) {
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if _, err := Parse(&ast.Source{Text: sample}, Config{}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

// A function may be defined after more errors than are reported.
func TestLateFunction(t *testing.T) {
	_, err := Parse(&ast.Source{Text: "let x\nfi\n" + strings.Repeat("echo $?\n", 20) + "function let\nend\n"}, Config{})
	if err == nil || strings.Contains(err.Error(), "read is") || !strings.Contains(err.Error(), "fi is") {
		t.Error(err)
	}
}

func TestBadStatement(t *testing.T) {
	file, err := Parse(&ast.Source{Text: "a\nb && c\r\nd\n"}, Config{})
	if err == nil || len(file.Body.List) != 3 {
		t.Fatal(err, file.Body.List)
	}
	if bad, ok := file.Body.List[1].Node.(*ast.Bad); !ok || bad.Text != "b && c" {
		t.Errorf("%#v", file.Body.List[1].Node)
	}
}
