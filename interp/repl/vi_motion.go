package repl

import (
	"slices"
	"strings"
	"unicode"
)

// viMotion returns where a motion leads to, and whether an operator takes the character there, too; false if it is no
// motion.
func (e *editor) viMotion(c viCommand) (to line, inclusive, ok bool) {
	if strings.IndexByte("fFtT", c.what) >= 0 {
		e.vi.find = string(rune(c.what)) + string(c.of)
	}
	to = e.now
	for range max(1, c.count) {
		if to, inclusive, ok = e.viStep(c, to); !ok {
			break
		}
	}
	return to, inclusive, ok
}

func (e *editor) viStep(c viCommand, l line) (to line, inclusive, ok bool) {
	big := unicode.IsUpper(rune(c.what))
	switch c.what {
	case 'h':
		return l.at(max(l.home().pos, l.left().pos)), false, true
	case 'l', ' ':
		return l.at(min(l.end().pos, l.right().pos)), false, true
	case '0':
		return l.home(), false, true
	case '^':
		return l.home().on(isSpace), false, true
	case '$':
		return l.end(), false, true
	case 'G':
		return l.final(), false, true
	case 'g':
		return l.first(), false, c.of == 'g'
	case 'w', 'W':
		class := viClass(l.runeAtCursor(), big)
		return l.on(ofClass(class, big, class != 0)).on(isBlank), false, true
	case 'b', 'B':
		l = l.back(isBlank)
		return l.back(ofClass(viClass(l.at(max(0, l.pos-1)).runeAtCursor(), big), big, true)), false, true
	case 'e', 'E':
		l = l.at(min(l.pos+1, len(l.text))).on(isBlank)
		return l.on(ofClass(viClass(l.runeAtCursor(), big), big, true)).left(), true, true
	}
	return e.viFind(c, l)
}

// viFind goes to a character in the line, or before it.
func (e *editor) viFind(c viCommand, l line) (to line, inclusive, ok bool) {
	find := []rune(e.vi.find)
	if strings.IndexByte("fFtT;", c.what) < 0 || len(find) != 2 {
		return l, false, false
	}
	step, short := 1, unicode.ToLower(find[0]) == 't'
	if unicode.IsUpper(find[0]) {
		step = -1
	}
	from := l.pos + step
	if short && c.what == ';' {
		from += step
	}
	for at := from; at >= l.home().pos && at < l.end().pos; at += step {
		if l.text[at] == find[1] {
			if short {
				at -= step
			}
			return l.at(at), step > 0, true
		}
	}
	return l, false, true
}

// viAround is the word, or what is between quotes or brackets, that the cursor is in; all of it with the blanks after
// it, or with the quotes.
func (l line) viAround(what rune, all bool) (at span, ok bool) {
	if what == 'w' || what == 'W' {
		is := ofClass(viClass(l.runeAtCursor(), what == 'W'), what == 'W', true)
		begin, end := l.back(is), l.on(is)
		if all {
			end = end.on(isSpace)
		}
		return span{begin.pos, end.pos}, true
	}
	closer := map[rune]rune{'(': ')', ')': ')', 'b': ')',
		'{': '}', '}': '}', '[': ']', ']': ']', '"': '"', '\'': '\''}[what]
	opener := map[rune]rune{')': '(', '}': '{', ']': '[', '"': '"', '\'': '\''}[closer]
	begin := l.back(func(r rune) bool { return r != opener }).pos
	length := slices.Index(l.text[l.pos:], closer)
	at = span{begin, l.pos + length}
	if all {
		at = span{begin - 1, l.pos + length + 1}
	}
	return at, begin > 0 && length >= 0
}

// viClass is the class of a character: 0 for blanks, 1 for words, 2 for others; all but blanks is part of a big word.
func viClass(r rune, big bool) int {
	switch {
	case isBlank(r) || r == 0:
		return 0
	case big || inWord(r) || r == '_':
		return 1
	}
	return 2
}

// ofClass reports whether a character is of a class; if wanted is false, never.
func ofClass(class int, big, wanted bool) func(rune) bool {
	return func(r rune) bool { return wanted && viClass(r, big) == class }
}

// runeAtCursor is the character at the cursor; 0 at the end.
func (l line) runeAtCursor() rune {
	if l.pos < len(l.text) {
		return l.text[l.pos]
	}
	return 0
}

func isSpace(r rune) bool { return r == ' ' || r == '\t' }
