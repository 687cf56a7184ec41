// Package diag says what is wrong in a script and where: an [Error], a [List]
// of them, and the line of the script with a caret under the place.
package diag

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"ftsh/ast"
)

// Error is something wrong at a place in a script.
type Error struct {
	Pos     ast.Pos
	Message string // lower case, no full stop: what was found, what was wanted, what to do
	// Incomplete tells that the text only ends too early: more of it could mend
	// it. Open is then what waits for its end, for a prompt: "try", "function f", "\"".
	Incomplete bool
	Open       string
}

// Errorf makes an Error with a formatted message.
func Errorf(pos ast.Pos, format string, args ...any) *Error {
	return &Error{Pos: pos, Message: fmt.Sprintf(format, args...)}
}

// Error gives "file:line:column: message".
func (e *Error) Error() string { return e.Pos.String() + ": " + e.Message }

// Text gives the message, and under it the line of the script with a caret. Long
// lines are cut to what surrounds the place; tabs and control characters cannot
// shift the caret or reach a terminal.
func (e *Error) Text() string {
	line, caret, ok := excerpt(e.Pos)
	if !ok {
		return e.Error()
	}
	return e.Error() + "\n    " + line + "\n    " + strings.Repeat(" ", caret) + "^"
}

// List is several errors of one script, in the order of their places.
type List []*Error

// Error gives one line for each.
func (l List) Error() string {
	lines := make([]string, len(l))
	for i, e := range l {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// Text gives each error with its excerpt.
func (l List) Text() string {
	texts := make([]string, len(l))
	for i, e := range l {
		texts[i] = e.Text()
	}
	return strings.Join(texts, "\n")
}

// Err is the list as an error, nil if it is empty.
func (l List) Err() error {
	if len(l) == 0 {
		return nil
	}
	return l
}

// width is how many characters of a line are shown at most.
const width = 100

// excerpt returns the line that a place is in and how many characters stand before it.
func excerpt(pos ast.Pos) (line string, caret int, ok bool) {
	if !pos.IsValid() || pos.Source == nil || int(pos.Offset) > len(pos.Source.Text) {
		return "", 0, false
	}
	text := pos.Source.Text
	begin := strings.LastIndexByte(text[:pos.Offset], '\n') + 1
	end := len(text)
	if n := strings.IndexByte(text[pos.Offset:], '\n'); n >= 0 {
		end = int(pos.Offset) + n
	}
	before := tail(text[begin:pos.Offset], width*2/3)
	after := head(strings.TrimSuffix(text[pos.Offset:end], "\r"), width-utf8.RuneCountInString(before))
	return visible(before + after), utf8.RuneCountInString(before), true
}

// tail is the end of s, at most n characters; a cut shows as an ellipsis.
func tail(s string, n int) string {
	for i, count := len(s), 0; i > 0; count++ {
		if count == n-1 {
			return "…" + s[i:]
		}
		_, size := utf8.DecodeLastRuneInString(s[:i])
		i -= size
	}
	return s
}

// head is the beginning of s, at most n characters; a cut shows as an ellipsis.
func head(s string, n int) string {
	count := 0
	for i := range s {
		if count == n {
			return s[:i] + "…"
		}
		count++
	}
	return s
}

// visible replaces each control character and each invalid byte by one character.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0:
			return '·'
		}
		return r
	}, s)
}
