package lexer

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"
)

// names of the types in the tables; words stand there as they are.
var names = map[lexer.TokenType]string{
	lexer.EOF: "EOF", Keyword: "K", Clause: "C", Unit: "U", Word: "", Assign: "A", Call: "F", Operator: "O", Mark: "M",
	Redirect: "R", Document: "D", Bar: "B", Newline: "N", Missing: "MISSING", Invalid: "INVALID", Unfinished: "UNFINISHED",
}

// all reads a text to its end; the EOFs of its units but the last are left out.
func all(text string, prompt bool) (tokens []lexer.Token) {
	lx := New(text, prompt)
	for lx.More() {
		for _, t := range lx.Unit() {
			if t.Type != lexer.EOF {
				tokens = append(tokens, t)
			}
		}
	}
	return tokens
}

// line writes tokens as the tables have them. A Newline of one newline is a bar.
func line(tokens []lexer.Token) string {
	var words []string
	for _, t := range tokens {
		value := t.Value
		switch {
		case t.Type == Newline && value == "\n":
			words = append(words, "|")
			continue
		case t.Type == Newline || t.Type == Document || t.Type == Bar || t.Type == Missing:
			value = fmt.Sprintf("%q", value)
		case t.Type == Invalid:
			value = fmt.Sprint(t.Pos.Line, ":", t.Pos.Column)
		}
		if name := names[t.Type]; name != "" {
			value = name + ":" + value
		}
		words = append(words, value)
	}
	return strings.Join(words, " ")
}

var tokensCases = map[string]string{
	"echo end":                    "echo end",
	"end\n":                       "K:end |",
	"try 5 times every $x s\n":    `K:try 5 C:times C:every $x U:s | MISSING:""`,
	"try key for via on\nend":     "K:try C:key for C:via on | K:end",
	"try backoff full from 1 s":   `K:try C:backoff full C:from 1 U:s MISSING:""`,
	"try only on error for 1 h":   `K:try C:only C:on error C:for 1 U:h MISSING:""`,
	"try 'for' \\for":             `K:try 'for' \for MISSING:""`,
	"for in in in for\nend":       "K:for in C:in in for | K:end",
	"for x in s .hedge. 1 s\nend": "K:for x C:in s O:.hedge. 1 U:s | K:end",
	"for x in a, b,c (1,)\nend":   "K:for x C:in a M:, b,c M:( 1, M:) | K:end",
	"for x in a,\\\n b\nend":      "K:for x C:in a M:, b | K:end",
	"for x in a,\\\nb\nend":       "K:for x C:in a,\\\nb | K:end",
	"if try try\nend":             "K:if C:try try | K:end",
	"if a\nelse \\\nif b\nend":    "K:if a | K:else if b | K:end",
	"if a\nelse if b .eq. c\nend": "K:if a | K:else if b O:.eq. c | K:end",
	"if a\nelse if try b\nend":    "K:if a | K:else if C:try b | K:end",
	"while try\nend":              "K:while C:try | K:end",
	"x=1 .add. f(1,\"a,b\") , b":  `A:x 1 O:.add. F:f 1 M:, "a,b" M:) , b`,
	"x= #c":                       `A:x N:"#c"`,
	"x=#c":                        "A:x #c",
	"x==a=b":                      "A:x =a=b",
	"echo x=1 .add. (":            "echo x=1 .add. INVALID:1:16",
	"1x=2 -x=3":                   "1x=2 -x=3",
	"export x=1 y=2":              "K:export A:x 1 y=2",
	"local x":                     "K:local x",
	"secret x y":                  "K:secret x y",
	"return $1 .mul. 2":           "K:return $1 O:.mul. 2",
	"echo \ufffd":                 "echo \ufffd",
	"a 2>f 22>g a2>h":             "a R:2> f 22 R:> g a2 R:> h",
	"a 1-> v ->>& w -<x":          "a R:1-> v R:->>& w R:-< x",
	"a -b --c - =":                "a -b --c - =",
	"a|b |& c":                    `a B:"|" b B:"|& " c`,
	"a |\n # x\n b":               `a B:"|\n # x\n " b`,
	"a; b;; c # d\n\n#e\nf":       `a N:"; " b N:";; " c N:"# d\n\n#e\n" f`,
	" # a\n\nb":                   `N:" # a\n\n" b`,
	"a \\\n b\\\nc":               "a b\\\nc",
	"a \"b c\"'d e'${f:-g h}$i":   "a \"b c\"'d e'${f:-g h}$i",
	"a `b c` $(d e)f $((1 + 2))":  "a `b c` $(d e)f $((1 + 2))",
	"a\r\nb\r\n":                  `a N:"\r\n" b N:"\r\n"`,
	"a\rb":                        "a\rb",
	"c << E > f\nx\nE\nd":         `c R:<< E D:"x\n" R:> f | d`,
	"c <<- 'E'; d\nx\n\tE\nf":     `c R:<<- 'E' D:"x\n" N:"; " d | f`,
	"c << A << B\n1\nA\n2\nB\n\n": `c R:<< A D:"1\n" R:<< B D:"2\n" | |`,
	"c << E\nx":                   "c R:<< E UNFINISHED:<< E |",
	"a \"b":                       "a UNFINISHED:\"",
	"a 'b":                        "a UNFINISHED:'",
	"a ${b":                       "a UNFINISHED:${",
	"a \\":                        "a UNFINISHED:\\",
	"try\n\"":                     "K:try | UNFINISHED:\" K:end",
	"a & b\nc":                    "a INVALID:1:3 | c",
	"a && b; c\nd":                "a INVALID:1:3 | d",
	"a\x00b\nc":                   "INVALID:1:2",
	"if a\ntry\nelse\nend":        `K:if a | K:try | MISSING:"" K:else | K:end`,
	" if a\n  try\n  else\n end": `N:" " K:if a N:"\n  " K:try N:"\n  " K:else N:"\n " K:end MISSING:"the ` +
		`end on line 4 closes the try on line 2, but is not indented like it"`,
	"try\nfunction f\nend":                 `K:try | MISSING:"" K:function f | K:end`,
	"try\n function f\n end\nend":          `K:try N:"\n " K:function f N:"\n " K:end | K:end`,
	"resource r\nsense\nend\nend":          "K:resource r | K:sense | K:end | K:end",
	"sense\nend":                           "sense | K:end",
	"resource r\nslots 4\nend\nslots 4 in": "K:resource r | K:slots 4 | K:end | slots 4 in",
	"resource r\nbreaker 5 failures in 1 minute probe every 2 s\nend": "K:resource r | K:breaker 5 C:failures C:in 1 " +
		"U:minute C:probe C:every 2 U:s | K:end",
	"resource r\nbudget 5 percent\nend":    "K:resource r | K:budget 5 C:percent | K:end",
	"resource r\nsense\nslots 4\nend\nend": "K:resource r | K:sense | slots 4 | K:end | K:end",
	"catch":                                "K:catch",
	"":                                     "",
}

func TestTokens(t *testing.T) {
	tests := tokensCases
	for text, want := range tests {
		if got := line(all(text, false)); got != want {
			t.Errorf("%q:\n%s\nwant:\n%s", text, got, want)
		}
	}
}

// TestTokensFile reads the texts of testdata/tokens.txt, plainly and as at a prompt. After a tab stand their tokens,
// and in braces what is said of those that are invalid.
func TestTokensFile(t *testing.T) {
	file, err := os.ReadFile("testdata/tokens.txt")
	if err != nil {
		t.Fatal(err)
	}
	for l := range strings.Lines(string(file)) {
		source, result, _ := strings.Cut(strings.TrimSuffix(l, "\n"), "\t")
		quoted, prompt := strings.CutPrefix(source, "prompt ")
		text, err := strconv.Unquote(quoted)
		want, err2 := strconv.Unquote(result)
		if err != nil || err2 != nil {
			t.Fatal(l, err, err2)
		}
		if got := lineAndMessages(t, text, prompt); got != want {
			t.Errorf("%s:\n%s\nwant:\n%s", source, got, want)
		}
	}
}

func lineAndMessages(t *testing.T, text string, prompt bool) string {
	tokens := all(text, prompt)
	checkTokens(t, text, tokens)
	s := line(tokens)
	for _, tok := range tokens {
		if tok.Type == Invalid {
			s += " {" + tok.Value + "}"
		}
	}
	return s
}

func TestPromptTokens(t *testing.T) {
	for text, want := range map[string]string{
		"a \\\n":   "a UNFINISHED:\\",
		"a\\\n":    "a\\\n UNFINISHED:\\",
		"a 'b\\\n": "a UNFINISHED:'",
		"a\n":      "a |",
		"# a \\\n": `N:"# a \\\n"`,
	} {
		if got := line(all(text, true)); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// A unit ends where no block is open and no here-document is to come.
func TestUnits(t *testing.T) {
	lx := New("a\ntry\nb\nend\nc << E; d\n\nE\ne", false)
	var units []string
	for lx.More() {
		units = append(units, line(lx.Unit()))
	}
	want := []string{"a | EOF:", "K:try | b | K:end | EOF:", `c R:<< E D:"\n" N:"; " d | EOF:`, "e EOF:"}
	if strings.Join(units, "/") != strings.Join(want, "/") {
		t.Errorf("%q", units)
	}
	if tok, err := lx.Next(); tok.Type != lexer.EOF || err != nil {
		t.Error("no EOF after the end")
	}
}

// Through the interfaces of participle the same tokens come.
func TestDefinition(t *testing.T) {
	def := Definition{}
	for kind, name := range lexer.SymbolsByRune(def) {
		if name == "" || kind == 0 {
			t.Error(kind, name)
		}
	}
	lx, err := def.Lex("", strings.NewReader("echo a"))
	if err != nil {
		t.Fatal(err)
	}
	if tokens, err := lexer.ConsumeAll(lx); err != nil || line(tokens) != "echo a EOF:" {
		t.Error(line(tokens), err)
	}
}

func TestDepth(t *testing.T) {
	for name, test := range map[string]struct{ text, place string }{
		"blocks":      {strings.Repeat("try\n", 100000), "10001:1"},
		"parentheses": {"x=" + strings.Repeat("(", 100000), "1:10003"},
		"calls":       {"x=" + strings.Repeat("f(", 100000), "1:20003"},
		"both":        {strings.Repeat("try\n", 9999) + "x=((", "10000:4"},
		"defaults":    {"x=" + strings.Repeat("${a:-", 100000), "1:3"},
	} {
		tokens := all(test.text, false)
		found := false
		for _, tok := range tokens {
			if tok.Type == Invalid {
				found = true
				if got := fmt.Sprint(tok.Pos.Line, ":", tok.Pos.Column); got != test.place ||
					!strings.Contains(tok.Value, "10,000") {
					t.Errorf("%s: %s at %s", name, tok.Value, got)
				}
			}
		}
		if !found {
			t.Errorf("%s: no error", name)
		}
	}
}

// checkTokens sees that tokens are in order and stand where they say.
func checkTokens(t *testing.T, text string, tokens []lexer.Token) {
	t.Helper()
	last, depth := 0, 0
	for _, tok := range tokens {
		at := tok.Pos.Offset
		if at < 0 || at > len(text) {
			t.Fatalf("%q: %v out of the text", text, tok.Pos)
		}
		before := text[:at]
		column := utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
		if tok.Pos.Line != strings.Count(before, "\n")+1 || tok.Pos.Column != column {
			t.Fatalf("%q: %q at %v", text, tok.Value, tok.Pos)
		}
		switch tok.Type {
		case Document, Unfinished:
			continue // a document stands further down
		case Word, Redirect, Newline, Unit, Operator, Mark, Assign, Call:
			if rest := text[at:]; !strings.HasPrefix(rest, tok.Value) && !strings.HasPrefix(withoutBreaks(rest), tok.Value) {
				t.Fatalf("%q: %q does not stand at %v", text, tok.Value, tok.Pos)
			}
		case Missing:
			depth--
		case Keyword:
			depth += change(tok.Value)
		}
		if tok.Pos.Offset < last {
			t.Fatalf("%q: %q goes back", text, tok.Value)
		}
		last = tok.Pos.Offset
	}
	if depth > 0 {
		t.Fatalf("%q: %d blocks are left open", text, depth)
	}
}

// change returns by how much a keyword changes the number of open blocks.
func change(keyword string) int {
	switch keyword {
	case "try", "for", "forany", "forall", "while", "if", "function", "resource", "on", "sense":
		return 1
	case "end":
		return -1
	}
	return 0
}

func FuzzLexer(f *testing.F) {
	f.Add("try 5 times\n\techo \"a $x\" 'b' > f\ncatch\nend\n")
	f.Add("x=(1 .add. 2) .mul. f(1, $x) # c\n")
	f.Add("cat << E | b |&\n$x\nE\nc\n")
	f.Add("if a; else if try b; else; end")
	f.Add("for x in a, b .hedge. 1 s\r\nend\r\n")
	f.Add("\ufeffé\\\n\x80 ${a:-${b}} $(x) `y` && ||")
	f.Fuzz(func(t *testing.T, text string) {
		checkTokens(t, text, all(text, false))
		checkTokens(t, text, all(text, true))
	})
}
