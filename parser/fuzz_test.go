package parser

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ftsh/ast"
)

// FuzzParser sees that any text is a script or has errors of the proper form, that
// a script without errors has nothing bad in it, and that parsing does not depend
// on what was parsed before.
func FuzzParser(f *testing.F) {
	f.Add(sample)
	names, _ := filepath.Glob("testdata/errors/*.txt")
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for c := range strings.SplitSeq(string(data), "\n%\n") {
			text, _, _ := strings.Cut(c, "\n> ")
			f.Add(text)
		}
	}
	none := func(string) ([]byte, error) { return nil, os.ErrNotExist }
	f.Fuzz(func(t *testing.T, text string) {
		for _, prompt := range []bool{false, true} {
			file, err := Parse(&ast.Source{Name: "s", Text: text}, Config{Interactive: prompt, ReadFile: none})
			checkList(t, text, err)
			if file == nil {
				t.Fatalf("%q: no file", text)
			}
			if err == nil {
				checkGroup(t, text, file.Body)
			}
		}
	})
}

// checkGroup sees that a tree is whole.
func checkGroup(t *testing.T, text string, g ast.Group) {
	t.Helper()
	for _, s := range g.List {
		switch n := s.Node.(type) {
		case nil, *ast.Bad:
			t.Fatalf("%q: a bad statement without an error", text)
		case *ast.Command:
			checkCommand(t, text, n)
		case *ast.Try:
			checkGroup(t, text, n.Body)
			for _, g := range []*ast.Group{n.Verify, n.Catch, n.Finally} {
				if g != nil {
					checkGroup(t, text, *g)
				}
			}
		case *ast.For:
			checkGroup(t, text, n.Body)
			if len(n.List) == 0 {
				t.Fatalf("%q: a loop without a list", text)
			}
		case *ast.While:
			checkGroup(t, text, n.Body)
		case *ast.If:
			for _, b := range n.Branches {
				checkGroup(t, text, b.Body)
			}
		case *ast.Function:
			checkGroup(t, text, n.Body)
		case *ast.Resource:
			checkGroup(t, text, n.Body)
		case *ast.Sense:
			checkGroup(t, text, n.Body)
		}
	}
}

func checkCommand(t *testing.T, text string, c *ast.Command) {
	t.Helper()
	if len(c.Words)+len(c.Redirects) == 0 {
		t.Fatalf("%q: an empty command", text)
	}
	for _, w := range c.Words {
		if len(w.Parts) == 0 {
			t.Fatalf("%q: an empty word", text)
		}
	}
	for _, r := range c.Redirects {
		if here := r.Op == ast.Here || r.Op == ast.HereTabs; here != (r.Body != nil) {
			t.Fatalf("%q: a here-document without a body", text)
		}
	}
}
