package repl

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

// line is a statement that is being typed, which may have several lines, and where the cursor is. The functions here
// return a new one and leave the old.
type line struct {
	text []rune
	pos  int
}

func newLine(text string) line {
	runes := []rune(text)
	return line{runes, len(runes)}
}

func (l line) String() string { return string(l.text) }

func (l line) at(pos int) line { return line{l.text, pos} }

// replaceText puts a text in the place of what is between start and end, the cursor after it.
func (l line) replaceText(start, end int, text []rune) line {
	return line{slices.Concat(l.text[:start], text, l.text[end:]), start + len(text)}
}

func (l line) insertText(text string) line { return l.replaceText(l.pos, l.pos, []rune(text)) }

// appendTyped is insert for what is typed at the end, where that costs nothing for what is there already. The line
// itself must not be typed on any more.
func (l line) appendTyped(text string) line {
	if l.pos < len(l.text) {
		return l.insertText(text)
	}
	whole := append(l.text, []rune(text)...)
	return line{whole, len(whole)}
}

// up is the cursor a line higher, at the same distance from the line's start; false if it is in the first.
func (l line) up() (line, bool) {
	start := lineStart(l.text, l.pos)
	if start == 0 {
		return l, false
	}
	above := lineStart(l.text, start-1)
	return l.at(clusterStart(l.text, min(above+l.pos-start, start-1))), true
}

// down is the cursor a line lower; false if it is in the last.
func (l line) down() (line, bool) {
	end := lineEnd(l.text, l.pos)
	if end == len(l.text) {
		return l, false
	}
	below := end + 1
	return l.at(clusterStart(l.text, min(below+l.pos-lineStart(l.text, l.pos), lineEnd(l.text, below)))), true
}

// The moves. Each returns the line with the cursor elsewhere.

func (l line) left() line  { return l.at(previousCluster(l.text, l.pos)) }
func (l line) right() line { return l.at(following(l.text, l.pos)) }
func (l line) home() line  { return l.at(lineStart(l.text, l.pos)) }
func (l line) end() line   { return l.at(lineEnd(l.text, l.pos)) }
func (l line) first() line { return l.at(0) }
func (l line) final() line { return l.at(len(l.text)) }

func (l line) wordLeft() line  { return l.back(negated(inWord)).back(inWord) }
func (l line) wordRight() line { return l.on(negated(inWord)).on(inWord) }

// back goes back over what is of a kind.
func (l line) back(is func(rune) bool) line {
	for l.pos > 0 && is(l.text[l.pos-1]) {
		l.pos--
	}
	return l
}

func (l line) on(is func(rune) bool) line {
	for l.pos < len(l.text) && is(l.text[l.pos]) {
		l.pos++
	}
	return l
}

func negated(is func(rune) bool) func(rune) bool { return func(r rune) bool { return !is(r) } }

func isBlank(r rune) bool { return r == ' ' || r == '\t' || r == '\n' }

// transpose swaps the clusters around the cursor, or at the end of a line the last two.
func (l line) transpose() line {
	pos := l.pos
	if pos == lineEnd(l.text, pos) {
		pos = previousCluster(l.text, pos)
	}
	before, after := previousCluster(l.text, pos), following(l.text, pos)
	if pos == lineStart(l.text, pos) || before == pos || after == pos {
		return l
	}
	swapped := slices.Concat(l.text[pos:after], l.text[before:pos])
	return l.replaceText(before, after, swapped)
}

// A cluster is seen as one character: a letter with its combining marks, an emoji of several code points.
// The cursor stands before or after it.
type cluster struct {
	text  string
	size  int  // in runes
	width int  // in cells
	vague bool // terminals do not agree on the width
}

// clustersOf are those of a text.
func clustersOf(text string) iter.Seq[cluster] {
	return func(yield func(c cluster) bool) {
		graphemes := displaywidth.StringGraphemes(text)
		for goesOn := true; goesOn && graphemes.Next(); {
			c := cluster{text: graphemes.Value(), width: graphemes.Width()}
			c.size = utf8.RuneCountInString(c.text)
			if apart := widthApart(c.text); c.size > 1 && apart != c.width {
				c.vague = true
				if !isEmoji(c.text) {
					c.width = apart
				}
			}
			goesOn = yield(c)
		}
	}
}

// widthApart is the width of a cluster on terminals that draw each code point by itself, as many do.
func widthApart(text string) (width int) {
	for _, r := range text {
		width += displaywidth.Rune(r)
	}
	return width
}

// isEmoji reports whether a cluster is an emoji of several parts, which most terminals draw as one; other clusters,
// as of Indic scripts, they mostly do not.
func isEmoji(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { // joined, with a presentation, a flag, a tone of skin
		return r == '\u200d' || r == '\ufe0f' || r >= 0x1f1e6 && r <= 0x1f1ff || r >= 0x1f3fb && r <= 0x1f3ff
	})
}

// clusterStart returns the place at or before pos at which a cluster begins.
func clusterStart(text []rune, pos int) int {
	start, _ := clusterAround(text, pos)
	return start
}

// clusterAround returns the cluster that pos is in: start <= pos < end, but for the end of the text. Only the line
// around it is looked at.
func clusterAround(text []rune, pos int) (start, end int) {
	if pos >= len(text) {
		return len(text), len(text)
	}
	if text[pos] == '\n' {
		return pos, pos + 1
	}
	end = lineStart(text, pos)
	for c := range clustersOf(string(text[end:lineEnd(text, pos)])) {
		if start, end = end, end+c.size; end > pos {
			break
		}
	}
	return start, end
}

func previousCluster(text []rune, pos int) int {
	if pos == 0 {
		return 0
	}
	return clusterStart(text, pos-1)
}

func following(text []rune, pos int) int {
	_, end := clusterAround(text, pos)
	return end
}

// lineStart returns the start of the line that pos is in.
func lineStart(text []rune, pos int) int {
	for pos > 0 && text[pos-1] != '\n' {
		pos--
	}
	return pos
}

// lineEnd returns the end of the line that pos is in.
func lineEnd(text []rune, pos int) int {
	for pos < len(text) && text[pos] != '\n' {
		pos++
	}
	return pos
}

// inWord reports whether a character is part of a word, for moving by words.
func inWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}
