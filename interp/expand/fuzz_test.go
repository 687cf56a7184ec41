package expand

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"ftsh/ast"
	"ftsh/ast/diag"
	"ftsh/interp/value"
)

// partsOf makes a word of a plan, one part for each of its bytes.
func partsOf(plan, text string) *ast.Word {
	w := word()
	for i := range min(len(plan), 50) {
		switch plan[i] % 10 {
		case 0:
			w.Parts = append(w.Parts, ref("v"))
		case 1:
			w.Parts = append(w.Parts, inQuotes("v"))
		case 2:
			w.Parts = append(w.Parts, quoted(text))
		case 3:
			w.Parts = append(w.Parts, inQuotes("@"))
		case 4:
			w.Parts = append(w.Parts, or(ref("nope"), text, ref("v")))
		case 5:
			w.Parts = append(w.Parts, &ast.Glob{Pattern: text})
		case 6:
			w.Parts = append(w.Parts, inQuotes("*"))
		case 7:
			w.Parts = append(w.Parts, ref("n"))
		case 8:
			w.Parts = append(w.Parts, ref("1"))
		default:
			w.Parts = append(w.Parts, &ast.Lit{Text: text, Raw: text})
		}
	}
	return w
}

// FuzzExpand: whatever the parts and the values, expansion does not crash, fails
// only with a place and only for a NUL, and the rules on how many strings there
// are hold.
func FuzzExpand(f *testing.F) {
	f.Add("\x09\x00\x09", "1 2", ".post")
	f.Add("\x03", "a\nb", "")
	f.Add("\x05\x02", "*", "[a-z]")
	f.Add("\x04\x06", "\x00", "x\x00")
	f.Fuzz(func(t *testing.T, plan, held, text string) {
		if plan == "" {
			return
		}
		env := with("v", held)
		env.vars["n"] = value.Int(int64(len(held)))
		env.args = []string{held, text, ""}
		env.dir = "/nonexistent"
		w := partsOf(plan, text)
		got, err := Words(env, nil, []*ast.Word{w})
		if err != nil {
			var d *diag.Error
			if !errors.As(err, &d) || !strings.Contains(held+text, "\x00") {
				t.Fatalf("%q: %v", plan, err)
			}
			return
		}
		checkFields(t, env, w, got)
	})
}

// checkFields checks what a word expanded to against what it is as one string.
func checkFields(t *testing.T, env *fake, w *ast.Word, got []string) {
	t.Helper()
	one, err := Word(env, w)
	if err != nil {
		if strings.Contains(err.Error(), "one value is wanted") {
			return
		}
		t.Fatal(err)
	}
	if isOne(w) && (len(got) != 1 || got[0] != one) {
		t.Fatalf("a word that cannot divide became %q", got)
	}
	squeeze := func(s string) string {
		return strings.Map(func(r rune) rune {
			if strings.ContainsRune(" \t\n", r) {
				return -1
			}
			return r
		}, strings.ToValidUTF8(s, "?"))
	}
	// A pattern may have matched a real file, since a value can begin with a slash.
	isGlob := func(p ast.Part) bool { _, ok := p.(*ast.Glob); return ok }
	if !slices.ContainsFunc(w.Parts, isGlob) && squeeze(strings.Join(got, " ")) != squeeze(one) {
		t.Fatalf("text was lost or made up: %q of %q", got, one)
	}
}

// FuzzParseTime: a time that is accepted is not below zero, and is the sum of what
// its text says when it is printed and read again.
func FuzzParseTime(f *testing.F) {
	for _, seed := range []string{"90s", "1h30m", "250ms", "2d", "1.5h", "2 minutes", "-5s", "5", "1e9s",
		"9223372036.854775807s"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := ParseTime(text)
		if err != nil {
			return
		}
		if d < 0 {
			t.Fatalf("%q is %v", text, d)
		}
		if d < time.Second { // Go prints µs and ns below
			return
		}
		if again, err := ParseTime(d.String()); err != nil || again != d {
			t.Fatalf("%q is %v, and that is %v, %v", text, d, again, err)
		}
		if seconds, err := ParseSeconds(text); err != nil || seconds != d {
			t.Fatalf("%q: ParseSeconds gives %v, %v", text, seconds, err)
		}
	})
}

// A value of any bytes but NUL is one word when quoted, and that very value.
func TestQuotedValuesStayWhole(t *testing.T) {
	const special = " \t\n*?['\"\\$`~-;#=,a\xff\x01é"
	dice := rand.New(rand.NewPCG(3, 4))
	for range 5000 {
		raw := make([]byte, dice.IntN(12))
		for i := range raw {
			raw[i] = special[dice.IntN(len(special))]
		}
		held := string(raw)
		env := with()
		env.vars["v"], env.args = value.String(held), []string{held}
		for _, w := range []*ast.Word{word(inQuotes("v"), quoted("|")), word(quoted(""), inQuotes("v"), "|")} {
			got, err := Words(env, nil, []*ast.Word{w})
			if want := held + "|"; err != nil || len(got) != 1 || got[0] != want {
				t.Fatalf("%q: got %q, %v", held, got, err)
			}
		}
		got, err := Words(env, nil, []*ast.Word{word(inQuotes("@"))})
		if err != nil || len(got) != 1 || got[0] != held {
			t.Fatalf("%q: \"$@\" gives %q, %v", held, got, err)
		}
	}
}

// Splitting what was joined by blanks gives the words again, and joining what was
// split and splitting again changes nothing.
func TestSplitAndJoin(t *testing.T) {
	dice := rand.New(rand.NewPCG(5, 6))
	split := func(value string) []string {
		got, err := Words(with("v", value), nil, []*ast.Word{word(ref("v"))})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	for range 2000 {
		words := make([]string, dice.IntN(6))
		for i := range words {
			words[i] = "w" + strings.Repeat("*", dice.IntN(3)) + "\xff"[:dice.IntN(2)]
		}
		blank := []string{" ", "\t", "\n", "  ", " \n\t"}[dice.IntN(5)]
		if got := split(strings.Join(words, blank)); !slices.Equal(got, words) {
			t.Fatalf("%q joined by %q splits into %q", words, blank, got)
		}
		text := strings.Join(words, blank) + blank
		if got := split(blank + text); !slices.Equal(got, strings.Fields(text)) {
			t.Fatalf("%q splits into %q", text, got)
		}
	}
}
