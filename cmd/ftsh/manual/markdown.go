package manual

import (
	"regexp"
	"strings"
	"sync"
)

// kind is what a block of a page is.
type kind int

const (
	heading   kind = iota
	paragraph      // one line of text, to be wrapped
	item           // the same, with a mark before it
	code           // lines as they are
	table
)

// block is a part of a page between blank lines.
type block struct {
	kind  kind
	level int        // of a heading, from 1
	mark  string     // of an item
	label string     // after the fence of code
	text  string     // of a heading, paragraph or item, with marks of Markdown
	lines []string   // of code
	rows  [][]string // of a table; the first is its heading, which may be empty
}

// blocks reads a page. What is no part of the manual's Markdown is a paragraph.
func blocks(page string) []block {
	var list []block
	for lines := strings.Split(page, "\n"); len(lines) > 0; {
		if strings.TrimSpace(lines[0]) == "" {
			lines = lines[1:]
			continue
		}
		b, used := next(lines)
		list = append(list, b)
		lines = lines[used:]
	}
	return list
}

// itemMark is how a point of a list begins.
//
// It is compiled when a page is read, as the others are: 0.1 ms (measured) of each start otherwise.
var itemMark = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(- |\d+\. )`) })

// next reads the block at the first line and says how many lines it has.
func next(lines []string) (b block, used int) {
	first := lines[0]
	switch {
	case strings.HasPrefix(first, "#"):
		marks, text, _ := strings.Cut(first, " ")
		return block{kind: heading, level: len(marks), text: text}, 1
	case strings.HasPrefix(first, "```"):
		used = 1 + count(lines[1:], func(line string) bool { return !strings.HasPrefix(line, "```") })
		return block{kind: code, label: first[3:], lines: lines[1:used]}, min(used+1, len(lines))
	case strings.HasPrefix(first, "|"):
		used = count(lines, func(line string) bool { return strings.HasPrefix(line, "|") })
		return block{kind: table, rows: rows(lines[:used])}, used
	case strings.HasPrefix(first, "    "):
		used = count(lines, func(line string) bool { return strings.HasPrefix(line, "    ") })
		return block{kind: code, lines: unindented(lines[:used])}, used
	}
	used = 1 + count(lines[1:], func(line string) bool { return !begins(line) })
	text := strings.Join(strings.Fields(strings.Join(lines[:used], " ")), " ")
	if mark := itemMark().FindString(first); mark != "" {
		return block{kind: item, mark: strings.Replace(mark, "-", "•", 1), text: strings.TrimPrefix(text, mark)}, used
	}
	return block{kind: paragraph, text: text}, used
}

// count tells how many lines at the beginning are so.
func count(lines []string, so func(string) bool) int {
	for n, line := range lines {
		if !so(line) {
			return n
		}
	}
	return len(lines)
}

// begins reports whether a line ends the paragraph before it.
func begins(line string) bool {
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

// rows reads a table: a heading, a line of dashes, and the rows.
func rows(lines []string) [][]string {
	var list [][]string
	for _, line := range lines {
		if row := cells(line); !strings.HasPrefix(row[0], "---") {
			list = append(list, row)
		}
	}
	return list
}

// cells splits a row at the bars that no backslash makes text.
func cells(row string) []string {
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

// style is how a piece of a line stands out.
type style int

const (
	normal style = iota
	strong
	literal // what is typed as it stands
)

// piece is a part of a line in one style.
type piece struct {
	text  string
	style style
}

// spans are the marks of Markdown within a line: code, strong, pictures and links.
var spans = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("``(.+?)``|`([^`]+)`|\\*\\*([^*]+)\\*\\*|!?\\[([^\\]]*)\\]\\([^)]*\\)")
})

// pieces reads the marks of a line.
func pieces(text string) []piece {
	text = strings.ReplaceAll(text, `\|`, "|")
	var list []piece
	last := 0
	for _, at := range spans().FindAllStringSubmatchIndex(text, -1) {
		list = append(list, piece{text[last:at[0]], normal})
		for group, s := range []style{literal, literal, strong, normal} {
			if from := at[2*group+2]; from >= 0 {
				inner := strings.TrimSpace(text[from:at[2*group+3]])
				if s == strong {
					inner = strings.ReplaceAll(inner, "`", "")
				}
				list = append(list, piece{inner, s})
			}
		}
		last = at[1]
	}
	return append(list, piece{text[last:], normal})
}

// plain is a line without its marks.
func plain(text string) string {
	var out strings.Builder
	for _, p := range pieces(text) {
		out.WriteString(p.text)
	}
	return out.String()
}
