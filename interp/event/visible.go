package event

import (
	"strings"
	"unicode/utf8"
)

// Visible is a text of lines for people, as the shell writes it about what it was given: nothing in it moves the
// cursor of a terminal or turns the direction of writing, but newlines and tabs. All else that does not print is
// escaped as in a log.
func Visible(text string) string { return escapeInvisible(text, "\n\t") }

// VisibleLine is that for one line, or a cell of a table.
func VisibleLine(text string) string { return escapeInvisible(text, "") }

func escapeInvisible(text, allowed string) string {
	if isVisible(text, allowed) {
		return text
	}
	dst := make([]byte, 0, len(text)+16)
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if isShown(r, size, allowed) {
			dst = append(dst, text[i:i+size]...)
		} else {
			dst = appendEscape(dst, r, text[i:i+size])
		}
		i += size
	}
	return string(dst)
}

func isVisible(text, allowed string) bool {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if !isShown(r, size, allowed) {
			return false
		}
		i += size
	}
	return true
}

// isShown reports whether a rune may stand for itself.
func isShown(r rune, size int, allowed string) bool {
	return printable(r, size) || size == 1 && strings.IndexByte(allowed, byte(r)) >= 0
}
