package main

import (
	"fmt"
	"slices"
	"strings"

	"ftsh/ast"
	"ftsh/backoff"
	"ftsh/cmd/ftsh/manual"
	"ftsh/interp"
)

// hoverAt describes the word at a position: by the manual if it is a word of the language, else by where the script
// defines it.
func (s *server) hoverAt(d *document, p positionParams) (any, error) {
	text := ""
	if m := d.mentionAt(p.Position); m != nil {
		text = d.describeName(m)
	} else {
		offset := d.lines.offsetOf(p.Position)
		word := d.wordAt(offset)
		line := d.text[strings.LastIndexByte(d.text[:offset], '\n')+1 : offset]
		begins := strings.Fields(statementOf(line))
		if (word == "for" || word == "or") && len(begins) > 0 && begins[0] == "try" {
			text = rowOf("try", word) // elsewhere for is a loop, and or is nothing
		} else {
			text = describeWord(word)
		}
	}
	if text == "" {
		return nil, nil
	}
	return object{"contents": object{"kind": "markdown", "value": text}}, nil
}

// wordAt is the word around an offset: a name, an operator with its dots, or one of
// the shell's own values.
func (d *document) wordAt(offset int) string {
	inside := func(i int) bool {
		return i >= 0 && i < len(d.text) && (isNameByte(d.text[i]) || d.text[i] == '.')
	}
	begin, end := offset, offset
	for inside(begin - 1) {
		begin--
	}
	for inside(end) {
		end++
	}
	return d.text[begin:end]
}

func isNameByte(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// describeName shows the lines that set or define a name, with the comment before them.
func (d *document) describeName(m *mention) string {
	var text strings.Builder
	for i := range d.symbols {
		other := &d.symbols[i]
		if !other.isSame(m) || !other.defines {
			continue
		}
		line := newLines(other.source.Text).positionOf(other.begin).Line
		source := strings.TrimSpace(other.source.Line(line + 1))
		fmt.Fprintf(&text, "```ftsh\n%s\n```\n", source)
		if other.kind == function || other.kind == resource {
			text.WriteString(commentOf(other.stmt))
		}
		if other.source != d.file.Source {
			fmt.Fprintf(&text, "in %s\n", other.source.Name)
		}
		if text.Len() > 1000 {
			break
		}
	}
	if text.Len() == 0 && m.kind == variable {
		return "`" + m.name + "` is set by nothing here; it may come from the environment."
	}
	return text.String()
}

// commentOf is the text of the comment before a statement.
func commentOf(s *ast.Stmt) string {
	var text strings.Builder
	for _, c := range s.Before {
		if c.Blank {
			text.Reset()
		}
		text.WriteString(strings.TrimPrefix(strings.TrimPrefix(c.Text, "#"), " ") + "\n")
	}
	return text.String()
}

// describeWord returns what the manual says of a word of the language; "" if nothing.
func describeWord(word string) string {
	pages := []string{"expressions", "failures", "try", "limits", "loops", "submission", "variables"}
	switch {
	case interp.IsBuiltin(word):
		pages = []string{"builtins"}
	case slices.Contains(backoff.Policies(), word):
		pages = []string{"backoff"}
	case manual.TopicOf(word) != "":
		page := manual.TopicOf(word)
		switch {
		case slices.Contains(ast.BackoffSettings(), word):
			pages = []string{"backoff"}
		case !slices.Contains(clauses, word):
			return openingOf(page)
		case rowOf(page, word) != "":
			return rowOf(page, word)
		default:
			return paragraph(page, word)
		}
	case !strings.Contains(word, ".") && !slices.Contains(ast.Kinds(), word):
		return ""
	}
	for _, page := range pages {
		if text := rowOf(page, word); text != "" {
			return text
		}
	}
	return ""
}

// clauses are the words of a try that have a text of their own in the manual.
var clauses = []string{"each", "every", "times", "only", "except", "matching", "unknown", "via", "key", "backoff"}

// paragraph is the first paragraph of a page that names a word as code; else the page's opening.
func paragraph(page, word string) string {
	text, _ := manual.Page(page)
	for part := range strings.SplitSeq(text, "\n\n") {
		if strings.HasPrefix(part, "```") || strings.HasPrefix(part, "|") || strings.HasPrefix(part, "#") {
			continue
		}
		if strings.Contains(part, "`"+word+"`") || strings.Contains(part, "`"+word+" ") {
			return strings.TrimSpace(part) + "\n\n`ftsh --manual " + page + "`"
		}
	}
	return openingOf(page)
}

// openingOf is the title of a page and what stands up to its first section.
func openingOf(page string) string {
	text, found := manual.Page(page)
	if !found {
		return ""
	}
	before, _, _ := strings.Cut(text, "\n## ")
	const most = 1200
	if len(before) > most {
		cut := strings.LastIndex(before[:most], "\n\n")
		before = before[:max(cut, 0)]
		if strings.Count(before, "```")%2 == 1 {
			before += "\n```"
		}
	}
	return strings.TrimPrefix(before, "# ") + "\n\n" + "`ftsh --manual " + page + "`"
}

// rowOf is the row of a page's table whose first cell names a word; "" if there is none.
func rowOf(page, word string) string {
	text, found := manual.Page(page)
	if !found {
		return ""
	}
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		if !strings.HasPrefix(line, "| `") || !namesWord(cells[0], word) {
			continue
		}
		out := strings.TrimSpace(cells[0])
		for _, cell := range cells[1:] {
			if cell = strings.TrimSpace(cell); cell != "" {
				out += "\n\n" + cell
			}
		}
		return out + "\n\n`ftsh --manual " + page + "`"
	}
	return ""
}

// namesWord reports whether a cell has a word as the first in one of its pieces of code.
func namesWord(cell, word string) bool {
	for i, code := range strings.Split(cell, "`") {
		first, _, _ := strings.Cut(strings.Trim(code, "${}"), " ")
		if i%2 == 1 && (first == word || strings.Contains(" "+code+" ", " "+word+" ")) {
			return true
		}
	}
	return false
}
