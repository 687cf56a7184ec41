package parser

import (
	"strings"

	"ftsh/ast"
)

// margin gathers the comments and blank lines around the statements of a group.
type margin struct {
	group  *ast.Group
	stmts  *[]ast.Stmt // where its statements are gathered
	begin  int         // the first of them there
	own    bool        // the next text stands on a line of its own, not after a statement
	before []ast.Comment
	blank  bool
}

// add puts a statement into the group, with the comments before it.
func (m *margin) add(s ast.Stmt) {
	s.Before, s.Blank = m.before, m.blank
	*m.stmts = append(*m.stmts, s)
	m.before, m.blank, m.own = nil, false, false
}

// finish leaves the comments after the last statement with the group.
func (m *margin) finish() { m.group.Tail, m.before = m.before, nil }

// newline takes up what stands between two statements.
func (m *margin) newline(text string) {
	if n := strings.IndexByte(text, '\n'); !m.own && n >= 0 && strings.IndexByte(text, '#') < 0 && strings.IndexByte(text[n+1:], '\n') < 0 {
		m.own = true // most are no more than a newline and an indentation
		return
	}
	for text != "" {
		line, rest, ended := strings.Cut(text, "\n")
		text = rest
		line = content(line)
		switch {
		case strings.HasPrefix(line, "#"):
			m.comment(line)
		case line == "" && m.own && ended:
			m.blank = true
		}
		m.own = m.own || ended
	}
}

// content is what a line has besides blanks and semicolons.
func content(line string) string {
	for line != "" && strings.IndexByte(" \t\r;", line[0]) >= 0 {
		line = line[1:]
	}
	if line != "" {
		line = strings.TrimRight(line, " \t\r")
	}
	return line
}

func (m *margin) comment(text string) {
	switch n := len(*m.stmts); {
	case m.own:
		m.before = append(m.before, ast.Comment{Text: text, Blank: m.blank})
		m.blank = false
	case n > m.begin:
		(*m.stmts)[n-1].After = text
	default:
		m.group.After = text
	}
}
