package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ftsh/cmd/ftsh/manual/markdown"
)

// manual is the pages of the manual by topic.
type manual struct {
	pages map[string]string
}

// readManual reads the pages in the repository at root.
func readManual(root string) (*manual, error) {
	paths, err := filepath.Glob(filepath.Join(root, "cmd/ftsh/manual/*.md"))
	if err != nil {
		return nil, err
	}
	m := &manual{pages: map[string]string{}}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		m.pages[strings.TrimSuffix(filepath.Base(path), ".md")] = string(text)
	}
	if len(m.pages) == 0 {
		return nil, errors.New("there is no manual in cmd/ftsh/manual: run this in the top folder of the repository")
	}
	return m, nil
}

// topicNames are the names of the pages in order.
func (m *manual) topicNames() []string {
	var topics []string
	for topic := range m.pages {
		topics = append(topics, topic)
	}
	slices.Sort(topics)
	return topics
}

// optionRow is a row of the manual's table of options.
type optionRow struct {
	spellings    []string // such as -l and --log-level
	value, usage string
}

// optionTable reads the table of the page options.
func (m *manual) optionTable() ([]optionRow, error) {
	var rows []optionRow
	for _, b := range markdown.Blocks(m.pages["options"]) {
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
