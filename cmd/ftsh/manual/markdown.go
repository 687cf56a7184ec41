package manual

import (
	"regexp"
	"strings"
	"sync"
)

// block is a part of a page. The manual is written in a small part of Markdown: headings, paragraphs, lists of one
// level, tables, fenced and indented code, and in a line `code`, **strong**, *emphasized* and [links](target).
type block struct {
	level int        // of a heading, from 1
	mark  string     // of an item of a list: "- ", or a number such as "1. "
	text  string     // of a heading, a paragraph or an item: one line, to be wrapped
	label string     // after the fence of code
	code  []string   // lines as they are
	rows  [][]string // of a table; the first is its heading, which may be empty
}

// These are compiled when a page is read: 0.1 ms (measured) of each start otherwise.
var (
	parts = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("(?s)```.*?\n```|[^\n].*?(\n\n|\n?$)") })
	items = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(- |\d+\. )`) })
	marks = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("``(.+?)``|`([^`]+)`|\\*\\*([^*]+)\\*\\*|\\*([^*\\s][^*]*)\\*|!?\\[([^\\]]*)\\]\\([^)]*\\)")
	})
)

// readBlocks reads a page, in which an empty line stands between blocks, but for the items of a list. What is no part
// of the manual's Markdown is a paragraph.
func readBlocks(page string) (list []block) {
	for _, part := range parts().FindAllString(page, -1) {
		lines := strings.Split(strings.TrimRight(part, "\n"), "\n")
		b := block{}
		switch {
		case strings.HasPrefix(part, "```"):
			b.label, b.code = lines[0][3:], lines[1:len(lines)-1]
		case part[0] == '#':
			signs, text, _ := strings.Cut(lines[0], " ")
			b.level, b.text = len(signs), text
		case part[0] == '|':
			for _, line := range lines {
				b.addRow(line)
			}
		case strings.HasPrefix(part, "    "):
			for _, line := range lines {
				b.code = append(b.code, strings.TrimPrefix(line, "    "))
			}
		default:
			for n, line := range lines {
				mark := items().FindString(line)
				if n > 0 && mark != "" {
					list, b = append(list, b), block{}
				}
				b.mark += mark
				b.text = strings.Join(strings.Fields(b.text+" "+line[len(mark):]), " ")
			}
		}
		list = append(list, b)
	}
	return list
}

// addRow adds a row to a table, but not the rule below the heading; \| is a bar within a cell.
func (b *block) addRow(line string) {
	line = strings.ReplaceAll(strings.Trim(line, " "), `\|`, "\x00")
	cells := strings.Split(strings.TrimSuffix(line[1:], "|"), "|")
	for i, cell := range cells {
		cells[i] = strings.TrimSpace(strings.ReplaceAll(cell, "\x00", "|"))
	}
	if !strings.HasPrefix(cells[0], "---") {
		b.rows = append(b.rows, cells)
	}
}

// plain returns a line without its marks.
func plain(text string) string {
	text = marks().ReplaceAllString(strings.ReplaceAll(text, `\|`, "|"), "$1$2$3$4$5")
	return strings.ReplaceAll(text, "`", "")
}
