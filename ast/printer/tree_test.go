package printer_test

import (
	"testing"

	"ftsh/ast"
)

// TestTrees prints trees that were not parsed: of what scripts cannot say yet,
// and without positions.
func TestTrees(t *testing.T) {
	quoted := &ast.Word{Parts: []ast.Part{
		&ast.Lit{Raw: "nightly-", Quote: ast.Double, Edge: ast.Edge{Open: true}},
		&ast.Ref{Name: "date", Quote: ast.Double, Edge: ast.Edge{Shut: true}},
	}}
	group := func(words ...string) *ast.Group {
		return &ast.Group{List: []ast.Stmt{{Node: command(words...)}}}
	}
	hour := &ast.Period{Terms: []ast.Term{{Amount: number("2"), Unit: ast.Hour}}}
	for _, test := range []struct {
		name string
		node ast.Node
		want string
	}{
		{"all clauses of a try", &ast.Try{
			For: hour, Times: number("7"), Each: hour, Every: hour,
			Backoff: &ast.Backoff{Policy: "full", From: hour, To: hour, By: number("2")},
			On:      &ast.Conditions{Except: true, List: []ast.Condition{{Value: number("75")}, {Matching: bare("lost")}}},
			Unknown: &ast.Conditions{List: []ast.Condition{{Matching: bare("reset")}, {Value: number("timeout")}}},
			Via:     bare("schedd"), Key: quoted, Body: *group("a"), Verify: group("b"), Catch: group("c"), Finally: group("d"),
		}, "try for 2 hours or 7 times each 2 hours every 2 hours backoff full from 2 hours to 2 hours by 2 " +
			"except on 75 matching lost unknown on matching reset timeout via schedd key \"nightly-$date\"\n" +
			"    a\nverify\n    b\ncatch\n    c\nfinally\n    d\nend\n"},
		{"redirections without positions", &ast.Command{
			Words:     []*ast.Word{bare("a"), {Parts: bare("b").Parts, Broken: true}},
			Redirects: []*ast.Redirect{{Op: ast.Out, FD: -1, Target: bare("c")}, {Op: ast.DupOut, FD: 2, Dup: 1}},
		}, "a \\\n    b > c 2>&1\n"},
		{"a pipeline broken behind its bar", &ast.Pipeline{
			Stages: []*ast.Command{{Words: []*ast.Word{bare("a")}}, {Words: []*ast.Word{bare("b")}}},
			Joins:  []ast.Join{{Broken: true}},
		}, "a |\n    b\n"},
		{"a source", &ast.SourceFile{Path: quoted}, "source \"nightly-$date\"\n"},
		{"a statement that could not be read", &ast.Bad{Text: "what | | ever"}, "what | | ever\n"},
	} {
		if got := printNodes(t, test.node); got != test.want {
			t.Errorf("%s:\n%s\nwant:\n%s", test.name, got, test.want)
		}
	}
}
