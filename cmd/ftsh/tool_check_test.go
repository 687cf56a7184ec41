package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/rogpeppe/go-internal/txtar"

	"ftsh/ast"
	"ftsh/ast/check"
	"ftsh/interp"
	"ftsh/parser"
)

// TestCheckTeaching holds that --check finds nothing in what people learn from and
// copy: examples, the manual, the README.
func TestCheckTeaching(t *testing.T) {
	scripts := 0
	teaching(t, func(name, text string) {
		found, parses := checked(name, text)
		if parses {
			scripts++
		}
		for i := range found {
			t.Errorf("%s", found[i].Text())
		}
	})
	if scripts < 100 {
		t.Errorf("only %d scripts were found", scripts)
	}
}

// TestCheckTests compares what is found in the scripts of tests, whose faults are
// meant, with a list that was read line by line: each is a real one.
//
//	go test ./cmd/ftsh -run TestCheckTests -update
func TestCheckTests(t *testing.T) {
	const list = "../../testdata/check.txt"
	var lines []string
	tested(t, func(name, text string) {
		count := map[string]int{}
		found, _ := checked(name, text)
		for _, f := range found {
			count[f.Rule.Code]++
		}
		for code, n := range count {
			lines = append(lines, fmt.Sprintf("%s %s %d\n", strings.TrimPrefix(name, "../../"), code, n))
		}
	})
	slices.Sort(lines)
	got := strings.Join(lines, "")
	if *update {
		must(t, os.WriteFile(list, []byte(got), 0o644))
	}
	want, err := os.ReadFile(list)
	must(t, err)
	if got != string(want) {
		t.Errorf("%s needs -update; read what changes:\n%s", list, diff.Diff("listed", want, "found", []byte(got)))
	}
}

// checked checks a script as --check does on a machine that has all programs.
func checked(name, text string) (found []check.Finding, parses bool) {
	file, err := parser.Parse(&ast.Source{Name: name, Text: text}, parser.Config{})
	if err != nil {
		return nil, false
	}
	return check.Script(file, check.Config{IsBuiltin: interp.IsBuiltin}), true
}

// teaching visits the examples, and the scripts in the manual and the README.
func teaching(t *testing.T, visit func(name, text string)) {
	t.Helper()
	for _, path := range filesIn(t, "../../examples", ".ftsh") {
		text, err := os.ReadFile(path)
		must(t, err)
		visit(path, string(text))
	}
	for _, path := range manualPages(t) {
		if path == "manual/check.md" {
			continue // which shows what is wrong
		}
		page, err := os.ReadFile(path)
		must(t, err)
		for _, b := range blocks(string(page)) {
			if label := strings.Fields(b.label); len(label) > 0 && label[0] == "ftsh" && !slices.Contains(label, "wrong") {
				visit(fmt.Sprintf("%s:%d", path, b.line), b.text)
			}
		}
	}
}

// tested visits the scripts of tests.
func tested(t *testing.T, visit func(name, text string)) {
	t.Helper()
	for _, path := range append(filesIn(t, "../..", ".txtar"), filesIn(t, "../../ast", ".ftsh")...) {
		text, err := os.ReadFile(path)
		must(t, err)
		if filepath.Ext(path) == ".ftsh" {
			visit(path, string(text))
			continue
		}
		for _, f := range txtar.Parse(text).Files {
			if strings.HasSuffix(f.Name, ".ftsh") {
				visit(path+":"+f.Name, string(f.Data))
			}
		}
	}
}

// filesIn are those in a folder with an ending.
func filesIn(t *testing.T, folder, ending string) (paths []string) {
	t.Helper()
	must(t, filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ending {
			paths = append(paths, path)
		}
		return err
	}))
	return paths
}

// TestCheckPage holds that the manual has each rule with its script.
//
//	go test ./cmd/ftsh -run TestCheckPage -update
func TestCheckPage(t *testing.T) {
	const path, head = "manual/check.md", "| --- | --- | --- |\n"
	page, err := os.ReadFile(path)
	must(t, err)
	before, after, found := strings.Cut(string(page), head)
	if !found {
		t.Fatal("the page has no table")
	}
	rows := head
	scripts, err := txtar.ParseFile("../../ast/check/testdata/rules.txtar")
	must(t, err)
	for i, rule := range check.Rules() {
		var lines []string
		for line := range strings.Lines(string(scripts.Files[2*i].Data)) {
			lines = append(lines, strings.TrimSpace(line))
		}
		rows += fmt.Sprintf("| %s | %s | `%s` |\n", rule.Code, rule.Title, strings.Join(lines, "; "))
		if _, err := os.Stat("manual/" + rule.Page + ".md"); err != nil {
			t.Errorf("%s points to a page that is not there: %v", rule.Code, err)
		}
	}
	_, rest, _ := strings.Cut(after, "\n\n")
	want := before + rows + "\n" + strings.TrimLeft(rest, "\n")
	if *update {
		must(t, os.WriteFile(path, []byte(want), 0o644))
	} else if want != string(page) {
		t.Error("the table of rules in the manual is not the one of the program (-update)")
	}
}
