package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// mostNames limits the names that a room exports, without the values of enumerations: a stranger reads them all
// before the first line of code.
const mostNames = 20

// wideDoors lists rooms that export more, and how many at most.
var wideDoors = map[string]int{
	"ast":            90, // a name for each node of the tree
	"backoff":        25, // two layers, and the clock that all rooms go by
	"interp/world":   33, // all that lies outside of a script has its name here
	"interp/durable": 47, // a name for each thing that a script that goes on has to know again
}

// TestDoors counts the names that each room exports. What only the room itself uses needs no capital letter, and what
// another uses in one place may be a method of what it has already.
func TestDoors(t *testing.T) {
	for room := range packages(t, "./...") {
		most := max(mostNames, wideDoors[room])
		if names := exportedNames(t, room); len(names) > most {
			t.Errorf("%s exports %d names, more than %d: %s", room, len(names), most, strings.Join(names, " "))
		}
	}
}

// exportedNames returns the types, functions, variables and constants that a room exports at the level of the package,
// without the values of enumerations: constants of a group that has a type of the room.
func exportedNames(t *testing.T, room string) (names []string) {
	files, err := filepath.Glob("../../" + room + "/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil && d.Name.IsExported() {
					names = append(names, d.Name.Name)
				}
			case *ast.GenDecl:
				names = append(names, exportedSpecs(d)...)
			}
		}
	}
	return names
}

// exportedSpecs returns the names that a declaration exports.
func exportedSpecs(d *ast.GenDecl) (names []string) {
	for _, spec := range d.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			if spec.Name.IsExported() {
				names = append(names, spec.Name.Name)
			}
		case *ast.ValueSpec:
			if _, named := spec.Type.(*ast.Ident); d.Tok == token.CONST && named && len(d.Specs) > 1 {
				return nil
			}
			for _, name := range spec.Names {
				if name.IsExported() {
					names = append(names, name.Name)
				}
			}
		}
	}
	return names
}

// What a reader takes in at once.
const (
	widestLine  = 120 // a tab counts as one
	longestFile = 400 // of a file that is no test's
)

// TestFilesAreShort holds how long lines and files are.
func TestFilesAreShort(t *testing.T) {
	err := filepath.WalkDir("../..", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		lines := strings.Split(string(text), "\n")
		if len(lines) > longestFile+1 && !strings.HasSuffix(path, "_test.go") {
			t.Errorf("%s has %d lines, more than %d", path, len(lines)-1, longestFile)
		}
		for i, line := range lines {
			if width := utf8.RuneCountInString(line); width > widestLine {
				t.Errorf("%s:%d has %d columns, more than %d", path, i+1, width, widestLine)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
