package main

import (
	"slices"
	"strings"

	"ftsh/ast"
	"ftsh/lexer"
)

// foldingRanges finds the lines that belong together: blocks, the sections of a block, and comments.
func (s *server) foldingRanges(d *document, _ documentParams) ([]foldingRange, error) {
	f := followKeywords(d.text)
	f.foldComments(d.lines)
	return f.list, nil
}

// followKeywords goes over the keywords of a text.
func followKeywords(text string) *folder {
	f := &folder{list: []foldingRange{}, blocks: map[int]int{}}
	lx := lexer.New(text, false)
	for lx.More() {
		first := true
		for _, t := range lx.Unit() {
			if t.Type == lexer.Keyword && first {
				f.takeKeyword(t.Value, t.Pos.Line-1)
			}
			first = t.Type == lexer.Newline
		}
	}
	return f
}

// folder follows blocks from their first lines to their ends.
type folder struct {
	list   []foldingRange
	open   []int       // the line on which what could fold begins, of each open block
	begun  []int       // the first line of each open block
	blocks map[int]int // the last line of each block by its first
}

// takeKeyword is one at the beginning of a statement, on a line from 0.
func (f *folder) takeKeyword(word string, line int) {
	switch {
	case opensBlock(word):
		f.open, f.begun = append(f.open, line), append(f.begun, line)
	case ast.IsSection(word):
		if n := len(f.open); n > 0 {
			f.foldLines(f.open[n-1], line-1)
			f.open[n-1] = line
		}
	case word == "end":
		if n := len(f.open); n > 0 {
			f.foldLines(f.open[n-1], line-1)
			f.blocks[f.begun[n-1]] = line
			f.open, f.begun = f.open[:n-1], f.begun[:n-1]
		}
	}
}

// opensBlock reports whether a keyword opens a block.
func opensBlock(word string) bool {
	anywhere, top := ast.Keywords()
	simple := []string{"return", "shift", "export", "local", "secret", "source", "break", "continue"}
	return !slices.Contains(simple, word) && (slices.Contains(anywhere, word) || slices.Contains(top, word)) ||
		word == "on" || word == "sense"
}

func (f *folder) foldLines(first, last int) {
	if last > first {
		f.list = append(f.list, foldingRange{first, last, "region"})
	}
}

// foldComments fold where several lines of them follow each other.
func (f *folder) foldComments(l *lines) {
	first := -1
	for n := range len(l.starts) + 1 {
		if n < len(l.starts) && strings.HasPrefix(strings.TrimLeft(l.lineText(n), " \t"), "#") {
			if first < 0 {
				first = n
			}
			continue
		}
		if first >= 0 && n-1 > first {
			f.list = append(f.list, foldingRange{first, n - 1, "comment"})
		}
		first = -1
	}
}
