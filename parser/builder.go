package parser

import (
	"strconv"
	"strings"

	"ftsh/ast"
	"ftsh/ast/diag"
	"ftsh/lexer"
)

// builder makes the tree of one text out of what the grammar read.
type builder struct {
	*program
	src    *ast.Source
	margin margin   // comments of the group that is being made
	tokens []token  // of the unit
	seen   int      // how many of them were searched for declarations
	locals []string // of the function that is being made
	inside *token   // that function's keyword; nil outside of one
	depth  int      // how many blocks are open

	splitting splitter    // for one word after the other
	scratch   []*ast.Word // for one command after the other
	slabs
}

func (b *builder) pos(t *token) ast.Pos {
	return ast.Pos{Source: b.src, Offset: int32(t.Pos.Offset), Line: int32(t.Pos.Line), Column: int32(t.Pos.Column)}
}

func (b *builder) errorf(pos ast.Pos, format string, args ...any) *diag.Error {
	e := diag.Errorf(pos, format, args...)
	b.errors = append(b.errors, e)
	return e
}

// entries adds statements and the comments between them to the group that is being made.
func (b *builder) entries(g *group) {
	if g.opening != nil {
		b.margin.newline(g.opening.Value)
	}
	for i := range g.entries {
		e := &g.entries[i]
		if e.statement != nil {
			b.margin.add(b.statement(e))
		}
		if e.after != nil {
			b.margin.newline(e.after.Value)
		}
	}
}

// statement makes one statement.
func (b *builder) statement(e *entry) ast.Stmt {
	s := ast.Stmt{Pos: b.pos(e.first)}
	end := endOf(e.statement)
	if end == nil {
		s.Node = e.statement.node(b, e.first)
		return s
	}
	outside := b.margin
	b.depth++
	s.Node = e.statement.node(b, e.first)
	b.depth--
	b.margin = outside
	s.Redirects = b.ending(end, e)
	b.unredirected(&s)
	return s
}

// endOf is the end of a statement that has one.
func endOf(s statement) *end {
	switch s := s.(type) {
	case *try:
		return &s.Frame.end
	case *loop:
		return &s.Frame.end
	case *while:
		return &s.Frame.end
	case *conditional:
		return &s.Frame.end
	case *function:
		return &s.Frame.end
	case *resource:
		return &s.Frame.end
	case *sense:
		return &s.Frame.end
	case *later:
		return &s.block.end
	}
	return nil
}

// bad is the line of a statement that could not be read.
func (b *builder) bad(first *token) *ast.Bad {
	line, _, _ := strings.Cut(b.src.Text[first.Pos.Offset:], "\n")
	return &ast.Bad{Text: strings.TrimSuffix(line, "\r")}
}

// group makes the statements of a block.
func (b *builder) group(g *group) ast.Group {
	group := ast.Group{List: make([]ast.Stmt, 0, len(g.entries))}
	b.margin = margin{}
	b.margin.begin(&group, false)
	b.entries(g)
	b.margin.finish()
	return group
}

// ending checks the end of a block, and returns the redirections after it.
func (b *builder) ending(e *end, of *entry) []*ast.Redirect {
	if e.word.Type == lexer.Missing {
		b.missingEnd(e.word, of.first, of.statement)
		return nil
	}
	r := e.rest.get(b, e.word)
	if r == nil || len(r.tokens) == 0 {
		return nil
	}
	return b.command(&r.phrase).Redirects
}

// variable numbers a mention of a variable.
func (b *builder) variable(name string) ast.Var {
	v := ast.Var{Name: name, Number: b.names.Number(name)}
	for i, local := range b.locals {
		if local == name {
			v.Local = i + 1
		}
	}
	return v
}

// isName tells whether a text can be the name of a variable or a function.
func isName(s string) bool {
	for i := 0; i < len(s); i++ {
		if !isLetter(s[i]) && (!isDigit(s[i]) || i == 0) {
			return false
		}
	}
	return s != ""
}

func isLetter(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' }

// isInteger tells whether a text is an integer as the shell prints it, and which.
func isInteger(s string) (int64, bool) {
	digits := strings.TrimPrefix(s, "-")
	if digits == "" || !isDigits(digits) || digits[0] == '0' && s != "0" {
		return 0, false
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return 0, false
	}
	return n, true
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// comments are those in what stands between two stages of a pipeline.
func comments(bar string) (list []ast.Comment) {
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
