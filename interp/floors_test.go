package interp_test

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// goesUp lists the methods by which a file may use one on a higher floor: they run a group of the language.
var goesUp = []string{"groupIn", "runGroup"}

// TestFloors holds that no file of the interpreter uses what stands on a floor above it, as doc.go tells them.
func TestFloors(t *testing.T) {
	floors := floorsOfDoc(t)
	fset, files, info := typesOf(t)
	for _, file := range files {
		name := fileOf(fset, file.Pos())
		if name == "doc" {
			continue
		}
		floor, known := floors[name]
		if !known {
			t.Errorf("%s.go stands on no floor", name)
			continue
		}
		ast.Inspect(file, func(n ast.Node) bool {
			id, isName := n.(*ast.Ident)
			if !isName {
				return true
			}
			used := info.Uses[id]
			if used == nil || used.Pkg() == nil || used.Pkg().Path() != "ftsh/interp" || slices.Contains(goesUp, used.Name()) {
				return true
			}
			if above := floors[fileOf(fset, used.Pos())]; above > floor {
				t.Errorf("%s: %s of %s.go stands above it", fset.Position(id.Pos()), used.Name(), fileOf(fset, used.Pos()))
			}
			return true
		})
	}
}

func fileOf(fset *token.FileSet, pos token.Pos) string {
	return strings.TrimSuffix(filepath.Base(fset.Position(pos).Filename), ".go")
}

// floorsOfDoc reads which file stands on which floor.
func floorsOfDoc(t *testing.T) map[string]string {
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "// # Floors\n")
	table, _, _ = strings.Cut(table, "// # ")
	floors, floor := map[string]string{}, ""
	for _, row := range regexp.MustCompile(`(?m)^//\t(?:(\d): )?(.*)$`).FindAllStringSubmatch(table, -1) {
		if row[1] != "" {
			floor = row[1]
		}
		for name := range strings.FieldsFuncSeq(row[2], func(r rune) bool { return r == ',' || r == ' ' }) {
			if _, err := os.Stat(name + ".go"); err != nil {
				t.Error(err)
			}
			floors[name] = floor
		}
	}
	return floors
}

// typesOf parses the package and finds out what its names mean.
func typesOf(t *testing.T) (*token.FileSet, []*ast.File, *types.Info) {
	list := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}", ".")
	list.Env = append(os.Environ(), "CGO_ENABLED=0") // as all else is compiled
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	exported := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		exported[path] = file
	}
	fset := token.NewFileSet()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exported[path])
	})}
	if _, err := config.Check("ftsh/interp", fset, files, info); err != nil {
		t.Fatal(err)
	}
	return fset, files, info
}
