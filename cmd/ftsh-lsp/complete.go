package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ftsh/ast"
	"ftsh/backoff"
	"ftsh/interp"
)

// completeAt proposes what may stand at a position.
func (s *server) completeAt(d *document, p positionParams) ([]completionItem, error) {
	offset := d.lines.offsetOf(p.Position)
	line := d.text[d.lines.starts[d.lines.positionOf(offset).Line]:offset]
	c := completion{document: d, line: line, offset: offset, list: []completionItem{}}
	c.proposeHere(statementOf(line))
	return c.list, nil
}

// statementOf is the last statement of a line: what follows its last semicolon.
func statementOf(line string) string {
	return strings.TrimLeft(line[strings.LastIndexByte(line, ';')+1:], " \t")
}

// completion gathers proposals for one place.
type completion struct {
	*document
	line   string // up to the place
	offset int
	list   []completionItem
}

// proposeHere decides by what stands before on the line.
func (c *completion) proposeHere(statement string) {
	words := strings.Fields(statement)
	current := ""
	if n := len(words); n > 0 && !strings.HasSuffix(statement, " ") && !strings.HasSuffix(statement, "\t") {
		current, words = words[n-1], words[:n-1]
	}
	last := ""
	if len(words) > 0 {
		last = words[len(words)-1]
	}
	dollar := strings.LastIndexByte(current, '$')
	switch {
	case strings.HasPrefix(statement, "#"):
	case dollar >= 0 && isReference(current[dollar:]):
		c.references(strings.TrimLeft(current[dollar:], "${("))
	case last == "via":
		c.proposeNames(current, completeModule, resource)
	case last == "source":
		c.proposeFiles(current)
	case len(words) == 0 && !strings.Contains(current, "/"):
		c.beginnings(current)
	case precedesCommand(words) && !strings.Contains(current, "/"):
		c.commands(current)
	case len(words) > 0 && words[0] == "try":
		c.proposeClauses(last, current)
	case strings.HasPrefix(current, "."):
		c.proposeWords(current, completeOperator, ast.Operators())
	case strings.ContainsAny(current, "/~") || len(words) > 0:
		c.proposeFiles(current)
	}
}

// precedesCommand reports whether a command stands behind some words: behind a bar, ${ or the try of a test.
func precedesCommand(words []string) bool {
	last := words[len(words)-1]
	return last == "|" || last == "|&" || strings.HasSuffix(last, "${") || last == "try" && len(words) > 1
}

// isReference reports whether a text may be the beginning of a reference.
func isReference(text string) bool {
	name := strings.TrimLeft(text, "${(")
	return strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789.") == ""
}

// proposeClauses proposes what may stand in the first line of a try.
func (c *completion) proposeClauses(last, current string) {
	switch {
	case last == "backoff":
		c.proposeWords(current, completeValue, backoff.Policies())
	case last == "on" || slices.Contains(ast.Kinds(), last):
		c.proposeWords(current, completeValue, append(ast.Kinds(), headerWords()...))
	case last == "only" || last == "except" || last == "unknown":
		c.proposeWords(current, completeKeyword, []string{"on"})
	case last != "" && strings.Trim(last, "0123456789.") == "":
		c.proposeWords(current, completeValue, append([]string{"times"}, ast.Units()...))
	default:
		c.proposeWords(current, completeKeyword, headerWords())
	}
}

// headerWords are the words of the first line of a try.
func headerWords() []string {
	return slices.Concat([]string{"for", "or", "matching"}, ast.Clauses(), ast.BackoffSettings())
}

// beginnings proposes what may begin a statement.
func (c *completion) beginnings(current string) {
	anywhere, top := ast.Keywords()
	sections, conditional, choice := ast.Sections()
	for _, words := range [][]string{anywhere, top, sections, conditional, choice, ast.Settings(), {"end"}} {
		c.proposeWords(current, completeKeyword, words)
	}
	c.commands(current)
}

// commands proposes builtins and functions.
func (c *completion) commands(current string) {
	c.proposeWords(current, completeFunction, interp.Builtins())
	c.proposeNames(current, completeFunction, function)
}

// references proposes variables and the shell's own values.
func (c *completion) references(current string) {
	c.proposeNames(current, completeVariable, variable)
	c.proposeWords(current, completeValue, ast.DottedNames())
}

// proposeNames proposes names of the script.
func (c *completion) proposeNames(current string, itemKind int, k kind) {
	var names []string
	for _, m := range c.symbols {
		if m.kind == k && m.defines && !slices.Contains(names, m.name) {
			names = append(names, m.name)
		}
	}
	slices.Sort(names)
	c.proposeWords(current, itemKind, names)
}

// proposeWords proposes those words that begin as the current one does.
func (c *completion) proposeWords(current string, itemKind int, words []string) {
	for _, word := range words {
		known := slices.ContainsFunc(c.list, func(i completionItem) bool { return i.Label == word })
		if strings.HasPrefix(word, current) && !known {
			c.proposeText(word, itemKind, len(current))
		}
	}
}

// proposeText proposes a text in the place of so many bytes before.
func (c *completion) proposeText(text string, itemKind, replaces int) {
	edit := &textEdit{c.lines.rangeOf(c.offset-replaces, c.offset), text}
	c.list = append(c.list, completionItem{Label: text, Kind: itemKind, TextEdit: edit})
}

// mostFiles limits the files that are proposed.
const mostFiles = 200

// proposeFiles proposes the files of a folder, which is relative to that of the script.
func (c *completion) proposeFiles(current string) {
	begin := strings.LastIndexAny(current, `"'=<>`) + 1
	folder, base := filepath.Split(current[begin:])
	path := folder
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(c.path), folder)
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return
	}
	for _, entry := range entries {
		name, itemKind := entry.Name(), completeFile
		if entry.IsDir() {
			name, itemKind = name+"/", completeFolder
		}
		hidden := strings.HasPrefix(name, ".") && !strings.HasPrefix(base, ".")
		if strings.HasPrefix(name, base) && !hidden && len(c.list) < mostFiles {
			c.proposeText(name, itemKind, len(base))
		}
	}
}
