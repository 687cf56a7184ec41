package parser

import (
	"testing"

	"ftsh/ast"
	"ftsh/ast/diag"
)

func TestPrompt(t *testing.T) {
	tests := map[string]string{
		"echo a\n":                  "",
		"\n":                        "",
		"try\n":                     "try",
		"try; a; end\n":             "",
		"function f\n  if a\n":      "function f",
		"if a\nelse\n":              "if",
		"echo \"a\n":                "\"",
		"echo 'a\n":                 "'",
		"try\necho 'a\n":            "'",
		"echo ${a:-\n":              "${",
		"cat << E\n":                "<< E",
		"cat << E\na\n":             "<< E",
		"a |\n":                     "a",
		"a | # why\n\n":             "a",
		"echo a \\\n":               "\\",
		"echo a\\\n":                "\\",
		"echo a\\\r\n":              "\\",
		"\\\n":                      "\\",
		"try\necho a \\\n":          "\\",
		"echo 'a\\\n'\n":            "",
		"x=(1\n":                    "error",
		"x=1 .add.\n":               "error",
		"for x\n":                   "error",
		"try\necho $?\n":            "error",
		"try 5\n":                   "error",
		"end\n":                     "error",
		"fg\njobs\n":                "",
		"bg\n":                      "error",
		"known\nwait\n":             "",
		"function known\nend\n":     "",
		"function wait\nx\nend\n":   "",
		"function f\nfunction f\n":  "error",
		"if a\ntry\nelse\nb\nend\n": "error",
	}
	for text, want := range tests {
		names := &ast.Names{}
		_, err := Parse(&ast.Source{Text: text},
			Config{Interactive: true, Functions: []string{"known", "wait"}, Names: names})
		got := ""
		if list, _ := err.(diag.List); len(list) > 0 {
			if got = list[0].Open; !list[0].Incomplete {
				got = "error"
			}
		}
		if got != want {
			t.Errorf("%q: %q, want %q: %v", text, got, want, err)
		}
	}
}

// What is typed line by line numbers its variables together.
func TestPromptNames(t *testing.T) {
	names := &ast.Names{}
	for _, text := range []string{"x=1\n", "y=$x\n", "echo $y $x -> z\n"} {
		if file, err := Parse(&ast.Source{Text: text}, Config{Interactive: true, Names: names}); err != nil ||
			file.Names != names {
			t.Fatal(err)
		}
	}
	if names.Len() != 3 || names.Name(2) != "z" {
		t.Errorf("%d names", names.Len())
	}
}
