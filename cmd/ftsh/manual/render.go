package manual

import "strings"

// Terminal is where a page is shown.
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
	var before *block
	for _, b := range blocks(page) {
		if before != nil && !(before.kind == item && b.kind == item) {
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

func (r *renderer) block(b *block) {
	width := min(r.Columns, mostColumns)
	switch b.kind {
	case heading:
		r.heading(b, width)
	case code:
		r.code(b)
	case table:
		r.table(b.rows)
	case item:
		indent := strings.Repeat(" ", displayWidth(b.mark))
		for n, line := range wrap(r.pieces(b.text), width-len(indent)) {
			r.line(either(n == 0, b.mark, indent), line)
		}
	default:
		for _, line := range wrap(r.pieces(b.text), width) {
			r.line("", line)
		}
	}
}

// heading stands out by its style, or where there is none by a line below it.
func (r *renderer) heading(b *block, width int) {
	text := plain(b.text)
	for _, line := range wrap([]piece{{text, strong}}, width) {
		r.line("", line)
	}
	if !r.Styled {
		r.line("", []piece{{strings.Repeat(either(b.level == 1, "=", "-"), min(displayWidth(text), width)), normal}})
	}
}

// code is shown as it is; in a session what was typed stands out from what came of it.
func (r *renderer) code(b *block) {
	typed := strings.HasPrefix(b.label, "console")
	for _, line := range b.lines {
		strength := normal
		if typed && (strings.HasPrefix(line, "$ ") || strings.HasPrefix(line, "> ")) {
			strength = strong
		}
		r.line(codeIndent, []piece{{line, strength}})
	}
}

// line writes pieces with an indent, and no blanks at its end.
func (r *renderer) line(indent string, line []piece) {
	var text strings.Builder
	text.WriteString(indent)
	for _, p := range line {
		text.WriteString(r.styled(p))
	}
	r.out.WriteString(strings.TrimRight(text.String(), " "))
	r.out.WriteByte('\n')
}

// styled is a piece with its escape sequences, if it may have some.
func (r *renderer) styled(p piece) string {
	const bold, cyan, reset = "\x1b[1m", "\x1b[36m", "\x1b[m"
	if !r.Styled || p.style == normal {
		return p.text
	}
	return either(p.style == strong, bold, cyan) + p.text + reset
}

// pieces reads the marks of a line. Where nothing can stand out, what is typed keeps
// the marks that tell where it begins and ends.
func (r *renderer) pieces(text string) []piece {
	list := pieces(text)
	for i := range list {
		if list[i].style == literal && !r.Styled {
			list[i].text = "`" + list[i].text + "`"
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
