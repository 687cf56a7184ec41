package manual

import (
	"regexp"
	"strings"
	"testing"
)

var renderCases = map[string]struct {
	on   Terminal
	want string
}{
	"plain": {Terminal{Columns: 30}, `
The try
=======

Some text that is wrapped
anew, with ` + "`code that stays`" + `
and strong words, see there.

• a point that is longer than
  a line
• another

name     what it is
───────  ─────────────────
` + "`a | b`" + `  a pipeline of two
x

no  heading

    $ echo a line that is much longer than the terminal
    a line

    M = N
`},
	"styled": {Terminal{Columns: 26, Styled: true}, `
<The> <try>

Some text that is wrapped
anew, with [code that stays]
and <strong> <words>, see
there.

• a point that is longer
  than a line
• another

<name>   <what> <it> <is>
─────  ─────────────────
[a | b]  a pipeline of two
x

no  heading

    <$ echo a line that is much longer than the terminal>
    a line

    M = N
`},
}

// TestRender shows what becomes of each kind of block.
func TestRender(t *testing.T) {
	const page = "# The `try`\n\nSome text that is\nwrapped anew, with `code that stays` and **strong words**, see " +
		"[there](x.md).\n\n" +
		"- a point that is longer than a line\n- another\n\n| name | what it is |\n| --- | --- |\n| `a \\| b` | a " +
		"pipeline of two |\n" +
		"| x | |\n\n| | |\n| --- | --- |\n| no | heading |\n\n```console\n$ echo a line that is much longer than the " +
		"terminal\na line\n```\n\n    M = N\n"
	for name, test := range renderCases {
		got := Render(page, test.on)
		got = regexp.MustCompile(`\x1b\[1m(.*?)\x1b\[m`).ReplaceAllString(got, "<$1>")
		got = regexp.MustCompile(`\x1b\[36m(.*?)\x1b\[m`).ReplaceAllString(got, "[$1]")
		if "\n"+got != test.want {
			t.Errorf("%s: got\n%s\nwanted%s", name, got, test.want)
		}
	}
}

// TestRenderAnyWidth wants each page to keep its words, and its text and tables
// to keep to the width, on terminals from narrow to wide.
func TestRenderAnyWidth(t *testing.T) {
	for _, topic := range Topics() {
		page, _ := Page(topic)
		for _, columns := range []int{20, 40, 80, 132} {
			checkWidth(t, topic, page, columns)
		}
		shown := letters(Render(page, Terminal{Columns: 1000}))
		for _, b := range readBlocks(page) {
			for _, line := range b.code {
				if !strings.Contains(shown, letters(line)) {
					t.Errorf("%s: lost: %s", topic, line)
				}
			}
			if !strings.Contains(shown, letters(plain(b.text))) {
				t.Errorf("%s: lost: %s", topic, b.text)
			}
		}
	}
}

// letters is a text without blanks and the marks that a terminal without styles keeps.
func letters(text string) string {
	return strings.NewReplacer("`", "", "*", "", " ", "", "\n", "").Replace(text)
}

func checkWidth(t *testing.T, topic, page string, columns int) {
	t.Helper()
	for _, styled := range []bool{false, true} {
		shown := Render(page, Terminal{Columns: columns, Styled: styled})
		if !styled && strings.Contains(shown, "\x1b") {
			t.Errorf("%s: an escape sequence where none may be", topic)
		}
		shown = regexp.MustCompile(`\x1b\[[0-9]*m`).ReplaceAllString(shown, "")
		for line := range strings.Lines(shown) {
			if width := screen.String(strings.TrimSuffix(line, "\n")); width > columns && !strings.HasPrefix(line, codeIndent) {
				t.Errorf("%s: %d columns, %d are there: %s", topic, width, columns, line)
			}
		}
	}
}
