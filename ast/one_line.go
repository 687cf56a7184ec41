package ast

import (
	"strconv"
	"unicode"
	"unicode/utf8"
)

// isOneLine reports whether all of a text prints.
func isOneLine(text string) bool {
	for _, r := range text {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return false
		}
	}
	return true
}

// OneLine gives a text in one line, control characters escaped, of at most so many characters.
func OneLine(text string, most int) string {
	if len(text) <= most && isOneLine(text) {
		return text
	}
	var line []rune
	for len(text) > 0 && len(line) <= most {
		r, size := utf8.DecodeRuneInString(text)
		if unicode.IsPrint(r) && !(r == utf8.RuneError && size == 1) {
			line = append(line, r)
		} else {
			quoted := strconv.Quote(text[:size])
			line = append(line, []rune(quoted[1:len(quoted)-1])...)
		}
		text = text[size:]
	}
	if len(line) > most {
		line = append(line[:most-1], '…')
	}
	return string(line)
}
