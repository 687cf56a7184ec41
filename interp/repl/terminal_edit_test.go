package repl_test

import (
	"strings"
	"testing"

	"ftsh/testdata/shelltest"
)

// The keys as terminals send them.
const (
	enter  = "\r"
	left   = "\x1b[D"
	right  = "\x1b[C"
	up     = "\x1b[A"
	down   = "\x1b[B"
	back   = "\x7f"
	escape = "\x1b"
	ctrlA  = "\x01"
	ctrlC  = "\x03"
	ctrlD  = "\x04"
	ctrlE  = "\x05"
	ctrlK  = "\x0b"
	ctrlL  = "\x0c"
	ctrlR  = "\x12"
	ctrlU  = "\x15"
	ctrlW  = "\x17"
	ctrlY  = "\x19"
	ctrlZ  = "\x1a"
)

var keysCases = map[string]struct {
	typed, keys, want string
}{
	"left":                         {"echo ab", left, "echo a|b"},
	"right":                        {"echo ab", left + left + right, "echo a|b"},
	"left in application mode":     {"echo ab", "\x1bOD", "echo a|b"},
	"home":                         {"echo ab", "\x1b[H", "|echo ab"},
	"home of the linux console":    {"echo ab", "\x1b[1~", "|echo ab"},
	"home of rxvt":                 {"echo ab", "\x1b[7~", "|echo ab"},
	"end":                          {"echo ab", ctrlA + "\x1b[F", "echo ab|"},
	"end of the linux console":     {"echo ab", ctrlA + "\x1b[4~", "echo ab|"},
	"end of rxvt":                  {"echo ab", ctrlA + "\x1b[8~", "echo ab|"},
	"delete":                       {"echo ab", left + "\x1b[3~", "echo a|"},
	"delete where nothing is":      {"", "\x1b[3~a", "a|"},
	"ctrl-left":                    {"echo ab cd", "\x1b[1;5D", "echo ab |cd"},
	"ctrl-left of rxvt":            {"echo ab cd", "\x1bOd", "echo ab |cd"},
	"ctrl-right":                   {"echo ab cd", ctrlA + "\x1b[1;5C\x1b[1;5C", "echo ab| cd"},
	"alt-left":                     {"echo ab cd", "\x1b[1;3D", "echo ab |cd"},
	"alt-b":                        {"echo ab cd", "\x1bb", "echo ab |cd"},
	"alt-f":                        {"echo ab cd", ctrlA + "\x1bf", "echo| ab cd"},
	"alt-b in a word with accents": {"echo größe", "\x1bb", "echo |größe"},
	"alt-d":                        {"echo ab cd", ctrlA + "\x1bd", "| ab cd"},
	"alt-backspace":                {"echo a/bc", "\x1b\x7f", "echo a/|"},
	"ctrl-w":                       {"echo a/bc", ctrlW, "echo |"},
	"ctrl-w in the first word":     {"echo ab", "\x1bb" + left + ctrlW, "| ab"},
	"ctrl-u":                       {"echo ab cd", "\x1bb" + ctrlU, "|cd"},
	"ctrl-k and ctrl-y":            {"echo ab", "\x1bb" + ctrlK + ctrlY + ctrlY, "echo abab|"},
	"ctrl-t":                       {"echo ab", "\x14", "echo ba|"},
	"ctrl-w twice and ctrl-y":      {"echo ab cd", ctrlW + ctrlW + ctrlY, "echo ab cd|"},
	"ctrl-w and ctrl-k are joined": {"echo ab cd ef", "\x1bb" + ctrlW + ctrlK + ctrlY, "echo ab cd ef|"},
	"kills that are not joined":    {"echo ab cd", ctrlW + left + ctrlW + ctrlY, "echo ab| "},
	"alt-y":                        {"echo ab cd", ctrlW + left + ctrlW + right + ctrlY + "\x1by", "echo  cd|"},
	"undo":                         {"echo ab cd", ctrlW + "\x1f", "echo ab cd|"},
	"undo a word":                  {"echo ab cd", "\x1f", "echo ab |"},
	"undo and redo":                {"echo ab cd", ctrlW + ctrlW + "\x1f\x1f\x1b/", "echo ab |"},
	"undo nothing":                 {"", "\x1f", "|"},
	"typing after undo":            {"echo ab", ctrlU + "\x1fx", "echo abx|"},
	"ctrl-a of kitty":              {"echo ab", "\x1b[97;5u", "|echo ab"},
	"shift-left of kitty":          {"echo ab", "\x1b[1;2:1D", "echo a|b"},
	"a capital of kitty":           {"echo a", "\x1b[98;2u", "echo aB|"},
	"alt-b of kitty":               {"echo ab", "\x1b[98;3u", "echo |ab"},
	"backspace":                    {"echo ab", back, "echo a|"},
	"unknown sequences":            {"echo ab", "\x1b[15~\x1b[[B\x1b[<0;1;1M\x1bOQ\x1b[200;5u", "echo ab|"},
	"two cells":                    {"echo 世界", left, "echo 世|界"},
	"two cells, backspace":         {"echo 世界", left + back, "echo |界"},
	"combining marks":              {"echo ö\u0332x", left + left, "echo |ö\u0332x"},
	"combining marks, backspace":   {"echo aö\u0332", back, "echo a|"},
	"emoji of several parts":       {"echo 👩\u200d👩\u200d👧x", left + left, "echo |👩\u200d👩\u200d👧x"},
	"emoji, backspace":             {"echo 👍🏽👍🏽", back, "echo 👍🏽|"},
	"flags":                        {"echo 🇫🇷🇩🇪", left, "echo 🇫🇷|🇩🇪"},
}

// TestKeys types something and presses keys, and looks where the cursor is: at
// the | in what is wanted.
func TestKeys(t *testing.T) {
	for name, test := range keysCases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newConsole(t, shelltest.ConsoleConfig{})
			c.CursorAfter(prompt)
			c.Send(test.typed + test.keys)
			before, after, _ := strings.Cut(test.want, "|")
			c.Wait("the cursor at | in "+test.want, func() bool {
				return c.Row(0) == strings.TrimRight(prompt+before+after, " ") && c.BeforeCursor() == prompt+before
			})
			c.Send(ctrlC)
			c.CursorAfter(prompt)
		})
	}
}

// Blocks are shown indented while they are typed, whatever blanks they have; what is kept is what was typed.
func TestBlocksAreIndented(t *testing.T) {
	t.Parallel()
	c := newConsole(t, shelltest.ConsoleConfig{})
	c.CursorAfter(prompt)
	c.Send("if true\rfor x in a b\r  echo $x\rend\relse\recho \"no\rt\"\rend")
	c.Sees(prompt+"if true", "if…     for x in a b", "for…         echo $x", "for…     end", "if… else",
		`if…     echo "no`, `"… t"`, "if… end  # if in line 1")
	c.Send(ctrlA + up + up + ctrlA)
	c.CursorAfter("if…     ")
	c.Send(ctrlC)
}
