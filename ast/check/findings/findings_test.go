package findings_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"ftsh/ast"
	"ftsh/ast/check"
	"ftsh/ast/check/findings"
	"ftsh/parser"
)

// found are findings in a file with an odd name.
func found(t *testing.T) []check.Finding {
	t.Helper()
	file, err := parser.Parse(&ast.Source{Name: "dir/a b%.ftsh", Text: "echo ä; echo $nothing\nsort x > x\n"},
		parser.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return check.Script(file, check.Config{})
}

// required are the properties that the schema of SARIF 2.1.0 requires of the objects
// that are written, and those without which GitHub shows nothing.
var required = map[string][]string{
	"":                            {"version", "runs", "$schema"},
	"runs":                        {"tool", "results", "columnKind"},
	"runs.tool":                   {"driver"},
	"runs.tool.driver":            {"name", "version", "rules"},
	"runs.tool.driver.rules":      {"id", "shortDescription", "fullDescription", "help", "defaultConfiguration"},
	"runs.tool.driver.rules.help": {"text"},
	"runs.results":                {"message", "ruleId", "ruleIndex", "level", "locations", "partialFingerprints"},
	"runs.results.message":        {"text"},
	"runs.results.locations":      {"physicalLocation"},
	"runs.results.locations.physicalLocation":                  {"artifactLocation", "region"},
	"runs.results.locations.physicalLocation.artifactLocation": {"uri"},
	"runs.results.locations.physicalLocation.region":           {"startLine", "startColumn"},
}

func TestSARIF(t *testing.T) {
	var out bytes.Buffer
	if err := findings.SARIF(&out, "8.0.0", found(t)); err != nil {
		t.Fatal(err)
	}
	var value any
	if err := json.Unmarshal(out.Bytes(), &value); err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	walk(t, "", value, seen)
	for path := range required {
		if seen[path] == 0 {
			t.Errorf("there is no %q", path)
		}
	}
	if seen["runs.results"] != 2 || seen["runs.tool.driver.rules"] != len(check.Rules())+1 {
		t.Errorf("%d results, %d rules", seen["runs.results"], seen["runs.tool.driver.rules"])
	}
	for _, want := range []string{`"version": "2.1.0"`, `"uri": "dir/a%20b%25.ftsh"`, `"level": "error"`,
		`"startColumn": 14`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %s in\n%s", want, out.String())
		}
	}
}

// walk holds the required properties of a value and of all within.
func walk(t *testing.T, path string, value any, seen map[string]int) {
	switch value := value.(type) {
	case []any:
		for _, v := range value {
			walk(t, path, v, seen)
		}
	case map[string]any:
		seen[path]++
		for _, name := range required[path] {
			if value[name] == nil {
				t.Errorf("%q has no %s", path, name)
			}
		}
		for name, v := range value {
			walk(t, strings.TrimPrefix(path+"."+name, "."), v, seen)
		}
	}
}

// TestJSON holds what GitLab's report of code quality has, and that a fingerprint
// does not change when lines come before.
func TestJSON(t *testing.T) {
	var out bytes.Buffer
	if err := findings.JSON(&out, found(t)); err != nil {
		t.Fatal(err)
	}
	var issues []struct {
		Description string
		CheckName   string `json:"check_name"`
		Fingerprint string
		Severity    string
		Location    struct {
			Path  string
			Lines struct{ Begin int }
		}
	}
	if err := json.Unmarshal(out.Bytes(), &issues); err != nil {
		t.Fatal(err)
	}
	severities := []string{"info", "minor", "major", "critical", "blocker"}
	for _, i := range issues {
		if i.Description == "" || i.CheckName == "" || len(i.Fingerprint) != 32 || !slices.Contains(severities, i.Severity) ||
			i.Location.Path != "dir/a b%.ftsh" || i.Location.Lines.Begin == 0 {
			t.Errorf("%+v", i)
		}
	}
	if len(issues) != 2 || issues[0].Fingerprint == issues[1].Fingerprint {
		t.Errorf("%+v", issues)
	}
}

// TestErrors holds that a failing writer is told.
func TestErrors(t *testing.T) {
	list := found(t)
	r, w := io.Pipe()
	_ = r.CloseWithError(fmt.Errorf("full"))
	for name, err := range map[string]error{"text": findings.Text(w, list), "json": findings.JSON(w, list),
		"sarif": findings.SARIF(w, "8", list)} {
		if err == nil || err.Error() != "full" {
			t.Errorf("%s: %v", name, err)
		}
	}
}
