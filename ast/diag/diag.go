// Package diag says what is wrong in a script and where: an [Error], a [List]
// of them, and the line of the script with a caret under the place.
package diag

import (
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"ftsh/ast"
)

// Error is something wrong at a place in a script.
type Error struct {
	Pos     ast.Pos
	Message string // lower case, no full stop: what was found, what was wanted, what to do
	// Incomplete: the text only ends too early; more of it could mend
	// it. Open is then what waits for its end, for a prompt: "try", "function f", "\"".
	Incomplete bool
	Open       string
}

// Errorf makes an Error with a formatted message.
func Errorf(pos ast.Pos, format string, args ...any) *Error {
	return &Error{Pos: pos, Message: fmt.Sprintf(format, args...)}
}

// Error gives "file:line:column: message", in one line whatever the message quotes.
func (e *Error) Error() string { return e.Pos.String() + ": " + ast.OneLine(e.Message, math.MaxInt) }

// Text gives the message, and under it the line of the script with a caret. Long
// lines are cut to what surrounds the place; tabs and control characters cannot
// shift the caret or reach a terminal.
func (e *Error) Text() string { return e.TextWithin(width, utf8.RuneCountInString) }

// TextWithin is Text for a line of that many cells, of which a text takes as many as
// cells says.
func (e *Error) TextWithin(room int, cells func(text string) int) string {
	pos := e.Pos
	if !pos.IsValid() || pos.Source == nil || int(pos.Offset) > len(pos.Source.Text) {
		return e.Error()
	}
	text := pos.Source.Text
	begin := strings.LastIndexByte(text[:pos.Offset], '\n') + 1
	rest, _, _ := strings.Cut(text[pos.Offset:], "\n")
	before := tail(Visible(text[begin:pos.Offset]), room*2/3, cells)
	caret := cells(before)
	after := head(Visible(strings.TrimSuffix(rest, "\r")), room-caret, cells)
	return e.Error() + "\n    " + before + after + "\n    " + strings.Repeat(" ", caret) + "^"
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

// width limits the characters of a line that are shown.
const width = 100

// bytes limits the bytes of a cell: combining marks have no cell of their own.
const bytes = 16

// tail is the end of s in at most n cells; a cut shows as an ellipsis.
func tail(s string, n int, cells func(string) int) string {
	cut := ""
	if extra := len(s) - n*bytes; extra > 0 {
		cut, s = "…", strings.ToValidUTF8(s[extra:], "")
	}
	for s != "" && cells(cut+s) > n {
		_, size := utf8.DecodeRuneInString(s)
		cut, s = "…", s[size:]
	}
	return cut + s
}

// head is the beginning of s in at most n cells; a cut shows as an ellipsis.
func head(s string, n int, cells func(string) int) string {
	cut := ""
	if len(s) > n*bytes {
		cut, s = "…", strings.ToValidUTF8(s[:max(0, n*bytes)], "")
	}
	for s != "" && cells(s+cut) > n {
		_, size := utf8.DecodeLastRuneInString(s)
		cut, s = "…", s[:len(s)-size]
	}
	return s + cut
}

// Visible replaces each control character, which could move the cursor of a terminal or turn the
// direction of writing, by one character, and each invalid byte.
func Visible(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\n':
			return ' '
		case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp):
			return '·'
		}
		return r
	}, s)
}
