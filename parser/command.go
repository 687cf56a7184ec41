package parser

import (
	"slices"
	"strings"

	"ftsh/ast"
	"ftsh/lexer"
)

// readPipeline reads a command, or several with bars between. Comments after a bar move
// before the statement.
func (b *builder) readPipeline() (ast.Node, error) {
	start := b.i
	first, err := b.readCommand()
	if err != nil {
		return nil, err
	}
	b.noteHabit(&b.tokens[start], first)
	b.atStatement = false
	if b.peekToken().Type != lexer.Bar {
		return first, nil
	}
	p := &ast.Pipeline{Stages: []*ast.Command{first}}
	for b.peekToken().Type == lexer.Bar {
		bar := b.nextToken().Value
		begin := b.peekToken()
		stage, err := b.readCommand()
		if err != nil {
			return nil, err
		}
		b.noteHabit(begin, stage)
		b.noBlock(begin)
		p.Joins = append(p.Joins, ast.Join{Stderr: strings.HasPrefix(bar, "|&"), Broken: strings.Contains(bar, "\n")})
		p.Stages = append(p.Stages, stage)
		b.margin.before = append(b.margin.before, commentsIn(bar)...)
	}
	return p, nil
}

// readAssignment reads NAME=[EXPR].
func (b *builder) readAssignment() (ast.Node, error) {
	name := b.nextToken().Value
	x, err := b.readExpression()
	return &ast.Assign{Var: b.numberVariable(name), Value: x}, err
}

// readCommand reads a simple command: words and redirections.
func (b *builder) readCommand() (*ast.Command, error) {
	first := b.peekToken()
	c := &ast.Command{}
	words := b.scratch[:0]
	for {
		switch t := b.peekToken(); t.Type {
		case lexer.Word:
			words = append(words, b.splitWord(b.nextToken(), true))
			continue
		case lexer.Redirect:
			r, err := b.readRedirect()
			if err != nil {
				return nil, err
			}
			c.Redirects = append(c.Redirects, r)
			continue
		}
		break
	}
	if first == b.peekToken() {
		return nil, b.wantedHere("a command")
	}
	c.Pos = b.posOf(first)
	c.Words, b.scratch = slices.Clone(words), words
	return c, nil
}

// redirections reads what may follow the end of a block.
func (b *builder) redirections() (*ast.Command, error) {
	c := &ast.Command{}
	for b.peekToken().Type == lexer.Redirect {
		r, err := b.readRedirect()
		if err != nil {
			return nil, err
		}
		c.Redirects = append(c.Redirects, r)
	}
	return c, nil
}

// readRedirect reads a redirection: its operator, and what stands after it.
func (b *builder) readRedirect() (*ast.Redirect, error) {
	operator := b.nextToken()
	r := &ast.Redirect{Pos: b.posOf(operator), FD: -1}
	text := operator.Value
	if digit := text[0] - '0'; digit <= 9 {
		r.FD, text = int(digit), text[1:]
	}
	r.SetOperator(text)
	word := b.peekToken()
	if word.Type != lexer.Word {
		return nil, b.wantedHere(targetOf(r.Op) + " after " + operator.Value)
	}
	b.nextToken()
	switch r.Op {
	case ast.Both, ast.AppendBoth, ast.DupIn:
		b.descriptor(r, operator, word)
	case ast.ToVar, ast.AppendVar, ast.BothVar, ast.AppendBothVar, ast.FromVar:
		b.literalName(word, operator.Value)
		r.Var = b.numberVariable(word.Value)
	case ast.Here, ast.HereTabs:
		r.Target = b.splitWord(word, false)
		if _, literal := r.Target.Literal(); !literal {
			b.errorf(b.posOf(word), "the word after %s is taken as it is written; "+
				"leave out the $, or quote it with '", operator.Value)
		}
		if b.peekToken().Type != lexer.Document {
			return nil, b.wantedHere("")
		}
		r.Body = b.splitDocument(b.nextToken(), r)
	default:
		r.Target = b.splitWord(word, false)
	}
	return r, nil
}

// descriptor decides what stands after >&, >>& or <&: a descriptor, if it is one
// digit, or else a file for both outputs.
func (b *builder) descriptor(r *ast.Redirect, operator, word *token) {
	op, digit := operator.Value, len(word.Value) == 1 && isDigit(word.Value[0])
	switch {
	case word.Value == "-" && r.Op != ast.AppendBoth && !strings.HasPrefix(op, "&"):
		b.errorf(b.posOf(word), "%s- is not known here; a descriptor cannot be closed, send it to /dev/null", op)
	case digit && strings.HasSuffix(op, ">&") && r.Op == ast.Both:
		r.Op, r.Dup = ast.DupOut, int(word.Value[0]-'0')
	case digit && r.Op == ast.DupIn:
		r.Dup = int(word.Value[0] - '0')
	case digit && r.Op == ast.AppendBoth && strings.HasSuffix(op, "&"):
		b.errorf(b.posOf(word), "%s takes a file; to duplicate a descriptor write >&%s, and ./%s for a file of that name",
			op, word.Value, word.Value)
	case r.Op == ast.DupIn, r.FD >= 0:
		b.errorf(b.posOf(word), "expected one digit after %s, not %s", op, quoteSource(word.Value))
	default:
		r.Target = b.splitWord(word, false)
	}
}

// literalName reports a word that is not literally the name of a variable.
func (b *builder) literalName(word *token, after string) {
	if ast.IsName(word.Value) {
		return
	}
	name := strings.TrimPrefix(word.Value, "$")
	if ast.IsName(name) {
		b.errorf(b.posOf(word), "a name after %s is literal: write %s, not $%s", after, name, name)
		return
	}
	b.errorf(b.posOf(word), "expected the name of a variable after %s, not %s", after, quoteSource(word.Value))
}

// targetOf says what stands after a redirection's operator.
func targetOf(op ast.RedirectOp) string {
	switch op {
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
