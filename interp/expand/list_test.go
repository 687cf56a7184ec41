package expand

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"ftsh/ast"
	"ftsh/interp/value"
)

// items are the texts of a list.
func items(t *testing.T, s *value.Sequence) []string {
	t.Helper()
	var texts []string
	for i := range s.Len() {
		text, err := s.At(i).Exact()
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, text)
	}
	return texts
}

func TestList(t *testing.T) {
	env := with("x", "a b", "empty", "", "text", "a b\nc\n\nd*\n", "newline", "\n", "url", "ftp://h")
	env.vars["n"] = value.Int(3)
	env.args = []string{"one", "two words"}
	env.call = func(_ context.Context, c *ast.Call, _ []value.Value) (value.Value, error) {
		return value.String("r s"), nil
	}
	env.dir = t.TempDir()
	for _, name := range []string{"1.txt", "2.txt"} {
		if err := os.WriteFile(filepath.Join(env.dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cases := []struct {
		name string
		list []any
		want []string
	}{
		{"words", []any{"x", 1, word(quoted("a b"))}, []string{"x", "1", "a b"}},
		{"references split", []any{ref("x"), inQuotes("x"), ref("n")}, []string{"a", "b", "a b", "3"}},
		{"nothing", []any{ref("empty")}, nil},
		{"empty word", []any{inQuotes("empty")}, []string{""}},
		{"arguments", []any{inQuotes("@")}, []string{"one", "two words"}},
		{"range", []any{to(3, 1)}, []string{"1", "2", "3"}},
		{"step", []any{to(0, 20, 7)}, []string{"0", "7", "14"}},
		{"mixed", []any{"x", to(1, 2), word(quoted("a b")), to(5, 5), to(9, 8), "y"},
			[]string{"x", "1", "2", "a b", "5", "8", "9", "y"}},
		{"parentheses", []any{paren(to(1, 2)), paren("x")}, []string{"1", "2", "x"}},
		{"lines", []any{op("lines", ref("text"))}, []string{"a b", "c", "", "d*"}},
		{"lines of nothing", []any{op("lines", ref("empty")), op("lines", ref("newline"))}, nil},
		{"one line", []any{op("lines", "x")}, []string{"x"}},
		{"call is one item", []any{"a", call("f"), "b"}, []string{"a", "r s", "b"}},
		{"expressions", []any{op("add", 1, 2), op("lt", 1, 2)}, []string{"3", "true"}},
		{"patterns", []any{word(glob("*"), ".txt"), word(glob("*"), ".none")}, []string{"1.txt", "2.txt"}},
		{"no pattern", []any{word(ref("url"), "/", glob("*")), word(glob("["))}, []string{"ftp://h/*", "["}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			list := make([]ast.Expr, len(c.list))
			for i, x := range c.list {
				list[i] = of(x)
			}
			got, err := List(t.Context(), env, list)
			if err != nil {
				t.Fatal(err)
			}
			if texts := items(t, got); !slices.Equal(texts, c.want) {
				t.Errorf("got %q, want %q", texts, c.want)
			}
		})
	}
}

func TestListFaults(t *testing.T) {
	env := with()
	env.vars["max"] = value.Int(math.MaxInt64)
	cases := []struct {
		name string
		list []ast.Expr
		want string
	}{
		{"undefined", []ast.Expr{of("a"), of(ref("x"))}, "variable x was never set; ${x:-text} gives a default"},
		{"bound", []ast.Expr{to(1, "x")}, `"x" is not an integer`},
		{"step", []ast.Expr{to(1, 9, 0)}, ".step. 0: a step above zero is wanted (.to. always counts upward)"},
		{"lines", []ast.Expr{op("lines", ref("x"))}, "variable x was never set; ${x:-text} gives a default"},
		{"too many", []ast.Expr{to(1, ref("max")), of("a")}, "the list has more than 9223372036854775807 items"},
		{"far too many", []ast.Expr{to(1, ref("max")), to(1, ref("max")), to(1, ref("max"))},
			"the list has more than 9223372036854775807 items"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := List(t.Context(), env, c.list)
			wantFault(t, err, c.want)
		})
	}
}

func TestHugeRangeNeedsNoMemory(t *testing.T) {
	env := with()
	env.vars["max"], env.vars["min"] = value.Int(math.MaxInt64), value.Int(math.MinInt64)
	list := []ast.Expr{to(ref("min"), ref("max"), 3), of("end")}
	s, err := List(t.Context(), env, list)
	if err != nil {
		t.Fatal(err)
	}
	if want := math.MaxUint64/3 + 2; s.Len() != want {
		t.Fatalf("%d items, want %d", s.Len(), want)
	}
	if first, _ := s.At(0).Int(); first != math.MinInt64 {
		t.Errorf("first %d", first)
	}
	if last, _ := s.At(s.Len() - 2).Int(); last != math.MaxInt64 {
		t.Errorf("last %d", last)
	}
	if end, _ := s.At(s.Len() - 1).Exact(); end != "end" {
		t.Errorf("end %q", end)
	}
	if allocs := testing.AllocsPerRun(10, func() { _, _ = List(t.Context(), env, list[:1]) }); allocs > 3 {
		t.Errorf("a range takes %v allocations", allocs)
	}
}
