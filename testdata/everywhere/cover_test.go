package everywhere

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ftsh/ast"
	"ftsh/interp"
)

// TestCorpusIsWhole holds that every statement, builtin, redirection and engine's place of the
// language occurs in the corpus, and that it is large enough to be worth its name.
func TestCorpusIsWhole(t *testing.T) {
	scripts := corpus(t)
	seen := map[string]bool{}
	own := 0
	for _, s := range scripts {
		if !s.has("matrix") {
			own++
		}
		file, err := parseText(s.text)
		if err != nil {
			continue
		}
		ast.Walk(&file.Body, nil, func(node any, _ *ast.Place) bool {
			seen[fmt.Sprintf("%T", node)] = true
			for _, part := range partsOf(node) {
				seen[part] = true
			}
			return true
		})
	}
	if own < 100 || len(situations()) < 20 {
		t.Errorf("%d scripts in %d situations, want 100 in 20", own, len(situations()))
	}
	for _, what := range wanted() {
		if !seen[what] {
			t.Errorf("no script has %s", what)
		}
	}
}

// partsOf names what a node has that is to occur somewhere.
func partsOf(node any) (parts []string) {
	switch n := node.(type) {
	case *ast.Redirect:
		parts = append(parts, fmt.Sprintf("redirection %d %s", n.Op, n.Op))
	case *ast.For:
		parts = append(parts, n.Kind.String())
	case *ast.Command:
		if len(n.Words) > 0 {
			name, _ := n.Words[0].Literal()
			parts = append(parts, "builtin "+name)
		}
	case *ast.Try:
		for name, has := range map[string]bool{
			"for": n.For != nil, "times": n.Times != nil, "each": n.Each != nil, "every": n.Every != nil,
			"backoff": n.Backoff != nil, "on": n.On != nil,
			"unknown": n.Unknown != nil, "via": n.Via != nil, "key": n.Key != nil, "verify": n.Verify != nil,
			"catch": n.Catch != nil, "finally": n.Finally != nil,
		} {
			if has {
				parts = append(parts, "try "+name)
			}
		}
	}
	return parts
}

// wanted names all that is to occur somewhere.
func wanted() (list []string) {
	for _, node := range []any{
		&ast.Assign{}, &ast.Command{}, &ast.Pipeline{}, &ast.Try{}, &ast.For{}, &ast.While{}, &ast.If{}, &ast.On{},
		&ast.Break{}, &ast.Continue{}, &ast.Function{},
		&ast.Return{}, &ast.Shift{}, &ast.Export{}, &ast.Local{}, &ast.SourceFile{}, &ast.Resource{}, &ast.Slots{},
		&ast.Budget{}, &ast.Breaker{}, &ast.Sense{},
	} {
		list = append(list, fmt.Sprintf("%T", node))
	}
	for op := ast.In; op <= ast.HereTabs; op++ {
		list = append(list, fmt.Sprintf("redirection %d %s", op, op))
	}
	for _, loop := range []ast.Loop{ast.InTurn, ast.Any, ast.All} {
		list = append(list, loop.String())
	}
	for _, name := range interp.Builtins() {
		list = append(list, "builtin "+name)
	}
	for clause := range strings.FieldsSeq("for times each every backoff on unknown via key verify catch finally") {
		list = append(list, "try "+clause)
	}
	return list
}

// TestAllowancesAreTold holds that the reference has the sentence of each allowance.
func TestAllowancesAreTold(t *testing.T) {
	text, err := os.ReadFile("../../cmd/ftsh/manual/reference.md")
	must(t, err)
	blanks := regexp.MustCompile(`\s+`)
	reference := blanks.ReplaceAllString(string(text), " ")
	for _, a := range allowances {
		if !strings.Contains(reference, blanks.ReplaceAllString(a.sentence, " ")) {
			t.Errorf("the reference does not say %q", a.sentence)
		}
	}
}

// TestSituationsAreNamed holds that the table names situations that there are.
func TestSituationsAreNamed(t *testing.T) {
	all := situations()
	for _, a := range allowances {
		for _, name := range a.situations {
			if !slices.ContainsFunc(all, func(sit *situation) bool { return strings.HasPrefix(sit.name, name) }) {
				t.Errorf("there is no situation %s", name)
			}
		}
	}
}
