package expand

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"ftsh/ast"
	"ftsh/interp/value"
)

// slot is a bare reference to the variable with that number.
func slot(n int) *ast.Ref {
	return &ast.Ref{Pos: somewhere, Name: "x", Var: ast.Var{Name: "x", Number: n}}
}

// BenchmarkLoopTurn does here what one turn of this loop does:
//
//	while $x .lt. 1000000
//		x=$x .add. 1
//	end
func BenchmarkLoopTurn(b *testing.B) {
	env := &fake{slots: []value.Value{{}, value.Int(0)}}
	test := op("lt", slot(1), 1000000000000)
	next := op("add", slot(1), 1)
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		more, err := Truth(ctx, env, test)
		if err != nil || !more {
			b.Fatal(more, err)
		}
		if env.slots[1], err = Eval(ctx, env, next); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEval(b *testing.B) {
	env := &fake{patterns: &Patterns{}}
	env.slots = []value.Value{{}, value.Int(7), value.String("pending"), value.String(" 12345")}
	cases := []struct {
		name string
		expr ast.Expr
	}{
		{"literal", of("pending")},
		{"constant", of(7)},
		{"reference", of(slot(1))},
		{"arithmetic", op("mod", op("mul", paren(op("add", slot(1), 1)), slot(1)), 1000)},
		{"compare", op("lt", slot(1), 10)},
		{"compare digits", op("lt", slot(3), 10)},
		{"equal", op("eq", slot(2), "pending")},
		{"and", op("and", op("lt", slot(1), 10), op("ne", slot(2), "done"))},
		{"matches", op("matches", slot(2), "^p.*g$")},
		{"exists", op("exists", "/etc")},
		{"range", to(1, 100)},
	}
	for _, c := range cases {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Eval(context.Background(), env, c.expr); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkWords(b *testing.B) {
	env := &fake{slots: []value.Value{{}, value.Int(123456), value.String("red green  blue"), value.String("/var/tmp")},
		args: []string{"one", "two words"}}
	q := func(n int) *ast.Ref { r := slot(n); r.Quote = ast.Double; return r }
	cases := []struct {
		name  string
		words []*ast.Word
	}{
		{"literals", []*ast.Word{word("printf"), word(quoted("%s\n")), word("x")}},
		{"number", []*ast.Word{word("echo"), word(slot(1))}},
		{"quoted", []*ast.Word{word("echo"), word(q(2))}},
		{"split", []*ast.Word{word("echo"), word(slot(2))}},
		{"joined", []*ast.Word{word("echo"), word(q(3), quoted("/"), q(1), quoted(".txt"))}},
		{"split and joined", []*ast.Word{word("echo"), word("pre", slot(2), ".post")}},
		{"arguments", []*ast.Word{word("echo"), word(inQuotes("@"))}},
	}
	for _, c := range cases {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			dst := make([]string, 0, 16)
			for b.Loop() {
				if _, err := Words(env, dst, c.words); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkSplitLong(b *testing.B) {
	env := &fake{slots: []value.Value{{}, value.String(strings.Repeat("some words\n", 10000))}}
	words := []*ast.Word{word(slot(1))}
	b.SetBytes(110000)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Words(env, nil, words); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkGlob(b *testing.B) {
	dir := b.TempDir()
	for i := range 1000 {
		if err := os.WriteFile(filepath.Join(dir, "file"+strconv.Itoa(i)+".txt"), nil, 0o600); err != nil {
			b.Fatal(err)
		}
	}
	env := &fake{dir: dir}
	cases := []struct {
		name string
		word *ast.Word
	}{
		{"all", word(glob("*"), ".txt")},
		{"some", word("file", glob("[0-4]"), glob("?"), ".txt")},
		{"none", word(glob("*"), "x", glob("*"), "y", glob("*"))},
		{"below", word(glob("*"), "/", glob("*"))},
	}
	for _, c := range cases {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Words(env, nil, []*ast.Word{c.word}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkRangeWalk(b *testing.B) {
	b.ReportAllocs()
	list := []ast.Expr{to(1, b.N)}
	items, err := List(context.Background(), &fake{}, list)
	if err != nil {
		b.Fatal(err)
	}
	sum := int64(0)
	for i := range items.Len() {
		n, _ := items.At(i).Int()
		sum += n
	}
	if sum != int64(b.N)*int64(b.N+1)/2 {
		b.Fatal(sum)
	}
}
