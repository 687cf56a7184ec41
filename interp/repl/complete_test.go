package repl

import (
	"context"
	"io"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"ftsh/ast"
	"ftsh/interp"
	"ftsh/interp/local"
	"ftsh/interp/process/clock"
	"ftsh/parser"
)

// expanded runs `echo` with words and returns what it prints.
func expanded(t *testing.T, words string) (string, error) {
	t.Helper()
	file, err := parser.Parse(&ast.Source{Name: "test", Text: "echo -n " + words + "\n"}, parser.Config{Interactive: true})
	if err != nil {
		return "", err
	}
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	clock := clock.New()
	defer clock.Close()
	config := interp.Config{World: local.New(local.Config{Clock: clock}),
		Script: interp.Script{Files: []int{-1, ends[1], -1}, Environ: []string{"HOME=/home/ann"}}}
	err = interp.New(config).Run(context.Background(), file)
	unix.Close(ends[1])
	text, _ := io.ReadAll(fdReader(ends[0]))
	unix.Close(ends[0])
	return string(text), err
}

type fdReader int

func (fd fdReader) Read(p []byte) (int, error) {
	n, err := unix.Read(int(fd), p)
	if n == 0 && err == nil {
		return 0, io.EOF
	}
	return max(n, 0), err
}

// beginnings may stand before the name that Tab writes.
var beginnings = []string{
	"", `"`, "'", `"my dir"/`, `my\ dir/`, `'it\'s/`, `"a$HOME/`, `a"b /`, `a'b"/c/`, `~/`, `./`, `a/"`, `b/'`,
}

// FuzzQuoting holds that whatever the name of a file is, and whatever quotes are
// open, what Tab writes is one word that is that name.
func FuzzQuoting(f *testing.F) {
	for i, name := range []string{
		"a", "two words", "it's", `"`, `\`, `a\`, "$x", "a$", "*", "[a]", "#a", "~", "-a", "a;b|c&d", "(x)", "`",
		"世界", "a\nb", "\t", "a=b", "{}", "!", "::", "a,", "<<",
	} {
		f.Add(name, uint8(0))
		f.Add(name, uint8(i))
	}
	home := func(name string) (string, bool) { return "/home/ann", name == "HOME" }
	f.Fuzz(func(t *testing.T, name string, which uint8) {
		before := beginnings[int(which)%len(beginnings)]
		w := readWord(before, home)
		if name == "" || name == "." || strings.ContainsAny(name, "/\x00") || !isWritable(name, w) {
			t.Skip()
		}
		text := w.guardedName(name, true)
		got, err := expanded(t, text)
		want := strings.Replace(w.folder, "~/", "/home/ann/", 1) + name
		if before == "" && strings.HasPrefix(name, "-") {
			want = "./" + name
		}
		if err != nil || got != want {
			t.Errorf("%q after %q is written %s, which is %q (%v)", name, before, text, got, err)
		}
	})
}

func TestCommonStart(t *testing.T) {
	for want, texts := range map[string][]string{
		"ab":    {"abc", "abd"},
		`a`:     {`a\ b`, `a\$`},
		`a\ `:   {`a\ b`, `a\ c`},
		"世":     {"世界", "世間"},
		"same ": {"same ", "same "},
	} {
		var list []candidate
		for _, text := range texts {
			list = append(list, candidate{text: text})
		}
		if got := string(commonStart(list)); got != want {
			t.Errorf("%q: %q, want %q", texts, got, want)
		}
	}
}
