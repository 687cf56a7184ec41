// Package markdown reads the small part of Markdown that the manual is written in: headings, paragraphs, lists of one
// level, tables, fenced and indented code, and in a line `code`, **strong**, *emphasized* and [links](target). The
// terminal, the man pages and the prompt show what it reads.
package markdown

import (
	"regexp"
	"strings"
	"sync"
)

// A Kind tells blocks of a page apart.
type Kind int

// The kinds of blocks.
const (
	Heading   Kind = iota
	Paragraph      // one line of text, to be wrapped
	Item           // the same, with a mark before it
	Code           // lines as they are
	Table
)

// Block is a part of a page between blank lines.
type Block struct {
	Kind  Kind
	Level int        // of a heading, from 1
	Mark  string     // of an item: "- ", or a number such as "1. "
	Label string     // after the fence of code
	Text  string     // of a heading, paragraph or item, with marks of Markdown
	Lines []string   // of code
	Rows  [][]string // of a table; the first is its heading, which may be empty
}

// Blocks reads a page. What is no part of the manual's Markdown is a paragraph.
func Blocks(page string) []Block {
	var list []Block
	for lines := strings.Split(page, "\n"); len(lines) > 0; {
		if strings.TrimSpace(lines[0]) == "" {
			lines = lines[1:]
			continue
		}
		b, used := readBlock(lines)
		list = append(list, b)
		lines = lines[used:]
	}
	return list
}

// itemMark matches the beginning of a point of a list.
//
// It is compiled when a page is read, as the others are: 0.1 ms (measured) of each start otherwise.
var itemMark = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(- |\d+\. )`) })

// readBlock reads the block at the first line and says how many lines it has.
func readBlock(lines []string) (b Block, used int) {
	first := lines[0]
	switch {
	case strings.HasPrefix(first, "#"):
		marks, text, _ := strings.Cut(first, " ")
		return Block{Kind: Heading, Level: len(marks), Text: text}, 1
	case strings.HasPrefix(first, "```"):
		used = 1 + countLines(lines[1:], func(line string) bool { return !strings.HasPrefix(line, "```") })
		return Block{Kind: Code, Label: first[3:], Lines: lines[1:used]}, min(used+1, len(lines))
	case strings.HasPrefix(first, "|"):
		used = countLines(lines, func(line string) bool { return strings.HasPrefix(line, "|") })
		return Block{Kind: Table, Rows: readTable(lines[:used])}, used
	case strings.HasPrefix(first, "    "):
		used = countLines(lines, func(line string) bool { return strings.HasPrefix(line, "    ") })
		return Block{Kind: Code, Lines: unindented(lines[:used])}, used
	}
	used = 1 + countLines(lines[1:], func(line string) bool { return !endsParagraph(line) })
	text := strings.Join(strings.Fields(strings.Join(lines[:used], " ")), " ")
	if mark := itemMark().FindString(first); mark != "" {
		return Block{Kind: Item, Mark: mark, Text: strings.TrimPrefix(text, mark)}, used
	}
	return Block{Kind: Paragraph, Text: text}, used
}

// countLines tells how many lines at the beginning are so.
func countLines(lines []string, so func(string) bool) int {
	for n, line := range lines {
		if !so(line) {
			return n
		}
	}
	return len(lines)
}

// endsParagraph reports whether a line ends the paragraph before it.
func endsParagraph(line string) bool {
	return strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "```") ||
		strings.HasPrefix(line, "|") || itemMark().MatchString(line)
}

func unindented(lines []string) []string {
	short := make([]string, len(lines))
	for i, line := range lines {
		short[i] = strings.TrimPrefix(line, "    ")
	}
	return short
}

// readTable reads a table: a heading, a line of dashes, and the rows.
func readTable(lines []string) [][]string {
	var list [][]string
	for _, line := range lines {
		if row := splitRow(line); !strings.HasPrefix(row[0], "---") {
			list = append(list, row)
		}
	}
	return list
}

// splitRow splits a row at the bars that no backslash makes text.
func splitRow(row string) []string {
	var list []string
	row = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(row), "|"), "|")
	start := 0
	for i := 0; i < len(row); i++ {
		switch row[i] {
		case '\\':
			i++
		case '|':
			list = append(list, strings.TrimSpace(row[start:i]))
			start = i + 1
		}
	}
	return append(list, strings.TrimSpace(row[start:]))
}

// A Style makes a piece of a line stand out.
type Style int

// The styles.
const (
	Normal Style = iota
	Emphasized
	Strong
	Literal // what is typed as it stands
)

// Piece is a part of a line in one style.
type Piece struct {
	Text  string
	Style Style
}

// spans are the marks of Markdown within a line: code, strong, emphasized, pictures and links.
var spans = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("``(.+?)``|`([^`]+)`|\\*\\*([^*]+)\\*\\*|\\*([^*\\s][^*]*)\\*|!?\\[([^\\]]*)\\]\\([^)]*\\)")
})

// Pieces reads the marks of a line.
func Pieces(text string) []Piece {
	text = strings.ReplaceAll(text, `\|`, "|")
	var list []Piece
	last := 0
	for _, at := range spans().FindAllStringSubmatchIndex(text, -1) {
		list = append(list, Piece{text[last:at[0]], Normal})
		for group, s := range []Style{Literal, Literal, Strong, Emphasized, Normal} {
			if from := at[2*group+2]; from >= 0 {
				inner := strings.TrimSpace(text[from:at[2*group+3]])
				if s == Strong {
					inner = strings.ReplaceAll(inner, "`", "")
				}
				list = append(list, Piece{inner, s})
			}
		}
		last = at[1]
	}
	return append(list, Piece{text[last:], Normal})
}

// Plain is a line without its marks.
func Plain(text string) string {
	var out strings.Builder
	for _, p := range Pieces(text) {
		out.WriteString(p.Text)
	}
	return out.String()
}
