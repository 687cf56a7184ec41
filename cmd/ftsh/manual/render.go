package manual

import (
	"strings"

	"ftsh/cmd/ftsh/manual/markdown"
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
)

// Render lays a page out for a terminal: text and tables are wrapped to its width,
// code is indented.
func Render(page string, on Terminal) string {
	if on.Columns <= 0 {
		on.Columns = usualColumns
	}
	r := &renderer{Terminal: on}
	r.Columns = max(r.Columns, leastColumns)
	var before *markdown.Block
	for _, b := range markdown.Blocks(page) {
		if before != nil && !(before.Kind == markdown.Item && b.Kind == markdown.Item) {
			r.out.WriteByte('\n')
		}
		r.block(&b)
		before = &b
	}
	return r.out.String()
}

// renderer writes blocks one below the other.
type renderer struct {
	Terminal
	out strings.Builder
}

func (r *renderer) block(b *markdown.Block) {
	width := min(r.Columns, mostColumns)
	switch b.Kind {
	case markdown.Heading:
		r.heading(b, width)
	case markdown.Code:
		r.code(b)
	case markdown.Table:
		r.table(b.Rows)
	case markdown.Item:
		mark := strings.Replace(b.Mark, "-", "•", 1)
		indent := strings.Repeat(" ", displayWidth(mark))
		for n, line := range wrapText(r.pieces(b.Text), width-len(indent)) {
			r.line(either(n == 0, mark, indent), line)
		}
	default:
		for _, line := range wrapText(r.pieces(b.Text), width) {
			r.line("", line)
		}
	}
}

// heading stands out by its style, or where there is none by a line below it.
func (r *renderer) heading(b *markdown.Block, width int) {
	text := markdown.Plain(b.Text)
	for _, line := range wrapText([]markdown.Piece{{Text: text, Style: markdown.Strong}}, width) {
		r.line("", line)
	}
	if !r.Styled {
		below := strings.Repeat(either(b.Level == 1, "=", "-"), min(displayWidth(text), width))
		r.line("", []markdown.Piece{{Text: below}})
	}
}

// code is shown as it is; in a session what was typed stands out from what came of it.
func (r *renderer) code(b *markdown.Block) {
	typed := strings.HasPrefix(b.Label, "console")
	for _, line := range b.Lines {
		strength := markdown.Normal
		if typed && (strings.HasPrefix(line, "$ ") || strings.HasPrefix(line, "> ")) {
			strength = markdown.Strong
		}
		r.line(codeIndent, []markdown.Piece{{Text: line, Style: strength}})
	}
}

// line writes pieces with an indent, and no blanks at its end.
func (r *renderer) line(indent string, line []markdown.Piece) {
	var text strings.Builder
	text.WriteString(indent)
	for _, p := range line {
		text.WriteString(r.styled(p))
	}
	r.out.WriteString(strings.TrimRight(text.String(), " "))
	r.out.WriteByte('\n')
}

// styled is a piece with its escape sequences, if it may have some.
func (r *renderer) styled(p markdown.Piece) string {
	const bold, underlined, cyan, reset = "\x1b[1m", "\x1b[4m", "\x1b[36m", "\x1b[m"
	if !r.Styled || p.Style == markdown.Normal {
		return p.Text
	}
	begin := map[markdown.Style]string{markdown.Strong: bold, markdown.Emphasized: underlined, markdown.Literal: cyan}
	return begin[p.Style] + p.Text + reset
}

// pieces reads the marks of a line. Where nothing can stand out, what is typed and what is emphasized keep
// the marks that tell where they begin and end.
func (r *renderer) pieces(text string) []markdown.Piece {
	list := markdown.Pieces(text)
	for i := range list {
		marks := map[markdown.Style]string{markdown.Literal: "`", markdown.Emphasized: "*"}[list[i].Style]
		if !r.Styled {
			list[i].Text = marks + list[i].Text + marks
		}
	}
	return list
}

func either[T any](yes bool, a, b T) T {
	if yes {
		return a
	}
	return b
}
