package main

import (
	"regexp"
	"strings"
)

// reader goes through a page of the manual line by line.
type reader struct {
	lines []string
	out   *roff
	shift int // how much deeper the headings are in the man page
}

// convert writes a page of the manual. Its own title is a heading of that level,
// or left out if that is 0.
func convert(out *roff, page string, title int) {
	rd := &reader{lines: strings.Split(page, "\n"), out: out, shift: title - 1}
	for len(rd.lines) > 0 {
		rd.block()
	}
}

// listMark is how a point of a list begins.
var listMark = regexp.MustCompile(`^(- |\d+\. )`)

// block writes the next block.
func (rd *reader) block() {
	line := rd.lines[0]
	switch {
	case strings.TrimSpace(line) == "":
		rd.lines = rd.lines[1:]
	case strings.HasPrefix(line, "#"):
		rd.lines = rd.lines[1:]
		marks, title, _ := strings.Cut(line, " ")
		if level := len(marks) + rd.shift; level > 0 {
			rd.out.heading(min(level, 2), title)
		}
	case strings.HasPrefix(line, "```"):
		rd.fence()
	case strings.HasPrefix(line, "|"):
		rd.table()
	case listMark.MatchString(line):
		rd.item()
	case strings.HasPrefix(line, "!["):
		rd.lines = rd.lines[1:] // a picture
	default:
		rd.out.paragraph(rd.text())
	}
}

// fence writes a block of code.
func (rd *reader) fence() {
	end := 1
	for end < len(rd.lines) && !strings.HasPrefix(rd.lines[end], "```") {
		end++
	}
	rd.out.verbatim(strings.Join(rd.lines[1:end], "\n"))
	rd.lines = rd.lines[min(end+1, len(rd.lines)):]
}

// table writes a table: a heading, a line of dashes, and rows.
func (rd *reader) table() {
	var rows [][]string
	for len(rd.lines) > 0 && strings.HasPrefix(rd.lines[0], "|") {
		if cells := tableCells(rd.lines[0]); !strings.HasPrefix(cells[0], "---") {
			rows = append(rows, cells)
		}
		rd.lines = rd.lines[1:]
	}
	rd.out.table(rows)
}

// item writes a point of a list.
func (rd *reader) item() {
	mark := strings.TrimSpace(listMark.FindString(rd.lines[0]))
	rd.lines[0] = listMark.ReplaceAllString(rd.lines[0], "")
	if mark == "-" {
		mark = `\(bu`
	}
	rd.out.item(mark, rd.text())
}

// text takes lines until another block begins.
func (rd *reader) text() string {
	end := 1
	for end < len(rd.lines) && !begins(rd.lines[end]) {
		end++
	}
	text := strings.Join(rd.lines[:end], "\n")
	rd.lines = rd.lines[end:]
	return text
}

// begins reports whether a line is the first of a block, or ends one.
func begins(line string) bool {
	return strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "```") ||
		strings.HasPrefix(line, "|") || listMark.MatchString(line)
}
