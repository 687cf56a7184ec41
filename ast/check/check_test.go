package check_test

import (
	"slices"
	"strings"
	"testing"

	"ftsh/ast"
	"ftsh/ast/check"
	"ftsh/ast/diag"
	"ftsh/parser"
)

// config knows the builtins that the scripts of these tests use, and of all programs one that is not there.
func config() check.Config {
	return check.Config{
		OnPath:  func(name string) bool { return name != "crul" },
		Nearest: func(name string) string { return diag.Misspelt(name, []string{"curl"}) },
		IsBuiltin: func(name string) bool {
			return slices.Contains([]string{"absent", "cd", "echo", "exec", "exit", "failure", "giveup", "read", "retryafter",
				"sleep", "true"}, name)
		},
	}
}

// findings checks a text.
func findings(t *testing.T, text string) []check.Finding {
	t.Helper()
	return check.Script(parse(t, text, nil), config())
}

// findingsOf checks a text for what a rule is about.
func findingsOf(t *testing.T, rule check.Rule, text string) []check.Finding {
	t.Helper()
	c := config()
	c.Journal = rule.Journal
	return check.Script(parse(t, text, nil), c)
}

// parse reads a text that must be right, and what it sources.
func parse(t *testing.T, text string, files map[string]string) *ast.File {
	t.Helper()
	file, err := parser.Parse(&ast.Source{Name: "script.ftsh", Text: text + "\n"}, parser.Config{
		ReadFile: func(path string) ([]byte, error) { return []byte(files[path]), nil },
	})
	if err != nil {
		t.Fatalf("%s\n%v", text, err)
	}
	return file
}

// TestRules runs the two scripts of each rule.
func TestRules(t *testing.T) {
	seen, scripts := map[string]bool{}, examples(t)
	if !slices.IsSortedFunc(check.Rules(), func(a, b check.Rule) int { return strings.Compare(a.Code, b.Code) }) {
		t.Error("the table is not in the order of the codes")
	}
	for _, rule := range check.Rules() {
		t.Run(rule.Code, func(t *testing.T) {
			e := scripts[rule.Code]
			if seen[rule.Code] || (rule.Code[1] == '1') != (rule.Level == check.Error) {
				t.Errorf("%s is used twice, or is not of its level", rule.Code)
			}
			seen[rule.Code] = true
			found := findingsOf(t, rule, e.finds)
			if len(found) != 1 || found[0].Rule.Code != rule.Code {
				t.Errorf("wanted %s once:\n%s\nfound %s", rule.Code, e.finds, texts(found))
			}
			if found := findingsOf(t, rule, e.passes); len(found) > 0 {
				t.Errorf("nothing is wrong here:\n%s\nfound %s", e.passes, texts(found))
			}
		})
	}
}

// TestEdits holds that what mends a finding leaves a script in which it is not found.
func TestEdits(t *testing.T) {
	scripts := examples(t)
	for _, rule := range check.Rules() {
		for _, f := range findingsOf(t, rule, scripts[rule.Code].finds) {
			if len(f.Edits) == 0 {
				continue
			}
			text := scripts[rule.Code].finds
			for _, e := range slices.Backward(f.Edits) {
				text = text[:e.Begin] + e.Text + text[e.End:]
			}
			if again := findings(t, text); len(again) > 0 {
				t.Errorf("%s: mended to\n%s\nbut found %s", rule.Code, text, texts(again))
			}
		}
	}
}

func texts(found []check.Finding) string {
	var list []string
	for i := range found {
		list = append(list, found[i].Text())
	}
	return strings.Join(list, "\n")
}

// TestAdvice holds that what other shells write as $(date) is shown as it is written here.
func TestAdvice(t *testing.T) {
	if found := findings(t, "x=$(date)\necho $x"); !strings.Contains(texts(found), "${ date }") {
		t.Errorf("found %s", texts(found))
	}
}
