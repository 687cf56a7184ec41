package parser

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"ftsh/ast"
	"ftsh/ast/diag"
	"ftsh/lexer"
	"ftsh/testdata/skip"
)

// parseText parses on a goroutine of its own, whose stack is new, and tells by how
// much the program's stacks grew.
func parseText(text string) (file *ast.File, stack uint64, err error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	done := make(chan struct{})
	go func() {
		defer close(done)
		file, err = Parse(&ast.Source{Name: "s", Text: text}, Config{Functions: []string{"f"}})
		runtime.ReadMemStats(&after)
	}()
	<-done
	return file, after.StackSys - min(after.StackSys, before.StackSys), err
}

// What nests as deep as is allowed takes some megabytes of stack; Go stops a
// program at 1 GB.
func TestDeepest(t *testing.T) {
	n := lexer.MaxDepth - 1
	for name, text := range map[string]string{
		"try":         strings.Repeat("try\n", n) + "a\n" + strings.Repeat("end\n", n),
		"if":          strings.Repeat("if a\n", n) + strings.Repeat("else\nend\n", n),
		"one line":    strings.Repeat("while a;", n) + strings.Repeat("end;", n),
		"parentheses": "x=" + strings.Repeat("(", n) + "1" + strings.Repeat(")", n),
		"calls":       "x=" + strings.Repeat("f(", n) + "1" + strings.Repeat(")", n),
		"defaults":    "x=" + strings.Repeat("${a:-", n) + strings.Repeat("}", n),
		"before":      "x=" + strings.Repeat(".not. ", n) + "true",
		"after":       "x=1" + strings.Repeat(" .add. 1", n),
		"power":       "x=1" + strings.Repeat(" .pow. 1", n),
		"else if":     "if a\n" + strings.Repeat("else if b\n", 100000) + "end\n",
		"pipeline":    "a" + strings.Repeat("|a", 100000),
		"arguments":   "x=f(1" + strings.Repeat(",1", 100000) + ")",
		"list":        "for x in a" + strings.Repeat(" a", 100000) + "\nend\n",
		"conditions":  "try 2 times only on 1" + strings.Repeat(" 1", 100000) + "\nend\n",
		"times":       "try" + strings.Repeat(" 1 s", 100000) + "\nend\n",
	} {
		_, stack, err := parseText(text)
		if err != nil {
			t.Errorf("%s: %.200s", name, err)
		}
		if stack > 128<<20 {
			t.Errorf("%s: %d MB of stack", name, stack>>20)
		}
		t.Logf("%s: %d KB of stack", name, stack>>10)
	}
}

func TestTooDeep(t *testing.T) {
	for name, text := range map[string]string{
		"try":            strings.Repeat("try\n", 100000),
		"try with ends":  strings.Repeat("try\n", 100000) + strings.Repeat("end\n", 100000),
		"parentheses":    "x=" + strings.Repeat("(", 100000) + strings.Repeat(")", 100000),
		"calls":          "x=" + strings.Repeat("f(", 100000),
		"defaults":       "x=" + strings.Repeat("${a:-", 100000),
		"quoted default": "x=\"" + strings.Repeat("${a:-", 100000) + "\"",
		"before":         "x=" + strings.Repeat(".not. ", 100000) + "true",
		"after":          "x=1" + strings.Repeat(" .add. 1", 100000),
	} {
		_, _, err := parseText(text + "\n")
		if err == nil || len(err.(diag.List)) != 1 || !strings.Contains(err.Error(), "more than 10,000") {
			t.Errorf("%s: %.200v", name, err)
		}
	}
}

// quickly parses a text of several megabytes, which must not take as long as it
// would if time grew with the square of its length.
func quickly(t *testing.T, name, text string) {
	t.Helper()
	start := time.Now()
	_, err := Parse(&ast.Source{Name: "s", Text: text}, Config{})
	if took := time.Since(start); took > 30*time.Second {
		t.Errorf("%s: %v", name, took)
	}
	checkList(t, text, err)
}

// TestDeepCommands lets 100 commands stand in each other's words, and says of more that they are too many.
func TestDeepCommands(t *testing.T) {
	nested := func(n int) string { return strings.Repeat("${ a ", n) + strings.Repeat("}", n) }
	for _, around := range []string{"echo %s", "echo \"%s\"", "cat << E\n%s\nE\n", "x=%s"} {
		if _, _, err := parseText(fmt.Sprintf(around, nested(100))); err != nil {
			t.Errorf("%q: %.200s", around, err)
		}
		if _, _, err := parseText(fmt.Sprintf(around, nested(101))); err == nil ||
			!strings.Contains(err.Error(), "more than 100 deep") {
			t.Errorf("%q: %.200v", around, err)
		}
	}
}

func TestLong(t *testing.T) {
	skip.UnlessLong(t, "it reads many long texts")
	if skip.UnderRace { // which makes parsing ten times slower
		skip.Test(t, "it would take minutes with the race detector")
	}
	const n = 100_000
	pieces := []string{"a", "a ", "[", "[ ", "$a", "${a}", "${a:-", "\"$a\"", "'a'", "`", "$(", "$((", "\\\n", "\\\na ",
		"é", "\xff", "\x01", "a=b ", "a, ", "(", ")",
		".a. ", "1 .to. ", "|a", "> f ", "<< E ", "<< E\n", "<<- E\nE\n", "a\n", "\n", ";", "# a\n", "try\n", "try;end;",
		"end\n", "else\n", "if a\nelse\n", "catch\n",
		"function f\n", "function f\nend\n", "local a\n", "a &\n", "fi\n", "echo $?\n", "try\necho $?\nend\n",
		"for x in a\n", "x=1 .add.\n", "\"a\nb\" ", "~", "*", "\\", "a\\", "a#", "\t", "\r\n", "\x00", "2>&1 ", "${", "$",
		"'", "\""}
	for _, piece := range pieces {
		for _, before := range []string{"", "x=", "try "} {
			quickly(t, fmt.Sprintf("%q %q…", before, piece), before+strings.Repeat(piece, n/len(piece)))
		}
	}
	quickly(t, "a line", "echo "+strings.Repeat("word ", n*20))
	quickly(t, "a word", "echo \""+strings.Repeat("word $x ", n*20)+"\"")
	quickly(t, "a script", programText(n*20))
}

// Bytes of any kind give an error, and soon.
func TestBinary(t *testing.T) {
	var b strings.Builder
	seed := uint32(1)
	for range 1 << 20 {
		seed = seed*1664525 + 1013904223
		b.WriteByte(byte(seed >> 24))
	}
	quickly(t, "random bytes", b.String())
	quickly(t, "without NUL", strings.ReplaceAll(b.String(), "\x00", ""))
}
