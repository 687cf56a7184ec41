package repl

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// at makes a line of a text in which | is the cursor.
func at(text string) line {
	before, after, _ := strings.Cut(text, "|")
	l := newLine(before + after)
	return l.at(len([]rune(before)))
}

func (l line) shown() string { return string(l.text[:l.pos]) + "|" + string(l.text[l.pos:]) }

func TestMoves(t *testing.T) {
	for name, test := range map[string]struct {
		move       func(l line) line
		from, want string
	}{
		"left":                    {line.left, "ab|", "a|b"},
		"left over an accent":     {line.left, "ae\u0301|", "a|e\u0301"},
		"left over an emoji":      {line.left, "a👩\u200d👧|", "a|👩\u200d👧"},
		"left over a newline":     {line.left, "a\n|b", "a|\nb"},
		"left at the beginning":   {line.left, "|ab", "|ab"},
		"right":                   {line.right, "|ab", "a|b"},
		"right over a flag":       {line.right, "|🇫🇷🇩🇪", "🇫🇷|🇩🇪"},
		"right at the end":        {line.right, "ab|", "ab|"},
		"word left":               {line.wordLeft, "ab cd |", "ab |cd "},
		"word left, not ASCII":    {line.wordLeft, "ab größe|", "ab |größe"},
		"word right":              {line.wordRight, "|ab cd", "ab| cd"},
		"up":                      {up, "abc\nde|f", "ab|c\ndef"},
		"up to a shorter line":    {up, "a\nbcd|", "a|\nbcd"},
		"up not into a cluster":   {up, "ae\u0301\nbc|", "a|e\u0301\nbc"},
		"up in the first":         {up, "ab|c", "ab|c"},
		"down":                    {down, "ab|c\ndef", "abc\nde|f"},
		"down to an empty line":   {down, "ab|c\n\ndef", "abc\n|\ndef"},
		"swap":                    {line.transpose, "a|bc", "ba|c"},
		"swap at the end":         {line.transpose, "abc|", "acb|"},
		"swap clusters":           {line.transpose, "e\u0301世|", "世e\u0301|"},
		"nothing to swap":         {line.transpose, "|abc", "|abc"},
		"swap not over a newline": {line.transpose, "a\n|b", "a\n|b"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := test.move(at(test.from)).shown(); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

func up(l line) line   { l, _ = l.up(); return l }
func down(l line) line { l, _ = l.down(); return l }

// FuzzMoves holds that no move leaves the text, or stops within a cluster.
func FuzzMoves(f *testing.F) {
	for _, text := range []string{
		"", "abc", "ae\u0301b", "👩\u200d👩\u200d👧x", "🇫🇷🇩🇪", "a\n\nb", "世界\nab", "\u0301", "क्षि",
	} {
		f.Add(text, uint8(1))
	}
	f.Fuzz(func(t *testing.T, text string, pos uint8) {
		if !utf8.ValidString(text) {
			return
		}
		l := newLine(text)
		l.pos = clusterStart(l.text, int(pos)%(len(l.text)+1))
		for _, move := range []func(line) line{line.left, line.right, up, down} {
			got := move(l)
			if got.pos < 0 || got.pos > len(got.text) || got.pos != clusterStart(got.text, got.pos) {
				t.Errorf("%q became %q", l.shown(), got.shown())
			}
			if len(got.text) != len(l.text) {
				t.Errorf("%q became %q", l.shown(), got.shown())
			}
		}
	})
}
