package repl

import "slices"

// line is a statement that is being typed, which may have several lines, and
// where the cursor is. The functions here return a new one and leave the old.
type line struct {
	text []rune
	pos  int
}

// newLine is a text with the cursor at its end.
func newLine(text string) line {
	runes := []rune(text)
	return line{runes, len(runes)}
}

func (l line) String() string { return string(l.text) }

// at is the same text with the cursor elsewhere.
func (l line) at(pos int) line { return line{l.text, pos} }

// replace puts a text in the place of what is between start and end, the
// cursor after it.
func (l line) replace(start, end int, text []rune) line {
	return line{slices.Concat(l.text[:start], text, l.text[end:]), start + len(text)}
}

func (l line) insert(text string) line { return l.replace(l.pos, l.pos, []rune(text)) }

// cut takes what is between start and end out, and returns it, too.
func (l line) cut(start, end int) (line, string) {
	return l.replace(start, end, nil), string(l.text[start:end])
}

// up is the cursor a line higher, at the same distance from the line's start;
// false if it is in the first.
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

// wordLeft is the start of the word before the cursor.
//
// Fault of readline: only ASCII letters and digits are word to it, so that it
// stops within "größe".
func (l line) wordLeft() int {
	pos := l.pos
	for pos > 0 && !inWord(l.text[pos-1]) {
		pos--
	}
	for pos > 0 && inWord(l.text[pos-1]) {
		pos--
	}
	return pos
}

// wordRight is the end of the word after the cursor.
func (l line) wordRight() int {
	pos := l.pos
	for pos < len(l.text) && !inWord(l.text[pos]) {
		pos++
	}
	for pos < len(l.text) && inWord(l.text[pos]) {
		pos++
	}
	return pos
}

// blankLeft is the start of the word before the cursor where only blanks
// separate words, for Ctrl-W.
//
// Fault of readline: in the first word of a line its Ctrl-W deletes the whole line.
func (l line) blankLeft() int {
	pos := l.pos
	for pos > 0 && isBlank(l.text[pos-1]) {
		pos--
	}
	for pos > 0 && !isBlank(l.text[pos-1]) {
		pos--
	}
	return pos
}

func isBlank(r rune) bool { return r == ' ' || r == '\t' || r == '\n' }

// transpose swaps the clusters around the cursor, or at the end of a line the
// last two.
func (l line) transpose() line {
	pos := l.pos
	if pos == lineEnd(l.text, pos) {
		pos = previous(l.text, pos)
	}
	before, after := previous(l.text, pos), following(l.text, pos)
	if pos == lineStart(l.text, pos) || before == pos || after == pos {
		return l
	}
	swapped := slices.Concat(l.text[pos:after], l.text[before:pos])
	return l.replace(before, after, swapped)
}
