package expand

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"ftsh/ast"
	"ftsh/interp/value"
)

// wordsEnv has the variables of the words below.
func wordsEnv() *fake {
	env := with("x", "1 2", "padded", " a  b ", "empty", "", "blank", " ", "lines", "a\nb\n\n",
		"code", "$y `id` \"q\" 'r' ; * \\z ~ #", "tail", "text\n\n", "HOME", "/home/me", "url", "http://h")
	env.vars["n"] = value.Int(-42)
	env.args = []string{"one", "two words", ""}
	env.shell = map[ast.Dotted]string{ast.TryAttempt: "3", ast.ErrorMessage: "no luck"}
	env.lists = map[ast.Dotted]*value.Sequence{
		ast.ErrorItems: value.Items(value.String("b c"), value.String(""), value.Int(7), value.String("x\ny")),
	}
	env.vars["newlines"] = value.Captured("\n\n")
	return env
}

// wordsCase is a word and the strings it expands to.
type wordsCase struct {
	name string
	word *ast.Word
	want []string
}

func checkWords(t *testing.T, env *fake, cases []wordsCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, err := Words(env, []string{"before"}, []*ast.Word{c.word, word("after")})
			if err != nil {
				t.Fatal(err)
			}
			if want := append(append([]string{"before"}, c.want...), "after"); !slices.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

func TestSplitting(t *testing.T) {
	checkWords(t, wordsEnv(), []wordsCase{
		{"literal", word("echo"), []string{"echo"}},
		{"empty quoted", word(quoted("")), []string{""}},
		{"adjacent literals", word("a", quoted("b c"), "d"), []string{"ab cd"}},
		{"unquoted splits", word(ref("x")), []string{"1", "2"}},
		{"quoted does not", word(inQuotes("x")), []string{"1 2"}},
		{"joins at both ends", word("pre", ref("x"), ".post"), []string{"pre1", "2.post"}},
		{"blanks at the ends separate", word("pre", ref("padded"), ".post"), []string{"pre", "a", "b", ".post"}},
		{"two references", word(ref("x"), ref("x")), []string{"1", "21", "2"}},
		{"newlines and tabs split", word(ref("lines")), []string{"a", "b"}},
		{"empty unquoted vanishes", word(ref("empty")), nil},
		{"blank unquoted vanishes", word(ref("blank")), nil},
		{"empty quoted stays", word(inQuotes("empty")), []string{""}},
		{"empty beside quotes stays", word(ref("empty"), quoted("")), []string{""}},
		{"empty beside text", word("a", ref("empty"), "b"), []string{"ab"}},
		{"blank beside text separates", word("a", ref("blank"), "b"), []string{"a", "b"}},
		{"quotes after a blank begin a word", word("a", ref("blank"), quoted("")), []string{"a", ""}},
		{"quoted beside unquoted", word(inQuotes("x"), ref("x")), []string{"1 21", "2"}},
	})
}

func TestValues(t *testing.T) {
	checkWords(t, wordsEnv(), []wordsCase{
		{"values are never code", word(ref("code")), []string{"$y", "`id`", `"q"`, "'r'", ";", "*", `\z`, "~", "#"}},
		{"nor when quoted", word(inQuotes("code")), []string{"$y `id` \"q\" 'r' ; * \\z ~ #"}},
		{"trailing newlines go", word(quoted("["), inQuotes("tail"), quoted("]")), []string{"[text]"}},
		{"integer", word("n=", ref("n")), []string{"n=-42"}},
		{"positional", word(ref("2")), []string{"two", "words"}},
		{"positional quoted", word(inQuotes("2")), []string{"two words"}},
		{"script name", word(ref("0")), []string{"script"}},
		{"count", word(ref("#")), []string{"3"}},
		{"process", word(ref("$")), []string{"4711"}},
		{"list in quotes", word("pre", inQuotes("error.items"), "post"), []string{"preb c", "", "7", "x\nypost"}},
		{"list bare", word(ref("error.items")), []string{"b", "c", "7", "x", "y"}},
		{"shell value", word(ref("try.attempt")), []string{"3"}},
		{"shell value in quotes", word(inQuotes("error.message"), "."), []string{"no luck."}},
	})
}

func TestArguments(t *testing.T) {
	checkWords(t, wordsEnv(), []wordsCase{
		{"arguments", word(inQuotes("@")), []string{"one", "two words", ""}},
		{"arguments with text", word(quoted("x"), inQuotes("@"), quoted("y")), []string{"xone", "two words", "y"}},
		{"arguments twice", word(inQuotes("@"), inQuotes("@")), []string{"one", "two words", "one", "two words", ""}},
		{"arguments unquoted", word(ref("@")), []string{"one", "two", "words"}},
		{"arguments unquoted with text", word("x", ref("@"), "y"), []string{"xone", "two", "words", "y"}},
		{"joined", word(inQuotes("*")), []string{"one two words "}},
		{"joined unquoted", word(ref("*")), []string{"one", "two", "words"}},
	})
}

func TestDefaults(t *testing.T) {
	checkWords(t, wordsEnv(), []wordsCase{
		{"default unused", word(or(ref("x"), "y")), []string{"1", "2"}},
		{"default for undefined", word(or(ref("nope"), "some text")), []string{"some", "text"}},
		{"default quoted", word(or(inQuotes("nope"), "some text")), []string{"some text"}},
		{"default for empty", word(or(ref("empty"), "y")), []string{"y"}},
		{"default for newlines", word(or(inQuotes("newlines"), "y")), []string{"y"}},
		{"empty default vanishes", word(or(ref("nope"), "")), nil},
		{"empty default quoted", word(or(inQuotes("nope"), "")), []string{""}},
		{"default with a reference", word(or(inQuotes("nope"), "<", ref("x"), ">")), []string{"<1 2>"}},
		{"default of a default", word(or(ref("nope"), or(ref("none"), "z"))), []string{"z"}},
		{"default positional", word(or(ref("9"), "none")), []string{"none"}},
		{"default shell value", word(or(ref("try.remaining"), "0")), []string{"0"}},
		{"arguments' default unused", word(or(inQuotes("@"), "d")), []string{"one", "two words", ""}},
	})
}

func TestTildesAndPatterns(t *testing.T) {
	checkWords(t, wordsEnv(), []wordsCase{
		{"tilde", word(&ast.Tilde{}, "/x"), []string{"/home/me/x"}},
		{"tilde of a user", word(&ast.Tilde{User: "root"}), []string{"/root"}},
		{"tilde of nobody", word(&ast.Tilde{User: "no:such:user"}, "/x"), []string{"~no:such:user/x"}},
		{"no pattern with ://", word(ref("url"), "/", glob("*")), []string{"http://h/*"}},
		{"pattern without a match", word("/nonexistent/", glob("*"), quoted(" x")), []string{"/nonexistent/* x"}},
		{"backslash in a set that stays", word(quoted(`\`), glob(`[\]x]`), glob("*"), quoted(`\`)), []string{`\[]x]*\`}},
		{"lone bracket", word(glob("["), "x", glob("]")), []string{"[x]"}},
	})
}

// What other shells (dash, bash) make of "$@" without arguments.
func TestNoArguments(t *testing.T) {
	checkWords(t, with(), []wordsCase{
		{"alone", word(inQuotes("@")), nil},
		{"twice", word(inQuotes("@"), inQuotes("@")), nil},
		{"with text", word("a", inQuotes("@"), "b"), []string{"ab"}},
		{"with quotes", word(inQuotes("@"), quoted("")), []string{""}},
		{"unquoted", word(ref("@")), nil},
		{"joined", word(inQuotes("*")), []string{""}},
		{"joined unquoted", word(ref("*")), nil},
		{"default", word(or(inQuotes("@"), "none at all")), []string{"none at all"}},
		{"default unquoted", word(or(ref("@"), "none at all")), []string{"none", "at", "all"}},
	})
}

func TestWordFaults(t *testing.T) {
	env := with("nul", "a\x00b", "HOME", "")
	env.vars["lost"] = value.Large(lost{})
	env.args = []string{"\x00"}
	cases := []struct {
		name string
		word *ast.Word
		want string
	}{
		{"undefined", word("x", ref("dri"), "/y"), "variable dri was never set; ${dri:-text} gives a default"},
		{"bash's own", word(ref("RANDOM")), "variable RANDOM was never set, as it is one of bash alone; " +
			"write  shuf -n 1 -i 0-32767 -> number  (waits between attempts are random already)"},
		{"the shell's own without braces", word(ref("try"), ".attempt"),
			"variable try was never set; the shell's own values stand in braces: ${try.…}"},
		{"undefined in a default", word(or(ref("a"), ref("b"))), "variable b was never set; ${b:-text} gives a default"},
		{"undefined positional", word(ref("2")), "parameter $2 was not given; ${2:-text} gives a default"},
		{"undefined shell value", word(ref("try.key")), "${try.key} is not defined here; ${try.key:-text} gives a default"},
		{"NUL", word(inQuotes("nul")), "the value of nul holds a NUL byte, which no word can"},
		{"NUL in a parameter", word(ref("1")), "the value of 1 holds a NUL byte, which no word can"},
		{"NUL in the arguments", word(inQuotes("@")), "the value of @ holds a NUL byte, which no word can"},
		{"unreadable", word(ref("lost")), "the value of lost cannot be read: input/output error"},
		{"no home", word(&ast.Tilde{}, "/x"), "~ stands for $HOME, and HOME is not set"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := Words(env, nil, []*ast.Word{c.word})
			wantFault(t, err, c.want)
			_, err = Word(env, c.word)
			wantFault(t, err, c.want)
		})
	}
}

// Items that were joined could not be told apart again.
func TestOneValueIsWanted(t *testing.T) {
	env := with("nope", "")
	env.args = []string{"one", "two words"}
	env.lists = map[ast.Dotted]*value.Sequence{ast.ErrorItems: value.Texts([]string{"a", "b", "c"})}
	arguments := `${@} has 2 items, and one value is wanted here: "$*" joins them with blanks`
	items := `${error.items} has 3 items, and one value is wanted here: ` +
		`set -- "${error.items}" makes them arguments, which "$*" joins with blanks`
	for _, c := range []struct {
		name string
		word *ast.Word
		want string
	}{
		{"quoted", word(inQuotes("@")), arguments},
		{"bare", word(ref("@")), arguments},
		{"with text", word("a", inQuotes("@"), "b"), arguments},
		{"with a default", word(or(inQuotes("@"), "d")), arguments},
		{"in a default", word(or(ref("nope"), inQuotes("@"))), arguments},
		{"items", word(inQuotes("error.items")), items},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Word(env, c.word)
			wantFault(t, err, c.want)
			_, err = Eval(t.Context(), env, of(c.word))
			wantFault(t, err, c.want)
		})
	}
	_, err := Words(env, nil, []*ast.Word{word(or(ref("nope"), inQuotes("@")))})
	wantFault(t, err, arguments)
}

// lost is output whose file cannot be read.
type lost struct{}

func (lost) Bytes() (string, error) { return "", errors.New("input/output error") }
func (lost) Size() int64            { return 1 }
func (lost) Share()                 {}

func TestLenient(t *testing.T) {
	env := with()
	env.lenient = true
	words := []*ast.Word{word("a", ref("nope"), "b"), word(ref("1")), word(inQuotes("try.key")),
		word(or(ref("nope"), "d"))}
	got, err := Words(env, nil, words)
	if want := []string{"ab", "", "d"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

func TestWord(t *testing.T) {
	env := with("x", "1 2", "empty", "", "HOME", "/home/me")
	env.args = []string{"one", "two words"}
	env.output = func(*ast.Output) (string, error) { return "out", nil }
	many := word()
	for range 100 {
		many.Parts = append(many.Parts, inQuotes("x"), quoted("\n"))
	}
	cases := []struct {
		name string
		word *ast.Word
		want string
	}{
		{"bare does not split", word("a", ref("x"), "b"), "a1 2b"},
		{"nothing is the empty string", word(ref("empty")), ""},
		{"joined arguments", word(inQuotes("*"), "!"), "one two words!"},
		{"arguments in a here-document", word(&ast.Ref{Kind: ast.Arguments, Name: "@", Quote: ast.Document}),
			"one two words"},
		{"a list of none", word(inQuotes("error.items"), "!"), "!"},
		{"patterns stay", word(glob("*"), ".c"), "*.c"},
		{"what a command writes", word("x-", &ast.Output{}, "-y"), "x-out-y"},
		{"tilde", word(&ast.Tilde{}, "/x"), "/home/me/x"},
		{"many parts", many, strings.Repeat("1 2\n", 100)},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got, err := Word(env, c.word); err != nil || got != c.want {
				t.Errorf("got %q, %v, want %q", got, err, c.want)
			}
		})
	}
}

func TestHomeOf(t *testing.T) {
	users := "root:x:0:0::/root:/bin/sh\nnohome:x:1:1:::/bin/sh\nbroken:x\nme:x:2:2:Me, Myself:/home/me:/bin/sh"
	for user, want := range map[string]string{"root": "/root", "me": "/home/me", "nohome": "", "broken": "", "roo": ""} {
		if got, ok := homeOf(user, users); got != want || ok != (want != "") {
			t.Errorf("%s: got %q, %v, want %q", user, got, ok, want)
		}
	}
}
