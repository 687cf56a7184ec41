package manual

import (
	"slices"
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// A Terminal describes the screen that a page is shown on.
type Terminal struct {
	Columns int  // how wide it is; 80 if that is not known (0)
	Styled  bool // it may be written to with escape sequences
}

const (
	usualColumns = 80
	mostColumns  = 100 // text in longer lines is hard to read; tables and code may be wider
	leastColumns = 20
	codeIndent   = "    "
	gap          = "  "   // separates two columns of a table
	kept         = "\x00" // stands for a blank at which no line is broken
)

// screen measures text that may have escape sequences.
var screen = displaywidth.Options{ControlSequences: true}

// Render lays a page out for a terminal: text and tables are wrapped to its width,
// code is indented.
func Render(page string, on Terminal) string {
	if on.Columns <= 0 {
		on.Columns = usualColumns
	}
	on.Columns = max(on.Columns, leastColumns)
	var out strings.Builder
	blocks := readBlocks(page)
	for i, b := range blocks {
		if i > 0 && (b.mark == "" || blocks[i-1].mark == "") {
			out.WriteByte('\n')
		}
		for _, line := range on.lines(b) {
			out.WriteString(strings.TrimRight(line, " ") + "\n")
		}
	}
	return out.String()
}

// lines lays a block out.
func (on Terminal) lines(b block) (lines []string) {
	width := min(on.Columns, mostColumns)
	switch {
	case b.rows != nil:
		return on.table(b.rows)
	case b.level > 0:
		lines = wrap(on.styled(plain(b.text), "1"), width)
		sign := "-"
		if b.level == 1 {
			sign = "="
		}
		if !on.Styled {
			lines = append(lines, strings.Repeat(sign, min(screen.String(plain(b.text)), width)))
		}
	case b.text != "":
		mark := strings.Replace(b.mark, "-", "•", 1)
		indent := screen.String(mark)
		return beside([]string{mark, on.readMarks(b.text, width-indent)}, []int{indent, width - indent}, "")
	}
	for _, line := range b.code { // in a session what was typed stands out from what came of it
		if strings.HasPrefix(b.label, "console") && (strings.HasPrefix(line, "$ ") || strings.HasPrefix(line, "> ")) {
			line = strings.ReplaceAll(on.styled(strings.ReplaceAll(line, " ", kept), "1"), kept, " ")
		}
		lines = append(lines, codeIndent+line)
	}
	return lines
}

// table lays rows out with their columns below each other. Where they do not fit, cells are wrapped, those of the
// widest columns first.
func (on Terminal) table(rows [][]string) (lines []string) {
	widths := on.columnWidths(rows)
	for n, row := range rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = on.readMarks(cell, widths[i])
			if n == 0 {
				cells[i] = on.styled(plain(cell), "1")
			}
		}
		if n == 0 && strings.Join(cells, "") == "" {
			continue
		}
		lines = append(lines, beside(cells, widths, gap)...)
		if n == 0 {
			rule := ""
			for _, width := range widths {
				rule += gap + strings.Repeat("─", width)
			}
			lines = append(lines, rule[len(gap):])
		}
	}
	return lines
}

// beside wraps texts to columns of these widths.
func beside(texts []string, widths []int, gap string) []string {
	lines := []string{""}
	left := 0
	for i, text := range texts {
		for at, part := range wrap(text, widths[i]) {
			if at == len(lines) {
				lines = append(lines, "")
			}
			lines[at] += strings.Repeat(" ", max(0, left-screen.String(lines[at]))) + part
		}
		left += widths[i] + len(gap)
	}
	return lines
}

// columnWidths shares the width of the terminal among the columns: each gets what
// it wants, or if that is too much at most the same as the others that want more.
func (on Terminal) columnWidths(rows [][]string) (widths []int) {
	for _, row := range rows {
		for n, cell := range row {
			if n == len(widths) {
				widths = append(widths, 1)
			}
			widths[n] = max(widths[n], screen.String(on.readMarks(cell, 0)))
		}
	}
	room := on.Columns - len(gap)*(len(widths)-1)
	for _, width := range widths {
		room -= width
	}
	for ; room < 0 && slices.Max(widths) > 1; room++ {
		widths[slices.Index(widths, slices.Max(widths))]--
	}
	return widths
}

// readMarks returns a text with styles in place of the marks of Markdown. In what is typed no line is broken at a
// blank, if it fits a line of that width.
func (on Terminal) readMarks(text string, width int) string {
	text = marks().ReplaceAllStringFunc(text, func(marked string) string {
		part := marks().FindStringSubmatch(marked)
		typed, strong, emphasized := strings.TrimSpace(part[1]+part[2]), strings.ReplaceAll(part[3], "`", ""), part[4]
		switch {
		case typed != "":
			if !on.Styled {
				typed = "`" + typed + "`"
			}
			if screen.String(typed) <= width {
				typed = strings.ReplaceAll(typed, " ", kept)
			}
			return on.styled(typed, "36")
		case strong != "":
			return on.styled(strong, "1")
		case emphasized != "" && !on.Styled:
			return "*" + emphasized + "*"
		}
		return on.styled(emphasized, "4") + part[5]
	})
	return strings.ReplaceAll(text, `\|`, "|")
}

// wrap breaks a text at its blanks into lines of at most so many columns. A word that does not fit one is cut.
func wrap(text string, width int) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		word = strings.ReplaceAll(word, kept, " ")
		switch {
		case screen.String(line) == 0:
			line = word
		case screen.String(line+" "+word) <= width:
			line += " " + word
		default:
			lines, line = append(lines, line), word
		}
		for screen.String(line) > width {
			head := screen.TruncateString(line, width, "")
			if head == "" {
				break // not even one character fits
			}
			lines, line = append(lines, head), line[len(head):]
		}
	}
	return append(lines, line)
}

// styled returns the words of a text in a style that the terminal knows by a number, if it may be sent one.
func (on Terminal) styled(text, style string) string {
	if !on.Styled || text == "" {
		return text
	}
	begin, end := "\x1b["+style+"m", "\x1b[m"
	return begin + strings.ReplaceAll(text, " ", end+" "+begin) + end
}
