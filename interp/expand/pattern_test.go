package expand

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// tokensOf compiles a pattern in which every *, ? and [set] counts.
func tokensOf(pattern string) []token {
	var tokens []token
	for rest := pattern; rest != ""; {
		n := 1
		if rest[0] == '[' {
			if _, after, closed := inSet(rest, 0); closed {
				n = len(rest) - len(after)
			}
		}
		if isPattern(rest[:n]) {
			tokens = appendSpecial(tokens, rest[:n])
		} else {
			tokens = appendLiteral(tokens, rest[:n])
		}
		rest = rest[n:]
	}
	return tokens
}

// patternCase is a pattern, and names that it matches and does not.
type patternCase struct {
	pattern  string
	yes, not []string
}

func checkPatterns(t *testing.T, cases []patternCase) {
	t.Helper()
	for _, c := range cases {
		for _, name := range c.yes {
			if !matchTokens(tokensOf(c.pattern), name) {
				t.Errorf("%q does not match %q", c.pattern, name)
			}
		}
		for _, name := range c.not {
			if matchTokens(tokensOf(c.pattern), name) {
				t.Errorf("%q matches %q", c.pattern, name)
			}
		}
	}
}

func TestStars(t *testing.T) {
	checkPatterns(t, []patternCase{
		{"*", []string{"a", "-", "\xff"}, []string{".", ".a"}},
		{"a*", []string{"a", "ab"}, []string{"ba"}},
		{"*a", []string{"a", "ba", "aa"}, []string{"ab", ".a"}},
		{"*a*b", []string{"ab", "aab", "xaxbxb"}, []string{"ba", "abx"}},
		{"?", []string{"a", "é", "\xff", "世"}, []string{"ab", "."}},
		{"a?c", []string{"abc", "aéc"}, []string{"ac", "abbc"}},
		{"*?", []string{"a", "éé"}, nil},
		{".*", []string{".a", "..b"}, []string{"a"}},
		{".?", []string{".a"}, []string{".", "a"}},
	})
}

func TestSets(t *testing.T) {
	checkPatterns(t, []patternCase{
		{"[.]a", nil, []string{".a"}},
		{"[!x]a", []string{"ya"}, []string{"xa", ".a"}},
		{"a[.]b", []string{"a.b"}, []string{"axb"}},
		{"[abc]", []string{"a", "c"}, []string{"d", "ab"}},
		{"[a-c]x", []string{"bx"}, []string{"dx", "-x"}},
		{"[a-]", []string{"a", "-"}, []string{"b"}},
		{"[-a]", []string{"a", "-"}, []string{"b"}},
		{"[!a-c]", []string{"d", "é", "\xff"}, []string{"b"}},
		{"[^a-c]", []string{"d"}, []string{"b"}},
		{"[]a]", []string{"]", "a"}, []string{"b"}},
		{"[!]a]", []string{"b"}, []string{"]", "a"}},
		{"[a!]", []string{"a", "!"}, []string{"b"}},
		{"[z-a]", nil, []string{"z", "a", "m"}},
		{"[à-ö]", []string{"é"}, []string{"e", "\xc3"}},
		{`[\]]`, []string{"]"}, []string{`\`}},
		{`[a\-c]`, []string{"a", "-", "c"}, []string{"b"}},
	})
}

func TestClasses(t *testing.T) {
	checkPatterns(t, []patternCase{
		{"[[:alpha:]]", []string{"a", "Z", "é"}, []string{"1", "\xe9"}},
		{"[[:digit:]_]", []string{"1", "_"}, []string{"a"}},
		{"[![:digit:]]", []string{"a", "\xe9"}, []string{"1"}},
		{"[[:upper:][:digit:]]", []string{"A", "1"}, []string{"a"}},
		{"[[:lower:]]", []string{"a"}, []string{"A"}},
		{"[[:alnum:]]", []string{"a", "1"}, []string{"_"}},
		{"[[:space:]]", []string{" ", "\n"}, []string{"a"}},
		{"[[:blank:]]", []string{" ", "\t"}, []string{"\n"}},
		{"[[:punct:]]", []string{"_", "$"}, []string{"a", " "}},
		{"[[:print:]]", []string{" ", "a"}, []string{"\x01"}},
		{"[[:graph:]]", []string{"a"}, []string{" "}},
		{"[[:cntrl:]]", []string{"\x01", "\x7f"}, []string{"a"}},
		{"[[:xdigit:]]", []string{"F", "9", "a"}, []string{"g"}},
		{"[[:nope:]]", nil, []string{"n", ":", "["}},
		{"[[:a]", []string{"[", ":", "a"}, []string{"b"}},
		{"[a", []string{"[a"}, []string{"a"}},
		{"[", []string{"["}, []string{"a"}},
		{"[]", []string{"[]"}, []string{"]"}},
		{"a**b", []string{"ab", "axb"}, []string{"a"}},
		{"\xff*", []string{"\xffa"}, []string{"a\xff"}},
	})
}

func TestIsPattern(t *testing.T) {
	for _, text := range []string{"*", "?", "[a]", "[]a]", "[!a]", "[[:alpha:]]", `[\]]`} {
		if !isPattern(text) {
			t.Errorf("%q is no pattern", text)
		}
	}
	for _, text := range []string{"", "a", "[", "[]", "[!]", "[a", "[a]b", "[a/b]", "**", `[\]`} {
		if isPattern(text) {
			t.Errorf("%q is a pattern", text)
		}
	}
}

// matchesNaively does what matchTokens has to, at the price of trying everything.
func matchesNaively(tokens []token, name string) bool {
	if len(tokens) == 0 {
		return name == ""
	}
	if tokens[0].kind != anyText {
		width := tokens[0].matchWidth(name)
		return width > 0 && matchesNaively(tokens[1:], name[width:])
	}
	for rest := name; ; {
		if matchesNaively(tokens[1:], rest) {
			return true
		}
		_, width := character(rest)
		if width == 0 {
			return false
		}
		rest = rest[width:]
	}
}

func TestMatchesAgreesWithNaive(t *testing.T) {
	dice := rand.New(rand.NewPCG(1, 2))
	draw := func(from []string, n int) string {
		var text strings.Builder
		for range dice.IntN(n) {
			text.WriteString(from[dice.IntN(len(from))])
		}
		return text.String()
	}
	found := 0
	for range 50_000 {
		tokens := tokensOf("a" + draw([]string{"*", "*", "?", "a", "b", "é", "[ab]", "[!a]", "\xc3"}, 8))
		name := "a" + draw([]string{"a", "b", "é", ".", "\xc3", "\xa9"}, 8)
		want := matchesNaively(tokens, name)
		if matchTokens(tokens, name) != want {
			t.Fatalf("%v %q: got %v", tokens, name, !want)
		}
		if want {
			found++
		}
	}
	if found < 1000 {
		t.Errorf("only %d matches among the samples", found)
	}
}

func TestMatchesDoesNotExplode(t *testing.T) {
	tokens := tokensOf(strings.Repeat("a*", 100) + "b")
	name := strings.Repeat("a", 255)
	begin := time.Now()
	for range 1000 {
		if matchTokens(tokens, name) {
			t.Fatal("matches")
		}
	}
	if took := time.Since(begin); took > 10*time.Second {
		t.Errorf("a thousand names took %v", took)
	}
}
