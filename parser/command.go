package parser

import (
	"slices"
	"strings"

	"ftsh/ast"
	"ftsh/lexer"
)

// pipeline reads a command, or several with bars between. Comments after a bar move
// before the statement.
func (b *builder) pipeline() (ast.Node, error) {
	start := b.i
	first, err := b.command()
	if err != nil {
		return nil, err
	}
	b.habit(&b.tokens[start], first)
	if b.peek().Type != lexer.Bar {
		return first, nil
	}
	p := &ast.Pipeline{Stages: []*ast.Command{first}}
	for b.peek().Type == lexer.Bar {
		bar := b.next().Value
		begin := b.peek()
		stage, err := b.command()
		if err != nil {
			return nil, err
		}
		b.habit(begin, stage)
		b.noBlock(begin)
		p.Joins = append(p.Joins, ast.Join{Stderr: strings.HasPrefix(bar, "|&"), Broken: strings.Contains(bar, "\n")})
		p.Stages = append(p.Stages, stage)
		b.margin.before = append(b.margin.before, comments(bar)...)
	}
	return p, nil
}

// assign reads NAME=[EXPR].
func (b *builder) assign() (ast.Node, error) {
	name := b.next().Value
	x, err := b.value()
	return &ast.Assign{Var: b.variable(name), Value: x}, err
}

// command reads a simple command: words and redirections.
func (b *builder) command() (*ast.Command, error) {
	first := b.peek()
	c := &ast.Command{}
	words := b.scratch[:0]
	for {
		switch t := b.peek(); t.Type {
		case lexer.Word:
			words = append(words, b.word(b.next(), true))
			continue
		case lexer.Redirect:
			r, err := b.redirect()
			if err != nil {
				return nil, err
			}
			c.Redirects = append(c.Redirects, r)
			continue
		}
		break
	}
	if first == b.peek() {
		return nil, b.wanted("a command")
	}
	c.Pos = b.pos(first)
	c.Words, b.scratch = slices.Clone(words), words
	return c, nil
}

// redirections reads what may follow the end of a block.
func (b *builder) redirections() (*ast.Command, error) {
	c := &ast.Command{}
	for b.peek().Type == lexer.Redirect {
		r, err := b.redirect()
		if err != nil {
			return nil, err
		}
		c.Redirects = append(c.Redirects, r)
	}
	return c, nil
}

// redirect reads a redirection: its operator, and what stands after it.
func (b *builder) redirect() (*ast.Redirect, error) {
	operator := b.next()
	word := b.peek()
	if word.Type != lexer.Word {
		return nil, b.wanted(targetOf(operator.Value) + " after " + operator.Value)
	}
	b.next()
	r := &ast.Redirect{Pos: b.pos(operator), FD: -1}
	text := operator.Value
	if isDigit(text[0]) {
		r.FD, text = int(text[0]-'0'), text[1:]
	}
	r.Op = redirectOp(text)
	switch r.Op {
	case ast.Both, ast.AppendBoth, ast.DupIn:
		b.descriptor(r, operator, word)
	case ast.ToVar, ast.AppendVar, ast.BothVar, ast.AppendBothVar, ast.FromVar:
		b.literalName(word, operator.Value)
		r.Var = b.variable(word.Value)
	case ast.Here, ast.HereTabs:
		r.Target = b.word(word, false)
		if _, literal := r.Target.Literal(); !literal {
			b.errorf(b.pos(word), "the word after %s is taken as it is written; "+
				"leave out the $, or quote it with '", operator.Value)
		}
		if b.peek().Type != lexer.Document {
			return nil, b.wanted("")
		}
		r.Body = b.document(b.next(), r)
	default:
		r.Target = b.word(word, false)
	}
	return r, nil
}

// descriptor decides what stands after >&, >>& or <&: a descriptor, if it is one
// digit, or else a file for both outputs.
func (b *builder) descriptor(r *ast.Redirect, operator, word *token) {
	op, digit := operator.Value, len(word.Value) == 1 && isDigit(word.Value[0])
	switch {
	case word.Value == "-" && r.Op != ast.AppendBoth && !strings.HasPrefix(op, "&"):
		b.errorf(b.pos(word), "%s- is not known here; a descriptor cannot be closed, send it to /dev/null", op)
	case digit && strings.HasSuffix(op, ">&") && r.Op == ast.Both:
		r.Op, r.Dup = ast.DupOut, int(word.Value[0]-'0')
	case digit && r.Op == ast.DupIn:
		r.Dup = int(word.Value[0] - '0')
	case digit && r.Op == ast.AppendBoth && strings.HasSuffix(op, "&"):
		b.errorf(b.pos(word), "%s takes a file; to duplicate a descriptor write >&%s, and ./%s for a file of that name",
			op, word.Value, word.Value)
	case r.Op == ast.DupIn, r.FD >= 0:
		b.errorf(b.pos(word), "expected one digit after %s, not %s", op, quoted(word.Value))
	default:
		r.Target = b.word(word, false)
	}
}

// literalName sees that a word is the name of a variable, as it stands.
func (b *builder) literalName(word *token, after string) {
	if isName(word.Value) {
		return
	}
	name := strings.TrimPrefix(word.Value, "$")
	if isName(name) {
		b.errorf(b.pos(word), "a name after %s is literal: write %s, not $%s", after, name, name)
		return
	}
	b.errorf(b.pos(word), "expected the name of a variable after %s, not %s", after, quoted(word.Value))
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
	case ">&", "&>":
		return ast.Both
	case ">>&", "&>>":
		return ast.AppendBoth
	case "<&":
		return ast.DupIn
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
	case "<<-":
		return ast.HereTabs
	}
	return ast.Here
}

// targetOf says what stands after a redirection's operator.
func targetOf(operator string) string {
	switch redirectOp(strings.TrimLeft(operator, "0123456789")) {
	case ast.ToVar, ast.AppendVar, ast.BothVar, ast.AppendBothVar, ast.FromVar:
		return "the name of a variable"
	case ast.Here, ast.HereTabs:
		return "the word that ends the here-document"
	case ast.DupIn:
		return "one digit"
	case ast.Both:
		return "a descriptor or a file"
	}
	return "a file"
}
