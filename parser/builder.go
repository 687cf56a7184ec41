package parser

import (
	"strconv"
	"strings"

	"ftsh/ast"
	"ftsh/ast/diag"
)

// builder reads the tree of one text.
type builder struct {
	*program
	src    *ast.Source
	margin margin   // comments of the group that is being made
	tokens []token  // of the unit
	i      int      // the next of them
	line   line     // as participle sees them
	seen   int      // how many of them were searched for declarations
	locals []string // of the function that is being made
	inside *token   // that function's keyword; nil outside of one
	depth  int      // how many blocks are open
	around around   // which of them a statement can leave

	unopened int // how many blocks stand where none can begin; their ends close nothing

	splitting splitter // for one word after the other
	whole     bool     // of the words of a when
	starting  bool     // in on start
	// atStatement: the command being read is a whole statement, as far as is known yet.
	atStatement bool
	scratch     []*ast.Word // for one command after the other
	pending     []ast.Stmt  // of the groups that are being made
}

func (b *builder) posOf(t *token) ast.Pos {
	return ast.Pos{Source: b.src, Offset: int32(t.Pos.Offset), Line: int32(t.Pos.Line), Column: int32(t.Pos.Column)}
}

func (b *builder) errorf(pos ast.Pos, format string, args ...any) *diag.Error {
	e := diag.Errorf(pos, format, args...)
	b.errors = append(b.errors, e)
	return e
}

// numberVariable numbers a mention of a variable.
func (b *builder) numberVariable(name string) ast.Var {
	v := ast.Var{Name: name, Number: b.names.Number(name)}
	for i, local := range b.locals {
		if local == name {
			v.Local = i + 1
		}
	}
	return v
}

func isLetter(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' }

// isInteger reports whether a text is an integer as the shell prints it, and which.
func isInteger(s string) (int64, bool) {
	if s == "" || s[0] > '9' || s[0] < '0' && s[0] != '-' { // as most words are
		return 0, false
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || strconv.FormatInt(n, 10) != s {
		return 0, false
	}
	return n, true
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// commentsIn returns the comments between two stages of a pipeline.
func commentsIn(bar string) (list []ast.Comment) {
	if !strings.Contains(bar, "#") {
		return nil
	}
	for line := range strings.Lines(bar) {
		if n := strings.IndexByte(line, '#'); n >= 0 {
			list = append(list, ast.Comment{Text: strings.TrimRight(line[n:], " \t\r\n")})
		}
	}
	return list
}
