package event

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// How much of a value a text line shows, in bytes as shown. Together they keep
// a line under 4096 bytes (PIPE_BUF): up to there the kernel does not tear
// lines in a pipe or a FIFO either.
const (
	wordWidth    = 240
	commandWidth = 1200
	valueWidth   = 480
	messageWidth = 800
	stderrWidth  = 400
	scriptWidth  = 240
)

// cut marks what was left out. No word shows it outside of quotes otherwise.
const cut = "…"

// appendWords appends words as a shell would need them, separated by blanks,
// in one line of printable UTF-8. What a shell has no plain spelling for
// (control characters, bytes that are not UTF-8) is written in the form
// $'a\nb\xff'. A word longer than 240 bytes and words beyond 1200 bytes are cut;
// the cut shows as an ellipsis outside of quotes.
func appendWords(dst []byte, words []string) []byte {
	begin := len(dst)
	for i, word := range words {
		if i > 0 {
			dst = append(dst, ' ')
		}
		if len(dst)-begin > commandWidth {
			dst = append(dst, cut+" ("...)
			dst = strconv.AppendInt(dst, int64(len(words)-i), 10)
			return append(dst, " more words)"...)
		}
		dst = appendWord(dst, word, wordWidth)
	}
	return dst
}

// Quoted is the words of a command in the same spelling, whole.
func Quoted(words []string) string {
	var text []byte
	for i, word := range words {
		if i > 0 {
			text = append(text, ' ')
		}
		if word == stars { // that stands for a secret; as it is a shell would read a pattern
			text = append(text, "'"+stars+"'"...)
			continue
		}
		text = appendWord(text, word, math.MaxInt)
	}
	return string(text)
}

// appendWord appends one word in the plainest spelling that is unambiguous, cut to width.
func appendWord(dst []byte, word string, width int) []byte {
	if word == stars { // what stands for a secret needs no quotes
		return append(dst, stars...)
	}
	shown := wholeRunePrefix(word, width)
	switch {
	case !utf8.ValidString(shown), strings.ContainsFunc(shown, isInvisible):
		shown = wholeRunePrefix(shown, width/4) // an escaped byte shows as four, \xff
		dst = append(appendEscaped(append(dst, `$'`...), shown, `\'`, ""), '\'')
	case strings.ContainsAny(shown, `'\`):
		dst = append(appendEscaped(append(dst, '"'), shown, "\"\\$`", ""), '"')
	case shown == "" || strings.ContainsFunc(shown, meansSomething):
		dst = append(append(append(dst, '\''), shown...), '\'')
	default:
		dst = append(dst, shown...)
	}
	if len(shown) < len(word) {
		dst = append(dst, cut...)
	}
	return dst
}

func isInvisible(r rune) bool { return !strconv.IsPrint(r) }

// meansSomething reports whether a character may mean something to a shell.
func meansSomething(r rune) bool {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '-' <= r && r <= ':':
		return false
	}
	return !strings.ContainsRune("_=@%+,", r)
}

// printable reports whether a decoded rune is one that shows, and was valid.
func printable(r rune, size int) bool {
	return strconv.IsPrint(r) && (r != utf8.RuneError || size > 1)
}

// appendText appends words meant for people: as they are, but what does not
// print is escaped, and what is too long is cut.
func appendText(dst []byte, text string, width int) []byte {
	shown := wholeRunePrefix(text, width)
	begin := len(dst)
	dst = appendEscaped(dst, shown, "", "")
	if len(dst)-begin > width { // much of it was escaped
		shown = wholeRunePrefix(text, width/4)
		dst = appendEscaped(dst[:begin], shown, "", "")
	}
	if len(shown) < len(text) {
		dst = append(dst, cut...)
	}
	return dst
}

// Visible is a text of lines for people, as the shell writes it about what it was given: nothing in it moves the
// cursor of a terminal or turns the direction of writing, but newlines and tabs. All else that does not print is
// escaped as in a log.
func Visible(text string) string { return string(appendEscaped(nil, text, "", "\n\t")) }

// VisibleLine is that for one line, or a cell of a table.
func VisibleLine(text string) string { return string(appendEscaped(nil, text, "", "")) }

// appendEscaped appends text with escapes for what does not print, but for the bytes of allowed, and with a backslash
// before those of special.
func appendEscaped(dst []byte, text, special, allowed string) []byte {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case size == 1 && strings.IndexByte(special, text[i]) >= 0:
			dst = append(dst, '\\', text[i])
		case printable(r, size), size == 1 && strings.IndexByte(allowed, text[i]) >= 0:
			dst = append(dst, text[i:i+size]...)
		default:
			dst = appendEscape(dst, r, text[i:i+size])
		}
		i += size
	}
	return dst
}

// appendEscape appends the escape for a rune that does not print.
func appendEscape(dst []byte, r rune, raw string) []byte {
	switch r {
	case '\n':
		return append(dst, `\n`...)
	case '\r':
		return append(dst, `\r`...)
	case '\t':
		return append(dst, `\t`...)
	}
	for i := range len(raw) {
		dst = fmt.Appendf(dst, `\x%02x`, raw[i])
	}
	return dst
}

// wholeRunePrefix is the beginning of s, at most width bytes, no character cut in two.
func wholeRunePrefix(s string, width int) string {
	if len(s) <= width {
		return s
	}
	for end := width; end > width-utf8.UTFMax; end-- {
		if utf8.RuneStart(s[end]) {
			return s[:end]
		}
	}
	return s[:width]
}
