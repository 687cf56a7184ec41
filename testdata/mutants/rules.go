package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// readRules reads a list of mistakes that somebody chose, each of which breaks a rule. A paragraph has the rule behind
// "# ", the name of a file below a room, the lines of it behind "-" and what is put in their place behind "+". The
// paragraphs before the first rule are for people.
func readRules(top, room, list string) ([]mutant, error) {
	text, err := os.ReadFile(list)
	if err != nil {
		return nil, err
	}
	var found []mutant
	for _, paragraph := range strings.Split(string(text), "\n\n") {
		lines := strings.Split(strings.TrimSpace(paragraph), "\n")
		rule, is := strings.CutPrefix(lines[0], "# ")
		if !is || len(lines) < 2 {
			continue
		}
		m := mutant{file: filepath.Join(room, lines[1]), rule: rule}
		var was, with []string
		for _, line := range lines[2:] {
			if line[0] == '-' {
				was = append(was, line[1:])
			} else {
				with = append(with, line[1:])
			}
		}
		m.was, m.with = strings.Join(was, "\n"), strings.Join(with, "\n")
		source, err := os.ReadFile(filepath.Join(top, m.file))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", rule, err)
		}
		if n := strings.Count(string(source), m.was); n != 1 {
			return nil, fmt.Errorf("%s: what it breaks stands %d times in %s, wanted once", rule, n, m.file)
		}
		m.from = strings.Index(string(source), m.was)
		m.to = m.from + len(m.was)
		found = append(found, m)
	}
	return found, nil
}
