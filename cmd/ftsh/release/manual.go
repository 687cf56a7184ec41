package main

import (
	"errors"
	"strings"

	"ftsh/cmd/ftsh/manual/markdown"
)

// optionRow is a row of the manual's table of options.
type optionRow struct {
	spellings    []string // such as -l and --log-level
	value, usage string
}

// optionTable reads the table of the page options.
func optionTable() ([]optionRow, error) {
	var rows []optionRow
	for _, b := range markdown.Blocks(page("options")) {
		for _, cells := range b.Rows {
			if len(cells) > 1 && strings.HasPrefix(cells[0], "`-") {
				rows = append(rows, newOptionRow(cells))
			}
		}
	}
	if len(rows) == 0 {
		return nil, errors.New("manual/options.md has no table of options")
	}
	return rows, nil
}

// newOptionRow reads the cells of a row.
func newOptionRow(cells []string) optionRow {
	row := optionRow{usage: markdown.Plain(firstPart(cells[1]))}
	for _, p := range markdown.Pieces(cells[0]) {
		if p.Style != markdown.Literal {
			continue
		}
		spelling, value, _ := strings.Cut(p.Text, " ")
		row.spellings = append(row.spellings, spelling)
		if value != "" {
			row.value = value
		}
	}
	return row
}

// firstPart is a text up to its semicolon or colon: what an option does, without its values.
func firstPart(text string) string {
	if i := strings.IndexAny(text, ";:"); i > 0 {
		return text[:i]
	}
	return text
}
