package manual

import (
	"strings"

	"github.com/clipperhouse/displaywidth"

	"ftsh/cmd/ftsh/manual/markdown"
)

// displayWidth returns the columns that a text takes.
func displayWidth(text string) int { return displaywidth.String(text) }

// lineWidth returns the columns that pieces take beside each other.
func lineWidth(line []markdown.Piece) (width int) {
	for _, p := range line {
		width += displayWidth(p.Text)
	}
	return width
}

// wrapText breaks a text at its blanks into lines of at most so many columns. What is
// typed is kept together if it fits a line; a word that does not is cut.
func wrapText(text []markdown.Piece, width int) [][]markdown.Piece {
	var lines [][]markdown.Piece
	var line []markdown.Piece
	for _, word := range splitWords(text, width) {
		if len(line) > 0 && lineWidth(line)+1+lineWidth(word) > width {
			lines = append(lines, line)
			line = nil
		}
		line = joinWord(line, word)
		for lineWidth(line) > width {
			head, rest := cutLine(line, width)
			lines, line = append(lines, head), rest
		}
	}
	if len(line) > 0 || len(lines) == 0 {
		lines = append(lines, line)
	}
	return lines
}

// joinWord returns a line with one word more. What is strong stays so across a blank.
func joinWord(line, word []markdown.Piece) []markdown.Piece {
	last := len(line) - 1
	if last < 0 {
		return append(line, word...)
	}
	if line[last].Style == markdown.Strong && word[0].Style == markdown.Strong {
		line[last].Text += " " + word[0].Text
		return append(line, word[1:]...)
	}
	return append(append(line, markdown.Piece{Text: " "}), word...)
}

// splitWords divides at blanks: each word consists of pieces that stand together.
func splitWords(text []markdown.Piece, width int) [][]markdown.Piece {
	var list [][]markdown.Piece
	var word []markdown.Piece
	for _, p := range text {
		parts := strings.Split(p.Text, " ")
		if p.Style == markdown.Literal && displayWidth(p.Text) <= width {
			parts = []string{p.Text}
		}
		for n, part := range parts {
			if n > 0 && len(word) > 0 {
				list = append(list, word)
				word = nil
			}
			if part != "" {
				word = append(word, markdown.Piece{Text: part, Style: p.Style})
			}
		}
	}
	if len(word) > 0 {
		list = append(list, word)
	}
	return list
}

// cutLine divides a line after so many columns.
func cutLine(line []markdown.Piece, width int) (head, rest []markdown.Piece) {
	for i, p := range line {
		w := displayWidth(p.Text)
		if w <= width {
			width -= w
			continue
		}
		first := displaywidth.TruncateString(p.Text, width, "")
		head = append(append(head, line[:i]...), markdown.Piece{Text: first, Style: p.Style})
		return head, append([]markdown.Piece{{Text: p.Text[len(first):], Style: p.Style}}, line[i+1:]...)
	}
	return line, nil
}
