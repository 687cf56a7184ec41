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

// typed is insert for what is typed at the end, where that costs nothing for what
// is there already. The line itself must not be typed on any more.
func (l line) typed(text string) line {
	if l.pos < len(l.text) {
		return l.insert(text)
	}
	whole := append(l.text, []rune(text)...)
	return line{whole, len(whole)}
}

// settled is the line with its cursor not within what has become one character.
func (l line) settled() line { return l.at(clusterEnd(l.text, l.pos)) }

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

// The moves. Each returns the line with the cursor elsewhere.

func (l line) left() line  { return l.at(previous(l.text, l.pos)) }
func (l line) right() line { return l.at(following(l.text, l.pos)) }
func (l line) home() line  { return l.at(lineStart(l.text, l.pos)) }
func (l line) end() line   { return l.at(lineEnd(l.text, l.pos)) }
func (l line) first() line { return l.at(0) }
func (l line) final() line { return l.at(len(l.text)) }

// wordLeft goes to the start of the word before the cursor.
func (l line) wordLeft() line { return l.back(not(inWord)).back(inWord) }

// wordRight goes to the end of the word after the cursor.
func (l line) wordRight() line { return l.on(not(inWord)).on(inWord) }

// blankLeft goes to the start of the word before the cursor where only blanks
// separate words.
func (l line) blankLeft() line { return l.back(isBlank).back(not(isBlank)) }

// pastEnd goes to the end of the line, or from there over the newline.
func (l line) pastEnd() line {
	return l.at(max(lineEnd(l.text, l.pos), min(l.pos+1, len(l.text))))
}

// back goes back over what is of a kind.
func (l line) back(is func(rune) bool) line {
	for l.pos > 0 && is(l.text[l.pos-1]) {
		l.pos--
	}
	return l
}

// on goes on over it.
func (l line) on(is func(rune) bool) line {
	for l.pos < len(l.text) && is(l.text[l.pos]) {
		l.pos++
	}
	return l
}

func not(is func(rune) bool) func(rune) bool { return func(r rune) bool { return !is(r) } }

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
