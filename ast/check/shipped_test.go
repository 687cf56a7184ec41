package check_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"ftsh/ast"
	"ftsh/ast/check"
	"ftsh/parser"
)

// shipped is every script of the project that parses: examples, blocks of the
// manual and the README, and scripts of tests.
func shipped(t *testing.T, visit func(name, text string)) {
	t.Helper()
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		switch filepath.Ext(path) {
		case ".ftsh":
			visit(path, string(text))
		case ".md":
			blocks(path, string(text), visit)
		case ".txtar":
			for _, f := range txtar.Parse(text).Files {
				if strings.HasSuffix(f.Name, ".ftsh") {
					visit(path+":"+f.Name, string(f.Data))
				}
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// blocks visits the scripts of a page.
func blocks(path, page string, visit func(name, text string)) {
	for i, part := range strings.Split(page, "\n```") {
		label, text, _ := strings.Cut(part, "\n")
		if i > 0 && strings.HasPrefix(label, "ftsh") && !strings.HasPrefix(label, "ftsh wrong") {
			visit(path+":"+strings.TrimSpace(label), text)
		}
	}
}

// TestShipped holds that nothing is found in what the project ships that is not a real fault.
func TestShipped(t *testing.T) {
	scripts, functions := 0, 0
	shipped(t, func(name, text string) {
		file, err := parser.Parse(&ast.Source{Name: name, Text: text}, parser.Config{})
		if err != nil {
			return
		}
		scripts++
		functions += len(file.Functions)
		for _, f := range check.Script(file, config()) {
			t.Errorf("%s", f.Text())
		}
	})
	t.Logf("%d scripts, %d functions", scripts, functions)
}
