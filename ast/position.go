package ast

import (
	"fmt"
	"math"
	"strings"
)

// Source is a text that was parsed: a script, a sourced file, a line typed at
// the prompt.
type Source struct {
	Name string // "backup.ftsh", "-c", "stdin"; messages show the Title
	Text string // with CRLF as it was read
	// Typed tells that the text was read from no file: from standard input, an option, a terminal.
	Typed bool
}

// Title returns the name as messages show it: in one line, control characters escaped.
func (s *Source) Title() string { return OneLine(s.Name, math.MaxInt) }

// Line returns the text of line n (from 1) without its newline, or "" if there
// is no such line.
func (s *Source) Line(n int) string {
	rest := s.Text
	for ; n > 1; n-- {
		_, after, found := strings.Cut(rest, "\n")
		if !found {
			return ""
		}
		rest = after
	}
	line, _, _ := strings.Cut(rest, "\n")
	return strings.TrimSuffix(line, "\r")
}

// Pos is a place in a source. The zero Pos means that the place is not known.
type Pos struct {
	Source *Source
	Offset int32 // in bytes, from 0
	Line   int32 // from 1
	Column int32 // in characters, from 1
}

// SourceName is the name of the script or file; "": it is not known.
func (p Pos) SourceName() string {
	if p.Source == nil {
		return ""
	}
	return p.Source.Name
}

// RestOfLine is the text of the line from there on, in at most 200 characters; "": it is not known.
func (p Pos) RestOfLine() string {
	if p.Source == nil || int(p.Offset) >= len(p.Source.Text) {
		return ""
	}
	rest := p.Source.Text[p.Offset:]
	if end := strings.IndexAny(rest, "\r\n"); end >= 0 {
		rest = rest[:end]
	}
	return OneLine(rest, 200)
}

// IsValid reports whether the place is known.
func (p Pos) IsValid() bool { return p.Line > 0 }

// InFile gives "file:line".
func (p Pos) InFile() string { return fmt.Sprintf("%s:%d", p.Source.Title(), p.Line) }

// String gives "file:line:column", or "-" for a place that is not known.
func (p Pos) String() string {
	if !p.IsValid() {
		return "-"
	}
	if p.Source == nil {
		return fmt.Sprintf("%d:%d", p.Line, p.Column)
	}
	return fmt.Sprintf("%s:%d", p.InFile(), p.Column)
}
