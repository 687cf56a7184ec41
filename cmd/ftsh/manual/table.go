package manual

import (
	"strings"

	"ftsh/cmd/ftsh/manual/markdown"
)

// gap separates two columns of a table.
const gap = "  "

// table writes rows with their columns below each other. Where they do not fit,
// cells are wrapped, those of the widest columns first.
func (r *renderer) table(rows [][]string) {
	widths := r.columnWidths(rows)
	for n, row := range rows {
		if n == 0 && strings.Join(row, "") == "" {
			continue
		}
		r.row(row, widths, n == 0)
		if n == 0 {
			r.rule(widths)
		}
	}
}

// rule is the line below the heading of a table.
func (r *renderer) rule(widths []int) {
	var line []markdown.Piece
	for n, width := range widths {
		line = append(line, markdown.Piece{Text: either(n > 0, gap, "") + strings.Repeat("─", width)})
	}
	r.line("", line)
}

// row writes the cells of a row beside each other.
func (r *renderer) row(row []string, widths []int, isHeading bool) {
	wrapped := make([][][]markdown.Piece, len(widths))
	height := 0
	for n := range widths {
		if n < len(row) {
			cell := r.pieces(row[n])
			if isHeading {
				cell = []markdown.Piece{{Text: markdown.Plain(row[n]), Style: markdown.Strong}}
			}
			wrapped[n] = wrapText(cell, widths[n])
		}
		height = max(height, len(wrapped[n]))
	}
	for at := range height {
		var line []markdown.Piece
		for n, width := range widths {
			var cell []markdown.Piece
			if at < len(wrapped[n]) {
				cell = wrapped[n][at]
			}
			blanks := markdown.Piece{Text: strings.Repeat(" ", width-lineWidth(cell)) + gap}
			line = append(append(line, cell...), blanks)
		}
		r.line("", line)
	}
}

// columnWidths shares the width of the terminal among the columns: each gets what
// it wants, or if that is too much at most the same as the others that want more.
func (r *renderer) columnWidths(rows [][]string) []int {
	var wanted []int
	for _, row := range rows {
		for n, cell := range row {
			if n == len(wanted) {
				wanted = append(wanted, 0)
			}
			wanted[n] = max(wanted[n], lineWidth(r.pieces(cell)))
		}
	}
	room := r.Columns - len(gap)*(len(wanted)-1)
	most := room
	for totalWidth(wanted, most) > room && most > 1 {
		most--
	}
	for n := range wanted {
		wanted[n] = max(1, min(wanted[n], most))
	}
	return wanted
}

// totalWidth returns the width of columns of which none is wider than most.
func totalWidth(widths []int, most int) (sum int) {
	for _, width := range widths {
		sum += min(width, most)
	}
	return sum
}
