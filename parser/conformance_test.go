package parser

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ftsh/ast"
)

func TestTmpConformance(t *testing.T) {
	names, _ := filepath.Glob("/work/shared/conformance/*.txtar")
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files := map[string][]byte{}
		for _, f := range strings.Split("\n"+string(data), "\n-- ")[1:] {
			n, body, _ := strings.Cut(f, " --\n")
			files[strings.TrimSuffix(n, " --")] = []byte(body + "\n")
		}
		cfg := Config{ReadFile: func(p string) ([]byte, error) {
			if d, ok := files[p]; ok {
				return d, nil
			}
			return nil, os.ErrNotExist
		}}
		_, err = Parse(&ast.Source{Name: "script.ftsh", Text: string(files["script.ftsh"])}, cfg)
		if err != nil {
			t.Errorf("%s: %v", filepath.Base(name), err)
		}
	}
}
