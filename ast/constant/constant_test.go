package constant_test

import (
	"testing"
	"time"

	"ftsh/ast"
	"ftsh/ast/constant"
	"ftsh/parser"
)

// try parses a script that begins with a try.
func try(t *testing.T, text string) *ast.Try {
	t.Helper()
	file, err := parser.Parse(&ast.Source{Name: "x", Text: text + "\nmake\nend\n"}, parser.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return file.Body.List[0].Node.(*ast.Try)
}

func TestPeriod(t *testing.T) {
	knows := constant.Values(func(ref *ast.Ref) (string, bool) { return "2h", ref.Name == "limit" })
	for _, c := range []struct {
		text  string
		want  time.Duration
		known bool
	}{
		{"try for 90 s", 90 * time.Second, true},
		{"try for 1.5 hours 30 minutes", 2 * time.Hour, true},
		{"try for 1h30m", 90 * time.Minute, true},
		{"try for 250ms", 250 * time.Millisecond, true},
		{"try for 2 d", 48 * time.Hour, true},
		{"try for (5) m", 5 * time.Minute, true},
		{"try for $limit", 2 * time.Hour, true},
		{"try for $other", 0, false},
		{"try for 1 .add. 1 hours", 0, false},
		{"try 5 times", 0, false},
	} {
		if got, known := knows.Period(try(t, c.text).For); known != c.known || known && got != c.want {
			t.Errorf("%s: %v %v, want %v %v", c.text, got, known, c.want, c.known)
		}
	}
	if _, known := constant.Values(nil).Period(try(t, "try for $limit").For); known {
		t.Error("a variable is known without its value")
	}
}

func TestSeconds(t *testing.T) {
	for text, want := range map[string]time.Duration{"30": 30 * time.Second, "0.5": time.Second / 2,
		"250ms": 250 * time.Millisecond, "2 minutes": 2 * time.Minute} {
		if got, known := constant.Seconds(text); !known || got != want {
			t.Errorf("%s: %v %v", text, got, known)
		}
	}
	for _, text := range []string{"", "soon", "-1", "5 parsecs", "1e300", "NaN"} {
		if got, known := constant.Seconds(text); known {
			t.Errorf("%q is taken for %v", text, got)
		}
	}
}

func TestVariables(t *testing.T) {
	file, err := parser.Parse(&ast.Source{Name: "x",
		Text: "a=1\na=\nb=$a\nls -> c\nif .defined. d\nend\nfor e in x\nend\nexport F=g\n"}, parser.Config{})
	if err != nil {
		t.Fatal(err)
	}
	found := constant.Variables([]*ast.File{file})
	if a := found["a"]; len(a.Texts) != 2 || a.Texts[0] != "1" || a.Texts[1] != "" || a.Other {
		t.Errorf("a: %+v", a)
	}
	for _, name := range []string{"b", "c", "d", "e"} {
		if v := found[name]; v == nil || !v.Other {
			t.Errorf("%s: %+v", name, v)
		}
	}
	if f := found["F"]; f == nil || len(f.Texts) != 1 {
		t.Errorf("F: %+v", f)
	}
}
