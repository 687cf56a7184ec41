package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
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

// topics are the names of the pages in order.
func (m *manual) topics() []string {
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
	for line := range strings.Lines(m.pages["options"]) {
		cells := tableCells(line)
		if len(cells) < 2 || !strings.HasPrefix(cells[0], "`-") {
			continue
		}
		row := optionRow{usage: plain(firstPart(cells[1]))}
		for i, code := range strings.Split(cells[0], "`") {
			if i%2 == 0 {
				continue
			}
			spelling, value, _ := strings.Cut(code, " ")
			row.spellings = append(row.spellings, spelling)
			if value != "" {
				row.value = value
			}
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return nil, errors.New("manual/options.md has no table of options")
	}
	return rows, nil
}

// firstPart is a text up to its semicolon or colon: what an option does, without its values.
func firstPart(text string) string {
	if i := strings.IndexAny(text, ";:"); i > 0 {
		return text[:i]
	}
	return text
}

// tableCells splits a row of a table; nil if the line is none.
func tableCells(line string) []string {
	line = strings.TrimSpace(line)
	if !strings.HasPrefix(line, "|") {
		return nil
	}
	var cells []string
	code := false
	start := 1
	for i := 1; i < len(line); i++ {
		switch {
		case line[i] == '`':
			code = !code
		case line[i] == '\\':
			i++
		case line[i] == '|' && !code:
			cells = append(cells, strings.TrimSpace(line[start:i]))
			start = i + 1
		}
	}
	return cells
}

// plain is a text without the marks of its markdown.
func plain(text string) string {
	return strings.NewReplacer("`", "", "**", "", `\|`, "|").Replace(text)
}
