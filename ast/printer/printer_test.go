package printer_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ftsh/ast"
	"ftsh/ast/printer"
	"ftsh/lexer"
	"ftsh/parser"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// parse reads a script; the scripts of these tests source nothing that matters.
func parse(text string) (*ast.File, error) {
	return parser.Parse(&ast.Source{Name: "script", Text: text}, parser.Config{
		ReadFile:  func(string) ([]byte, error) { return nil, nil },
		Functions: []string{"f", "g"},
	})
}

// canonical prints a script, and checks that the text means the same and does
// not change when it is printed again.
func canonical(t testing.TB, text string) string {
	t.Helper()
	file, err := parse(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	once := printed(t, file)
	again, err := parse(once)
	if err != nil {
		t.Fatalf("what was printed does not parse: %v\n%q\nprinted as\n%q", err, text, once)
	}
	if d := difference(file, again); d != "" {
		t.Fatalf("what was printed means something else: %s\n%q\nprinted as\n%q", d, text, once)
	}
	if twice := printed(t, again); twice != once {
		t.Fatalf("printed again\n%q\nit becomes\n%q\nwritten\n%q", once, twice, text)
	}
	return once
}

func printed(t testing.TB, file *ast.File) string {
	t.Helper()
	var b strings.Builder
	if err := printer.Print(&b, file); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestScripts prints each testdata/script/NAME.ftsh and compares with NAME.golden.
func TestScripts(t *testing.T) {
	for _, path := range scripts(t) {
		name := strings.TrimSuffix(filepath.Base(path), ".ftsh")
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got := canonical(t, string(text))
			golden := strings.TrimSuffix(path, ".ftsh") + ".golden"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("printed:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

// TestDeepScript prints a script nested as deep as scripts may be, twice.
func TestDeepScript(t *testing.T) {
	const depth = lexer.MaxDepth - 1
	text := strings.Repeat("if true\n", depth) + strings.Repeat("end\n", depth)
	for range 2 {
		file, err := parse(text)
		if err != nil {
			t.Fatal(err)
		}
		once := printed(t, file)
		if n := strings.Count(once, "if true\n"); n != depth || strings.HasPrefix(text, "if true\n    ") && once != text {
			t.Fatalf("%d statements, want %d", n, depth)
		}
		text = once
	}
}

func scripts(t testing.TB) []string {
	t.Helper()
	paths, err := filepath.Glob("testdata/script/*.ftsh")
	if err != nil || len(paths) == 0 {
		t.Fatal("no scripts: ", err)
	}
	return paths
}

func FuzzPrint(f *testing.F) {
	for _, path := range scripts(f) {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := parse(text); err != nil {
			t.Skip()
		}
		canonical(t, text)
	})
}

// FuzzTokens makes scripts of tokens: with them, far more of what is
// made is valid than with any bytes.
var tokens = [...]string{
	" ", " ", "\n", "\n", " \\\n", "\\\n", ";", "# comment\n", "\t", "\r\n", "\n\n\n", "a", "b", "7", "-1", "1.5", "90s",
	"x=", "export ", "local ",
	"try ", "end", "verify\n", "catch\n", "finally\n", "resource r\n", "slots ", "on slurm ",
	"if ", "else if ", "else\n", "while ", "for x in ", "forany x in ", "forall x in ", "function f\n",
	"return ", "shift ", "source ", "for ", "or ", " times", " time", " each ", " every ", " backoff ", "full ", "from ",
	"to ", "by ", "jitter ",
	" only on ", " except on ", " unknown on ", " via r", " key ",
	"matching ", " ms", " seconds", " m", " hour", " d", "f(", "(", ")", ",", ".add. ", " .sub. ", " .and. ", " .eq. ",
	".not. ", ".exists. ", " .to. ", " .step. ", ".lines. ", " .pow. ", " .inorder.", " .hedge. ", " .limit. ",
	" .keepgoing.", " .pilots. ", "$x", "${x}",
	"$(x)", "${x:-a}", "}", "$@", "$1", "${try.attempt}", "$", "'", "\"", "\\", "*", "?", "[a]", "~", "~u", " < ", " > ",
	">>", "2>", "=> ", ">& ",
	"2>&1", "&>", "-> ", "->> ", "->& ", "-< ", "<< E\n", "<<- 'E'\n", "<< E", "\nE\n", " | ", " |& ", " |\n", "|#c\n",
	"#", "é", "true", "echo ",
}

// FuzzTokens is FuzzPrint on scripts made of tokens, one per byte.
func FuzzTokens(f *testing.F) {
	for _, text := range []string{
		"try for 7 times\nfor x in a b\necho $x\nend\nend",
		"if true\na | b\nelse\nx=(7 .add. 7)\nend > a",
	} {
		var seed []byte
		for text != "" {
			n := longest(text)
			seed = append(seed, byte(n))
			text = text[min(len(tokens[n]), len(text)):]
		}
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, choice []byte) {
		var b strings.Builder
		for _, c := range choice {
			b.WriteString(tokens[int(c)%len(tokens)])
		}
		if _, err := parse(b.String()); err != nil {
			t.Skip()
		}
		canonical(t, b.String())
	})
}

// longest is the longest token that a text begins with, 0 if there is none.
func longest(text string) int {
	best := 0
	for i, token := range tokens {
		if strings.HasPrefix(text, token) && len(token) > len(tokens[best]) {
			best = i
		}
	}
	return best
}
