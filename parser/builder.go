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
	file   *ast.File
	margin margin   // comments of the group that is being made
	tokens []token  // of the unit
	locals []string // of the function that is being made
	inside *token   // the function's keyword; nil outside of one
	depth  int      // how many statements are open around
}

func (b *builder) pos(t *token) ast.Pos {
	return ast.Pos{Source: b.src, Offset: int32(t.Pos.Offset), Line: int32(t.Pos.Line), Column: int32(t.Pos.Column)}
}

func (b *builder) errorf(pos ast.Pos, format string, args ...any) {
	b.errors = append(b.errors, diag.Errorf(pos, format, args...))
}

// entry adds one statement, or what stands in its place, to the group.
func (b *builder) entry(e *entry) {
	if e.first.Type == lexer.Newline {
		b.margin.newline(e.first.Value)
		return
	}
	s := ast.Stmt{Pos: b.pos(e.first)}
	if e.fault != nil {
		b.report(e.fault, e.first)
		s.Node = &ast.Bad{}
		b.margin.add(s)
		return
	}
	if blocky, ok := e.statement.(interface{ ending() *end }); ok {
		m := b.margin
		b.depth++
		s.Node = e.statement.node(b, e.first)
		b.depth--
		b.margin = m
		s.Redirects = b.ending(blocky.ending(), e.first)
	} else {
		s.Node = e.statement.node(b, e.first)
	}
	b.margin.add(s)
}

func (s *block) ending() *end { return &s.End }

// group makes the statements of a block.
func (b *builder) group(g *group) ast.Group {
	var group ast.Group
	b.margin = margin{}
	b.margin.begin(&group, false)
	for i := range g.entries {
		b.entry(&g.entries[i])
	}
	b.margin.finish()
	return group
}

// ending checks the end of a block and returns the redirections after it.
func (b *builder) ending(e *end, first *token) []*ast.Redirect {
	if e.word.Type == lexer.Missing {
		b.missingEnd(e.word, first)
		return nil
	}
	if e.fault != nil {
		b.report(e.fault, e.word)
		return nil
	}
	if e.phrase == nil {
		return nil
	}
	c := b.command(e.phrase)
	if len(c.Words) > 0 {
		b.errorf(c.Words[0].Pos, "only redirections may follow end")
	}
	return c.Redirects
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

// command makes a simple command.
func (b *builder) command(p *phrase) *ast.Command {
	c := &ast.Command{Pos: b.pos(&p.tokens[0])}
	for i := 0; i < len(p.tokens); i++ {
		t := &p.tokens[i]
		if t.Type == lexer.Word {
			c.Words = append(c.Words, b.word(t, true))
			continue
		}
		r := b.redirect(t, &p.tokens[i+1])
		i++
		if r.Op == ast.Here || r.Op == ast.HereTabs {
			i++
			r.Body = b.document(&p.tokens[i], r)
		}
		c.Redirects = append(c.Redirects, r)
	}
	return c
}

func (b *builder) join(bar *token) ast.Join {
	return ast.Join{Stderr: strings.HasPrefix(bar.Value, "|&"), Broken: strings.Contains(bar.Value, "\n")}
}

// redirect makes a redirection of its operator and the word after it.
func (b *builder) redirect(op, word *token) *ast.Redirect {
	r := &ast.Redirect{Pos: b.pos(op), FD: -1}
	text := op.Value
	if c := text[0]; c >= '0' && c <= '9' {
		r.FD, text = int(c-'0'), text[1:]
	}
	digit := len(word.Value) == 1 && word.Value[0] >= '0' && word.Value[0] <= '9'
	switch text {
	case ">&":
		r.Op = ast.Both
		if digit {
			r.Op, r.Dup = ast.DupOut, int(word.Value[0]-'0')
			return r
		}
		if r.FD >= 0 {
			b.errorf(b.pos(word), "%s needs a descriptor, one digit, after it", op.Value)
		}
	case "<&":
		r.Op = ast.DupIn
		if !digit {
			b.errorf(b.pos(word), "%s needs a descriptor, one digit, after it", op.Value)
			return r
		}
		r.Dup = int(word.Value[0] - '0')
		return r
	default:
		r.Op = redirectOp(text)
	}
	switch r.Op {
	case ast.ToVar, ast.AppendVar, ast.BothVar, ast.AppendBothVar, ast.FromVar:
		if !isName(word.Value) {
			b.errorf(b.pos(word), "%s needs the name of a variable after it", op.Value)
			return r
		}
		r.Var = b.variable(word.Value)
	default:
		r.Target = b.word(word, false)
	}
	return r
}

func redirectOp(text string) ast.RedirectOp {
	switch text {
	case "<":
		return ast.In
	case ">":
		return ast.Out
	case ">>":
		return ast.Append
	case "=>":
		return ast.Atomic
	case "&>":
		return ast.Both
	case ">>&", "&>>":
		return ast.AppendBoth
	case "->":
		return ast.ToVar
	case "->>":
		return ast.AppendVar
	case "->&":
		return ast.BothVar
	case "->>&":
		return ast.AppendBothVar
	case "-<":
		return ast.FromVar
	case "<<":
		return ast.Here
	}
	return ast.HereTabs
}

func isName(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if !isLetter(c) && (c < '0' || c > '9' || i == 0) {
			return false
		}
	}
	return s != ""
}

func isLetter(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' }

// isInteger tells whether a text is an integer as the shell prints it.
func isInteger(s string) (int64, bool) {
	digits := strings.TrimPrefix(s, "-")
	if digits == "" || digits[0] < '0' || digits[0] > '9' || digits[0] == '0' && s != "0" {
		return 0, false
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil
}
