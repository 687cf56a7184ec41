package interp_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ftsh/interp"
)

// TestRead holds what `read` puts into which variable, and when it fails. A | stands for the end of a line.
func TestRead(t *testing.T) {
	const usage = "usage: read [-s SEPARATOR] NAME …"
	for _, c := range []struct{ words, input, want string }{
		{"a", " one two |", "< one two ><-><-> "},
		{"a", "last line", "<last line><-><-> "},
		{"a b", " one\t two  three |", "<one><two  three><-> "},
		{"a b c", "one|two|", "<one><><> "},
		{"a b c", "one two three four|", "<one><two><three four> "},
		{"a b c", "|", "<><><> "},
		{"-s : a", "one:two|", "<one:two><-><-> "},
		{"-s : a b", "one:two:three|", "<one><two:three><-> "},
		{"-s : a b c", " one: two|", "< one>< two><> "},
		{"-s :: a b", "one:two::three|", "<one:two><three><-> "},
		{"a b", "", "<><><-> the input has ended"},
		{"", "one|", "<-><-><-> " + usage},
		{"-s : ", "one|", "<-><-><-> " + usage},
		{"-s '' a", "one|", "<-><-><-> the separator is empty; " + usage},
		{"-s", "one|", "<-><-><-> \"-s\" is no name of a variable; " + usage},
		{"a 1b", "one two|", "<-><-><-> \"1b\" is no name of a variable; " + usage},
		{"a nowhere", "one two|", "<one><-><-> the script mentions no variable nowhere; write its name as it is"},
	} {
		t.Run(c.words, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "in"), []byte(strings.ReplaceAll(c.input, "|", "\n")), 0o600); err != nil {
				t.Fatal(err)
			}
			words := strings.ReplaceAll(c.words, "nowhere", "$name")
			b := &bubble{start: time.Now()}
			config := b.config()
			config.Script.Dir = dir
			script := "name=nowhere\na=-\nb=-\nc=-\nwhy=\ntry\nread " + words + " < in\ncatch\nwhy=${error.message}\nend\n" +
				"say \"<$a><$b><$c> $why\""
			if err := interp.New(config).Run(t.Context(), parse(t, script)); err != nil {
				t.Fatal(err)
			}
			if _, got, _ := strings.Cut(b.said[0], " "); got != c.want {
				t.Errorf("read %s of %q: %s\nwant %s", c.words, c.input, got, c.want)
			}
		})
	}
}
