package parser

import (
	"strings"

	"ftsh/ast"
)

// margin gathers the comments and blank lines around the statements of a group.
type margin struct {
	group  *ast.Group
	stmts  *[]ast.Stmt   // where its statements are gathered
	begin  int           // the first of them there
	own    bool          // the next text stands on a line of its own, not after a statement
	before []ast.Comment // in front of the next statement; of the end, if none comes
	blank  bool
}

// takeNewline takes up what stands between two statements.
func (m *margin) takeNewline(text string) {
	if n := strings.IndexByte(text, '\n'); !m.own && n >= 0 &&
		strings.IndexByte(text, '#') < 0 && strings.IndexByte(text[n+1:], '\n') < 0 {
		m.own = true // most are no more than a newline and an indentation
		return
	}
	for text != "" {
		line, rest, ended := strings.Cut(text, "\n")
		text = rest
		line = strings.TrimRight(strings.TrimLeft(line, " \t\r;"), " \t\r")
		switch {
		case strings.HasPrefix(line, "#"):
			m.addComment(line)
		case line == "" && m.own && ended:
			m.blank = true
		}
		m.own = m.own || ended
	}
}

func (m *margin) addComment(text string) {
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
