package manual

import (
	"regexp"
	"slices"
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
	itemMark = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(- |\d+\. )`) })
	marks    = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("``(.+?)``|`([^`]+)`|\\*\\*([^*]+)\\*\\*|\\*([^*\\s][^*]*)\\*|!?\\[([^\\]]*)\\]\\([^)]*\\)")
	})
)

// readBlocks reads a page. What is no part of the manual's Markdown is a paragraph.
func readBlocks(page string) (list []block) {
	lines := strings.Split(page, "\n")
	take := func(n int, ends func(string) bool) []string { // n lines, and more until one ends the block
		for n < len(lines) && !ends(lines[n]) {
			n++
		}
		taken := lines[:n]
		lines = lines[n:]
		return taken
	}
	for len(lines) > 0 {
		first, b := lines[0], block{}
		begins := func(line string) bool { return strings.HasPrefix(line, "```") }
		switch {
		case strings.TrimSpace(first) == "":
			lines = lines[1:]
			continue
		case strings.HasPrefix(first, "#"):
			signs, text, _ := strings.Cut(first, " ")
			b.level, b.text, lines = len(signs), text, lines[1:]
		case begins(first):
			b.label, b.code = first[3:], take(1, begins)[1:]
			lines = lines[min(1, len(lines)):]
		case strings.HasPrefix(first, "|"):
			b.rows = readTable(take(1, func(line string) bool { return !strings.HasPrefix(line, "|") }))
		case strings.HasPrefix(first, "    "):
			for _, line := range take(1, func(line string) bool { return !strings.HasPrefix(line, "    ") }) {
				b.code = append(b.code, line[4:])
			}
		default:
			b.mark = itemMark().FindString(first)
			b.text = strings.Join(strings.Fields(strings.Join(take(1, endsParagraph), " ")), " ")[len(b.mark):]
		}
		list = append(list, b)
	}
	return list
}

// endsParagraph reports whether a line ends the paragraph before it.
func endsParagraph(line string) bool {
	return strings.TrimSpace(line) == "" || itemMark().MatchString(line) ||
		slices.ContainsFunc([]string{"#", "```", "|"}, func(sign string) bool { return strings.HasPrefix(line, sign) })
}

// readTable reads the heading and the rows of a table; \| is a bar within a cell.
func readTable(lines []string) (rows [][]string) {
	for _, line := range lines {
		line = strings.ReplaceAll(strings.Trim(line, " "), `\|`, "\x00")
		cells := strings.Split(strings.TrimSuffix(line[1:], "|"), "|")
		for i, cell := range cells {
			cells[i] = strings.TrimSpace(strings.ReplaceAll(cell, "\x00", "|"))
		}
		if !strings.HasPrefix(cells[0], "---") {
			rows = append(rows, cells)
		}
	}
	return rows
}

// plain returns a line without its marks.
func plain(text string) string {
	text = marks().ReplaceAllString(strings.ReplaceAll(text, `\|`, "|"), "$1$2$3$4$5")
	return strings.ReplaceAll(text, "`", "")
}
