package event

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// original is a text as it is, or decoded: then at has where in the text before each of its bytes began, and where
// that ended.
type original struct {
	text string
	at   []int
}

// placeBefore returns the place that a byte had before it was decoded.
func (o original) placeBefore(i int) int {
	if o.at == nil {
		return i
	}
	return o.at[i]
}

// encoding is a way in which a value may stand in a text.
type encoding struct {
	sign string                                       // what shows that there may be one
	undo func(text string) (plain string, length int) // what its beginning means; length 0: itself
}

var encodings = []encoding{{`\`, unquoted}, {"%", unpercent}, {"+", unplus}}

// decodeText returns a text without an encoding.
func decodeText(text string, undo func(string) (string, int)) original {
	var plain strings.Builder
	var at []int
	for i := 0; i < len(text); {
		bytes, length := undo(text[i:])
		if length == 0 {
			bytes, length = text[i:i+1], 1
		}
		plain.WriteString(bytes)
		for range len(bytes) {
			at = append(at, i)
		}
		i += length
	}
	return original{plain.String(), append(at, len(text))}
}

// unpercent undoes %41, in large letters or small.
func unpercent(text string) (plain string, length int) {
	if text[0] != '%' || len(text) < 3 {
		return "", 0
	}
	b, err := strconv.ParseUint(text[1:3], 16, 8)
	if err != nil {
		return "", 0
	}
	return string([]byte{byte(b)}), 3
}

// unplus is that for forms, in which a blank is a plus.
func unplus(text string) (plain string, length int) {
	if text[0] == '+' {
		return " ", 1
	}
	return unpercent(text)
}

// quotedQuote is a single quote in what a shell has in single quotes.
const quotedQuote = `'\''`

// unquoted undoes what quoting puts before a character, or in place of one that does not print.
func unquoted(text string) (plain string, length int) {
	if strings.HasPrefix(text, quotedQuote) {
		return "'", len(quotedQuote)
	}
	if text[0] != '\\' || len(text) < 2 {
		return "", 0
	}
	switch c := text[1]; c {
	case 'a', 'b', 'f', 'n', 'r', 't', 'v', 'x', 'u', 'U', '\\':
		r, multibyte, rest, err := strconv.UnquoteChar(text, 0)
		switch {
		case err != nil:
			return "", 0
		case multibyte:
			return string(r), len(text) - len(rest)
		}
		return string([]byte{byte(r)}), len(text) - len(rest)
	}
	_, size := utf8.DecodeRuneInString(text[1:])
	return text[1 : 1+size], 1 + size
}
