package repl

import (
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

// cluster is what a person sees as one character: a letter with its combining
// marks, an emoji of several code points. The cursor stands before or after it.
//
// Fault of readline: it moves and deletes by code point, and its widths know
// neither emoji nor what joins them.
type cluster struct {
	text  string
	size  int  // in runes
	width int  // in cells
	vague bool // terminals do not agree on the width
}

// clusters calls yield for each cluster of a text until that returns false.
func clusters(text string, yield func(c cluster) bool) {
	graphemes := displaywidth.StringGraphemes(text)
	for graphemes.Next() {
		c := cluster{text: graphemes.Value(), width: graphemes.Width()}
		c.size = utf8.RuneCountInString(c.text)
		if apart := apart(c.text); c.size > 1 && apart != c.width {
			c.vague = true
			if !isEmoji(c.text) {
				c.width = apart
			}
		}
		if !yield(c) {
			return
		}
	}
}

// apart is the width that a cluster has where each of its code points is drawn
// for itself, as many terminals do.
func apart(text string) (width int) {
	for _, r := range text {
		width += displaywidth.Rune(r)
	}
	return width
}

// isEmoji tells whether a cluster is an emoji of several parts, which most
// terminals draw as one; other clusters, as of Indic scripts, they mostly do not.
func isEmoji(text string) bool {
	for _, r := range text {
		switch {
		case r == '\u200d', r == '\ufe0f', r >= 0x1f1e6 && r <= 0x1f1ff, r >= 0x1f3fb && r <= 0x1f3ff:
			return true // joined, with a presentation, a flag, a tone of skin
		}
	}
	return false
}

// clusterStart returns the place at or before pos at which a cluster begins.
func clusterStart(text []rune, pos int) int {
	start, _ := around(text, pos)
	return start
}

// clusterEnd returns the place at or after pos at which a cluster ends.
func clusterEnd(text []rune, pos int) int {
	start, end := around(text, pos)
	return either(start == pos, pos, end)
}

// around returns the cluster that pos is in: start <= pos < end, but for the
// end of the text. Only the line around it is looked at.
func around(text []rune, pos int) (start, end int) {
	if pos >= len(text) {
		return len(text), len(text)
	}
	if text[pos] == '\n' {
		return pos, pos + 1
	}
	begin := lineStart(text, pos)
	start, end = begin, begin
	clusters(string(text[begin:lineEnd(text, pos)]), func(c cluster) bool {
		start, end = end, end+c.size
		return end <= pos
	})
	return start, end
}

// previous is the place one cluster before pos.
func previous(text []rune, pos int) int {
	if pos == 0 {
		return 0
	}
	return clusterStart(text, pos-1)
}

// following is the place one cluster after pos.
func following(text []rune, pos int) int {
	_, end := around(text, pos)
	return end
}

// lineStart is where the line begins that pos is in.
func lineStart(text []rune, pos int) int {
	for pos > 0 && text[pos-1] != '\n' {
		pos--
	}
	return pos
}

// lineEnd is where the line ends that pos is in.
func lineEnd(text []rune, pos int) int {
	for pos < len(text) && text[pos] != '\n' {
		pos++
	}
	return pos
}

// inWord tells whether a character is part of a word, for moving by words.
func inWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}
