package parser

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ftsh/ast"
	"ftsh/ast/diag"
)

var update = flag.Bool("update", false, "rewrite the messages in testdata/errors")

// TestErrors goes through testdata/errors, which has every error of the lexer and
// the parser: a text, then lines with a > that have the places and messages. What
// more text could mend ends in … and what is open.
func TestErrors(t *testing.T) {
	names, _ := filepath.Glob("testdata/errors/*.txt")
	if len(names) == 0 {
		t.Fatal("no cases")
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			var rewritten strings.Builder
			for _, c := range strings.SplitAfter(string(data), "\n%\n") {
				rewritten.WriteString(checkErrors(t, c))
			}
			if *update {
				os.WriteFile(name, []byte(rewritten.String()), 0o666)
			}
		})
	}
}

// checkErrors goes through one case, and returns it with the messages as they are.
func checkErrors(t *testing.T, c string) string {
	if c == "" {
		return ""
	}
	text, want, found := strings.Cut(strings.TrimSuffix(c, "%\n"), "\n> ")
	text += "\n"
	want = strings.ReplaceAll(strings.TrimSuffix(want, "\n"), "\n> ", "\n")
	got := errorsOf(text)
	if (!found || got != want) && !*update {
		t.Errorf("%s%s\nwant:\n%s", text, got, want)
	}
	return text + "> " + strings.ReplaceAll(got, "\n", "\n> ") + "\n%\n"
}

// errorsOf lists the errors of a text as the cases have them.
func errorsOf(text string) string {
	_, err := Parse(&ast.Source{Name: "s", Text: text}, Config{})
	var lines []string
	list, _ := err.(diag.List)
	for _, e := range list {
		line := strings.TrimPrefix(e.Error(), "s:")
		if e.Incomplete {
			line += "  … " + e.Open
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// TestBytes has what cannot stand in a file of cases.
func TestBytes(t *testing.T) {
	const nul = "a NUL byte: this is no text, or its encoding is not UTF-8"
	const utf8 = "a byte that is not UTF-8; only quoted text may hold one"
	tests := map[string]string{
		"a\x00b\n":               "1:2: " + nul,
		"try\n\x00\nend\nend\n":  "2:1: " + nul,
		"echo \"a\x00\"\n":       "1:8: " + nul,
		"echo \"\\\x00\"\n":      "1:8: " + nul,
		"echo 'a\\\x00'\n":       "1:9: " + nul,
		"echo 'a\x00'\n":         "1:8: " + nul,
		"echo \\\x00\n":          "1:7: " + nul,
		"cat << E\na\x00\nE\n":   "2:2: " + nul,
		"echo ${x:-\x00}\n":      "1:11: " + nul,
		"echo $(\x00)\n":         "1:8: " + nul,
		"echo \x80\n":            "1:6: " + utf8,
		"echo a\x80 b\n\xff\n":   "1:7: " + utf8 + "\n2:1: " + utf8,
		"echo \\\xff\n":          "1:7: " + utf8,
		"# \x00\necho 'é\xff'\n": "",
		"echo a\\":               "1:7: the text ends after a backslash  … \\",
		"x=1 .add.":              "1:10: expected a value after \".add.\", not the end of the text  … .add.",
		"x=(1":                   "1:3: ( is not closed on its line  … (",
		"x=f(":                   "1:5: expected a value after \"f(\", not the end of the text  … (",
		"a |":                    "1:3: expected a command, not the end of the text  … a",
		"a >":                    "1:3: expected a file after >, not the end of the text  … a",
		"for x": "1:1: for is not closed by an end  … for\n" +
			"1:5: expected \"in\" and the list of the loop, not the end of the text  … for",
		"\x7fELF\x02\x01\x01\x00\x00(((": "1:8: " + nul,
	}
	for text, want := range tests {
		if got := errorsOf(text); got != want {
			t.Errorf("%q:\n%s\nwant:\n%s", text, got, want)
		}
	}
}

func TestTenErrors(t *testing.T) {
	for name, text := range map[string]string{
		"statements": strings.Repeat("echo $?\n", 100),
		"habits":     strings.Repeat("fi\n", 100),
		"one block":  "try\n" + strings.Repeat("echo $?\n", 100) + "end\n",
		"open":       strings.Repeat("try\n", 100),
	} {
		if _, err := Parse(&ast.Source{Text: text}, Config{}); len(err.(diag.List)) != 10 {
			t.Errorf("%s: %d errors", name, len(err.(diag.List)))
		}
	}
}
