package value

import (
	"errors"
	"strconv"
	"strings"
)

// Value is the value of a variable: an integer, a string, or large output that lies
// in a file. The zero Value is the empty string. Values are small, immutable, and
// passed by value; making an integer allocates nothing.
type Value struct {
	text   string
	number int64
	large  *large // nil and &output: the text counts; &integer: the number counts
}

// integer marks a Value that is one, output one whose text was captured. Nothing is
// ever stored in them.
var integer, output large

// Blob is large output kept outside the shell's memory. It must be safe for
// concurrent use, for values are copied between branches.
type Blob interface {
	Bytes() (string, error) // all of it, exactly
	Size() int64            // in bytes
	Share()                 // is called before a second value refers to it
}

// large is behind a pointer, which keeps a Value at four words.
type large struct {
	blob Blob
	lost error // why there is none any more
}

// ErrNUL is the error of [Value.Text] for a value that no program can be given. It reads like the end of a sentence
// that names the value.
var ErrNUL = errors.New("holds a NUL byte, which no word can")

// String is the value with that text.
func String(s string) Value { return Value{text: s} }

// Captured is the value of captured output: it expands without the newlines at its end.
func Captured(s string) Value { return Value{text: s, large: &output} }

// Int is the value with that number. It is kept as a number until its text is wanted.
func Int(n int64) Value { return Value{number: n, large: &integer} }

// Bool is the value true or false, which are words.
func Bool(b bool) Value {
	if b {
		return Value{text: "true"}
	}
	return Value{text: "false"}
}

// Large is the value of captured output that b holds.
func Large(b Blob) Value { return Value{large: &large{blob: b}} }

// Lost is a value that is not known any more, and why: whoever wants its text gets that error.
func Lost(why error) Value { return Value{large: &large{lost: why}} }

// IsLost reports whether the value is one that is not known any more.
func (v Value) IsLost() bool { return v.large != nil && v.large.lost != nil }

// Exact returns the value's bytes as they are. Only reading a Blob can fail.
func (v Value) Exact() (string, error) {
	switch v.large {
	case nil, &output:
		return v.text, nil
	case &integer:
		return strconv.FormatInt(v.number, 10), nil
	}
	if v.large.lost != nil {
		return "", v.large.lost
	}
	return v.large.blob.Bytes()
}

// Text returns what the value expands to: its bytes, of captured output without the
// newlines at their end. It fails if there is a NUL byte, or if a Blob cannot be read.
func (v Value) Text() (string, error) {
	if v.large == &integer {
		return strconv.FormatInt(v.number, 10), nil
	}
	text, err := v.Exact()
	if err != nil {
		return "", err
	}
	if strings.IndexByte(text, 0) >= 0 {
		return "", ErrNUL
	}
	if v.large != nil {
		text = strings.TrimRight(text, "\n")
	}
	return text, nil
}

// Int returns the number of a value that is kept as one. A string of digits is
// not.
func (v Value) Int() (n int64, ok bool) { return v.number, v.large == &integer }

// IsCaptured reports whether the value is captured output, which expands without the
// newlines at its end.
func (v Value) IsCaptured() bool { return v.large != nil && v.large != &integer }

// Blob returns what holds the bytes of a Large value.
func (v Value) Blob() (b Blob, ok bool) {
	if v.large == nil || v.large == &output || v.large == &integer || v.large.lost != nil {
		return nil, false
	}
	return v.large.blob, true
}
