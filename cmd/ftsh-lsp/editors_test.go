package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ftsh/ast"
	"ftsh/backoff"
	"ftsh/interp"
	"ftsh/testdata/skip"
)

var update = flag.Bool("update", false, "write the highlighted lines into testdata/highlight")

// TestVim highlights the sample with Vim itself.
func TestVim(t *testing.T) {
	skip.Without(t, "vim")
	if out, err := exec.Command("vim", "--version").Output(); err != nil || !strings.Contains(string(out), "+syntax") {
		skip.Test(t, "this vim was built without syntax highlighting")
	}
	out := filepath.Join(t.TempDir(), "out")
	const script = `
let lines = []
for l in range(1, line('$'))
    let before = ''
    let text = getline(l)
    for c in range(1, len(text))
        let group = synIDattr(synID(l, c, 1), 'name')
        if group !=# before
            call add(lines, l . ':' . c . ' ' . group)
            let before = group
        endif
    endfor
endfor
call writefile(lines, $OUT)
qall!
`
	path := filepath.Join(t.TempDir(), "highlight.vim")
	write(t, path, script)
	cmd := exec.Command("vim", "-es", "-u", "NONE", "-i", "NONE", "-N", "--cmd", "set runtimepath^="+
		absolute(t, "editors/vim"),
		"-c", "filetype plugin on", "-c", "syntax on", "-c", "edit testdata/highlight/sample.ftsh", "-S", path)
	cmd.Env = append(os.Environ(), "OUT="+out, "TERM=dumb")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	compare(t, "vim.txt", out)
}

// TestTextMate highlights the sample with the engine of VS Code.
func TestTextMate(t *testing.T) {
	skip.Without(t, "node")
	modules := os.Getenv("FTSH_NODE_MODULES")
	if _, err := os.Stat(modules + "/vscode-textmate"); modules == "" || err != nil {
		skip.Test(t, "FTSH_NODE_MODULES names no folder with vscode-textmate and vscode-oniguruma")
	}
	out := filepath.Join(t.TempDir(), "out")
	cmd := exec.Command("node", "testdata/highlight/textmate.js", "editors/vscode/syntaxes/ftsh.tmLanguage.json",
		"testdata/highlight/sample.ftsh", out)
	cmd.Env = append(os.Environ(), "NODE_PATH="+modules)
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	compare(t, "textmate.txt", out)
}

// compare holds what an editor has made of the sample: a line for each change of
// colour, with the text up to the next.
func compare(t *testing.T, name, out string) {
	t.Helper()
	changes, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	sample, _ := os.ReadFile("testdata/highlight/sample.ftsh")
	lines := strings.Split(string(sample), "\n")
	var got strings.Builder
	list := strings.Split(strings.TrimSpace(string(changes)), "\n")
	for i, change := range list {
		line, column, group := placeOf(change)
		text := lines[line-1][column-1:]
		if i+1 < len(list) {
			if next, end, _ := placeOf(list[i+1]); next == line {
				text = lines[line-1][column-1 : end-1]
			}
		}
		if text = strings.TrimSpace(text); group != "" && text != "" {
			fmt.Fprintf(&got, "%d %-20s %s\n", line, group, text)
		}
	}
	want := "testdata/highlight/" + name
	if *update {
		write(t, want, got.String())
	}
	if text, _ := os.ReadFile(want); string(text) != got.String() {
		t.Errorf("%s: got\n%s\nwant\n%s", name, got.String(), text)
	}
}

// placeOf reads "line:column group"; the group may be missing.
func placeOf(change string) (line, column int, group string) {
	_, _ = fmt.Sscanf(change, "%d:%d %s", &line, &column, &group)
	return line, column, group
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	abs, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return abs
}

// TestEditorsKnowTheLanguage holds that no word of the language is missing in the editors' files.
func TestEditorsKnowTheLanguage(t *testing.T) {
	anywhere, top := ast.Keywords()
	sections, conditional, choice := ast.Sections()
	lists := map[string][]string{
		"keywords": append(anywhere, top...), "sections": slices.Concat(sections, conditional,
			choice), "settings": ast.Settings(),
		"clauses": ast.Clauses(),
		"backoff": ast.BackoffSettings(), "kinds": ast.Kinds(), "operators": ast.Operators(),
		"policies": backoff.Policies(), "builtins": interp.Builtins(),
		"units": ast.Units(),
	}
	for _, path := range []string{"editors/vim/syntax/ftsh.vim", "editors/vscode/syntaxes/ftsh.tmLanguage.json"} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		words := map[string]bool{}
		for _, word := range strings.FieldsFunc(string(text), func(r rune) bool { return !isNameByte(byte(r)) && r != ' ' }) {
			for _, part := range append(strings.Fields(word), word) {
				words[strings.TrimSuffix(part, "s")] = true
			}
		}
		for name, list := range lists {
			for _, word := range list {
				for part := range strings.FieldsSeq(word) {
					if part = strings.Trim(part, "."); !words[strings.TrimSuffix(part, "s")] {
						t.Errorf("%s lacks %s of the %s", path, part, name)
					}
				}
			}
		}
	}
}

// TestEditorFiles holds that the files for VS Code are JSON, and name files that are there.
func TestEditorFiles(t *testing.T) {
	var manifest struct {
		Main        string
		Contributes struct {
			Languages []struct{ Configuration string }
			Grammars  []struct{ Path string }
		}
	}
	for _, name := range []string{"language-configuration.json", "syntaxes/ftsh.tmLanguage.json", "package.json"} {
		text, err := os.ReadFile("editors/vscode/" + name)
		if err != nil {
			t.Fatal(err)
		}
		var value any
		if err := json.Unmarshal(text, &value); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if name == "package.json" {
			_ = json.Unmarshal(text, &manifest)
		}
	}
	for _, path := range []string{manifest.Main, manifest.Contributes.Languages[0].Configuration,
		manifest.Contributes.Grammars[0].Path} {
		if _, err := os.Stat("editors/vscode/" + path); err != nil {
			t.Error(err)
		}
	}
}
