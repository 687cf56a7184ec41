package parser

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ftsh/ast"
	"ftsh/ast/diag"
)

// parseFiles parses the first of some files; the others can be sourced.
func parseFiles(files map[string]string, name string) (*ast.File, error) {
	read := func(path string) ([]byte, error) {
		text, ok := files[path]
		if !ok {
			return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
		}
		return []byte(text), nil
	}
	return Parse(&ast.Source{Name: name, Text: files[name]}, Config{ReadFile: read})
}

func TestSource(t *testing.T) {
	file, err := parseFiles(map[string]string{
		"dir/main":  "source lib/a\nf\nsource '/b b'\nfunction h\nend\n",
		"dir/lib/a": "function f\nend\nsource ../c\nx=1\n",
		"/b b":      "source dir/c\n",
		"/dir/c":    "function g\nend\n",
		"dir/lib/../c": "x=${error.stderr}\n" +
			"function k\nend\n",
	}, "dir/main")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range file.Functions {
		names = append(names, f.Name)
	}
	if diff := cmp.Diff([]string{"f", "k", "g", "h"}, names); diff != "" {
		t.Error(diff)
	}
	a := file.Body.List[0].Node.(*ast.SourceFile)
	if a.File.Source.Name != "dir/lib/a" || a.File.Names != file.Names || !file.ReadsStderr {
		t.Errorf("%+v", a.File)
	}
	x, _ := file.Names.Lookup("x")
	if got := a.File.Body.List[2].Node.(*ast.Assign).Var.Number; got != x {
		t.Errorf("number %d, want %d", got, x)
	}
}

// Two files may source the same third one: it is parsed once and runs twice.
func TestSourceTwice(t *testing.T) {
	file, err := parseFiles(map[string]string{"a": "source b\nsource c\nsource b\n", "b": "source c\n",
		"c": "function f\nend\n"}, "a")
	if err != nil || len(file.Functions) != 1 {
		t.Fatal(file.Functions, err)
	}
	b, c := file.Body.List[0].Node.(*ast.SourceFile).File, file.Body.List[1].Node.(*ast.SourceFile).File
	if b.Body.List[0].Node.(*ast.SourceFile).File != c || file.Body.List[2].Node.(*ast.SourceFile).File != b {
		t.Error("parsed twice")
	}
}

func TestSourceErrors(t *testing.T) {
	tests := map[string]struct {
		files map[string]string
		want  string
	}{
		"missing": {map[string]string{"a": "x\nsource b\n"}, "a:2:8: cannot read b: file does not exist"},
		"itself":  {map[string]string{"a": "source a\n"}, "a:1:8: a sources itself, directly or through another file"},
		"cycle": {map[string]string{"a": "source b\n", "b": "x\nsource c\n", "c": "source b\n"},
			"c:1:8: b sources itself, directly or through another file"},
		"back": {map[string]string{"a": "source b\n", "b": "source a\n"},
			"b:1:8: a sources itself, directly or through another file"},
		"errors": {map[string]string{"a": "echo $?\nsource b\necho $!\n", "b": "end\n"},
			"a:1:6: $? is not\na:3:6: $! is not\nb:1:1: this end closes nothing"},
		"unclosed": {map[string]string{"a": "source b\nend\n", "b": "try\n"},
			"a:2:1: this end closes nothing\nb:1:1: try is not closed by an end"},
		"twice": {map[string]string{"a": "function f\nend\nsource b\n", "b": "function f\nend\n"},
			"b:1:10: function f is defined a second time, the first is at a:1:1"},
		"in a block": {map[string]string{"a": "try\nsource b\nend\n", "b": ""},
			"a:2:8: source stands at the top level, not inside another statement"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := parseFiles(test.files, "a")
			list, _ := err.(diag.List)
			want := strings.Split(test.want, "\n")
			if len(list) != len(want) {
				t.Fatalf("%v", err)
			}
			for i := range want {
				if !strings.HasPrefix(list[i].Error(), want[i]) {
					t.Errorf("%v, want %s", list[i], want[i])
				}
			}
		})
	}
}

func TestSourceReadsFiles(t *testing.T) {
	_, err := Parse(&ast.Source{Name: "x", Text: "source /nowhere/at-all\n"}, Config{})
	if err == nil || !strings.Contains(err.Error(), "x:1:8: cannot read /nowhere/at-all: no such file") {
		t.Error(err)
	}
}

// Relative paths begin in the directory given, and lie beside the file that a link leads to.
func TestSourceDir(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"lib/a": "source b\n", "lib/b": "function f\nend\n", "b": "not this one\n"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("lib/a", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	file, err := Parse(&ast.Source{Name: "prompt", Text: "source link\n"}, Config{Dir: dir})
	if err != nil || len(file.Functions) != 1 || file.Functions[0].Pos.Source.Name != "lib/b" {
		t.Fatal(file.Functions, err)
	}
}

// A text that is looked at alone may use what it sources defines, and no more.
func TestSourceAlone(t *testing.T) {
	for text, want := range map[string]string{
		"source a\nx=f(1)\ntype x\ntry 1 hour via r\nend\n": "",
		"source $a\n": "1:8: source takes a literal path, since the script is parsed before it runs",
		"x=f(1)\n":    "1:3: there is no function f; to keep what a program writes, use  cmd -> name",
	} {
		_, err := Parse(&ast.Source{Name: "s", Text: text}, Config{Alone: true})
		if got := strings.TrimPrefix(fmt.Sprint(err), "s:"); got != want && (err != nil || want != "") {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
