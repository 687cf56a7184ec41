package expand

import (
	"strings"
	"testing"
	"time"

	"ftsh/ast"
)

func TestPortion(t *testing.T) {
	star, one := &ast.Glob{Pattern: "*"}, &ast.Glob{Pattern: "?"}
	env := with("path", "/data/run.7/reads.fq.gz", "kept", "line\n\n", "star", "*x", "word", "naïve", "p", "*", "bad",
		"a\xff\xe2")
	for _, c := range []struct {
		name, of string
		portion  ast.Portion
		pattern  []any
		want     string
	}{
		{"first replaced", "path", ast.FirstReplaced, []any{"r"}, "/data/+un.7/reads.fq.gz"},
		{"all replaced", "path", ast.AllReplaced, []any{"a"}, "/d+t+/run.7/re+ds.fq.gz"},
		{"longest replaced", "path", ast.FirstReplaced, []any{"r", star, "."}, "/data/+gz"},
		{"nothing replaced", "path", ast.AllReplaced, []any{"x"}, "/data/run.7/reads.fq.gz"},
		{"characters replaced", "word", ast.AllReplaced, []any{one}, "+++++"},
		{"shortest prefix", "path", ast.WithoutPrefix, []any{star, "/"}, "data/run.7/reads.fq.gz"},
		{"longest prefix", "path", ast.WithoutLongestPrefix, []any{star, "/"}, "reads.fq.gz"},
		{"shortest suffix", "path", ast.WithoutSuffix, []any{".", star}, "/data/run.7/reads.fq"},
		{"longest suffix", "path", ast.WithoutLongestSuffix, []any{".", star}, "/data/run"},
		{"set over a slash", "path", ast.WithoutPrefix, []any{&ast.Glob{Pattern: "[/x]"}, "d"}, "ata/run.7/reads.fq.gz"},
		{"several stars", "path", ast.WithoutLongestPrefix, []any{star, "r", one, one, star, "."}, "gz"},
		{"no match", "path", ast.WithoutSuffix, []any{"x"}, "/data/run.7/reads.fq.gz"},
		{"all of it", "path", ast.WithoutLongestSuffix, []any{star}, ""},
		{"nothing", "path", ast.WithoutSuffix, []any{star}, "/data/run.7/reads.fq.gz"},
		{"a value is literal", "star", ast.WithoutPrefix, []any{inQuotes("p")}, "x"},
		{"captured newlines are gone", "kept", ast.WithoutSuffix, []any{"e"}, "lin"},
		{"characters", "word", ast.WithoutPrefix, []any{one, one, one}, "ve"},
		{"characters from the end", "word", ast.WithoutSuffix, []any{one, one, one}, "na"},
		{"length", "word", ast.Length, nil, "5"},
		{"length without newlines", "kept", ast.Length, nil, "4"},
		{"not UTF-8", "bad", ast.WithoutSuffix, []any{one}, "a\xff"},
		{"length of what is not UTF-8", "bad", ast.Length, nil, "3"},
	} {
		r := ref(c.of)
		r.Portion = c.portion
		if c.pattern != nil {
			r.Pattern = word(c.pattern...)
		}
		if c.portion == ast.FirstReplaced || c.portion == ast.AllReplaced {
			r.Instead = word("+")
		}
		v, err := Eval(t.Context(), env, of(r))
		if got, _ := v.Exact(); err != nil || got != c.want {
			t.Errorf("%s: %q, %v, want %q", c.name, got, err, c.want)
		}
	}
}

// A pattern of many stars must not take time that grows with a power of the value's length.
func TestPortionTakesLinearTime(t *testing.T) {
	r := ref("long")
	r.Portion = ast.WithoutLongestSuffix
	var parts []any
	for range 10 {
		parts = append(parts, &ast.Glob{Pattern: "*"}, "a")
	}
	r.Pattern = word(append(parts, "b")...)
	env := with("long", strings.Repeat("a", 1<<20))
	began := time.Now()
	if _, err := Eval(t.Context(), env, of(r)); err != nil || time.Since(began) > 20*time.Second {
		t.Errorf("%v after %v", err, time.Since(began))
	}
}
