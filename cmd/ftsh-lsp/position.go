package main

import (
	"net/url"
	"path/filepath"
	"sort"
	"strings"
	"unicode/utf8"
)

// lines knows where the lines of a text begin. A line ends as the protocol says: with
// a newline, a carriage return, or both.
type lines struct {
	text   string
	starts []int
}

func newLines(text string) *lines {
	l := &lines{text: text, starts: []int{0}}
	for i := range len(text) {
		if text[i] == '\n' || text[i] == '\r' && !strings.HasPrefix(text[i+1:], "\n") {
			l.starts = append(l.starts, i+1)
		}
	}
	return l
}

// lineText is the text of a line (from 0) without its end; "" if there is none.
func (l *lines) lineText(n int) string {
	if n < 0 || n >= len(l.starts) {
		return ""
	}
	text := l.text[l.starts[n]:]
	if n+1 < len(l.starts) {
		text = l.text[l.starts[n]:l.starts[n+1]]
	}
	return strings.TrimRight(text, "\r\n")
}

// offsetOf is the place of a position in bytes. One behind the end of its line is the
// line's end, one behind the text the text's.
func (l *lines) offsetOf(p position) int {
	if p.Line < 0 {
		return 0
	}
	if p.Line >= len(l.starts) {
		return len(l.text)
	}
	line := l.lineText(p.Line)
	units := 0
	for i, r := range line {
		if units >= p.Character {
			return l.starts[p.Line] + i
		}
		units += utf16Len(r)
	}
	return l.starts[p.Line] + len(line)
}

// positionOf is an offset in the protocol's terms. One within a character or between the
// two that end a line is that character's, or that end's, begin.
func (l *lines) positionOf(offset int) position {
	offset = max(0, min(offset, len(l.text)))
	n := sort.SearchInts(l.starts, offset+1) - 1
	units := 0
	for rest, left := l.lineText(n), offset-l.starts[n]; rest != ""; {
		r, size := utf8.DecodeRuneInString(rest)
		if left -= size; left < 0 {
			break
		}
		units += utf16Len(r)
		rest = rest[size:]
	}
	return position{n, units}
}

// rangeOf returns the range between two offsets.
func (l *lines) rangeOf(begin, end int) textRange {
	return textRange{l.positionOf(begin), l.positionOf(end)}
}

// utf16Len counts the units of UTF-16 of a character. What is no character
// arrives as U+FFFD, which takes one.
func utf16Len(r rune) int {
	if r > 0xffff {
		return 2
	}
	return 1
}

// wordEnd returns the end of the word at an offset: a diagnostic underlines up to there.
func wordEnd(text string, offset int) int {
	end := offset
	for end < len(text) && !strings.ContainsRune(" \t\r\n;", rune(text[end])) {
		end++
	}
	if end == offset && end < len(text) && text[end] != '\n' {
		_, size := utf8.DecodeRuneInString(text[end:])
		end += size
	}
	return end
}

// pathOf is the file of a URI; a document without a file has its URI for a name.
func pathOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Path == "" {
		return uri
	}
	return filepath.Clean(u.Path)
}

// uriOf is the URI of a file.
func uriOf(path string) string {
	if !strings.HasPrefix(path, "/") {
		return path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}
