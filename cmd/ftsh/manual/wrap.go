package manual

import (
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// displayWidth is how many columns a text takes.
func displayWidth(text string) int { return displaywidth.String(text) }

// lineWidth is how many columns pieces take beside each other.
func lineWidth(line []piece) (width int) {
	for _, p := range line {
		width += displayWidth(p.text)
	}
	return width
}

// wrap breaks a text at its blanks into lines of at most so many columns. What is
// typed is kept together if it fits a line; a word that does not is cut.
func wrap(text []piece, width int) [][]piece {
	var lines [][]piece
	var line []piece
	for _, word := range words(text, width) {
		if len(line) > 0 && lineWidth(line)+1+lineWidth(word) > width {
			lines = append(lines, line)
			line = nil
		}
		line = joined(line, word)
		for lineWidth(line) > width {
			head, rest := cut(line, width)
			lines, line = append(lines, head), rest
		}
	}
	if len(line) > 0 || len(lines) == 0 {
		lines = append(lines, line)
	}
	return lines
}

// joined is a line with one word more. What is strong stays so across a blank.
func joined(line, word []piece) []piece {
	last := len(line) - 1
	if last < 0 {
		return append(line, word...)
	}
	if line[last].style == strong && word[0].style == strong {
		line[last].text += " " + word[0].text
		return append(line, word[1:]...)
	}
	return append(append(line, piece{" ", normal}), word...)
}

// words are what blanks divide: each is pieces that stand together.
func words(text []piece, width int) [][]piece {
	var list [][]piece
	var word []piece
	for _, p := range text {
		parts := strings.Split(p.text, " ")
		if p.style == literal && displayWidth(p.text) <= width {
			parts = []string{p.text}
		}
		for n, part := range parts {
			if n > 0 && len(word) > 0 {
				list = append(list, word)
				word = nil
			}
			if part != "" {
				word = append(word, piece{part, p.style})
			}
		}
	}
	if len(word) > 0 {
		list = append(list, word)
	}
	return list
}

// cut divides a line after so many columns.
func cut(line []piece, width int) (head, rest []piece) {
	for i, p := range line {
		w := displayWidth(p.text)
		if w <= width {
			width -= w
			continue
		}
		first := displaywidth.TruncateString(p.text, width, "")
		head = append(append(head, line[:i]...), piece{first, p.style})
		return head, append([]piece{{p.text[len(first):], p.style}}, line[i+1:]...)
	}
	return line, nil
}
