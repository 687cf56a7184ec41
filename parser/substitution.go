package parser

import (
	"strings"

	plex "github.com/alecthomas/participle/v2/lexer"

	"ftsh/ast"
	"ftsh/lexer"
	"ftsh/lexer/quote"
)

// readOutput makes a ${ command } of its piece.
func (s *splitter) readOutput(p quote.Piece, style ast.Quote) {
	output := &ast.Output{Pos: s.positionOf(p.Begin), Quote: style}
	s.parts = append(s.parts, output)
	if s.scan.Cut || s.scan.Broken { // in a here-document
		if s.scan.TooDeep {
			s.fail(output.Pos, "${ … } nested more than 100 deep")
		} else {
			s.fail(output.Pos, "${ is not closed by a }")
		}
		return
	}
	from := s.positionOf(p.Begin + 2)
	output.Node = s.b.commandIn(output.Pos, from, s.positionOf(p.End-1).Offset)
}

// commandIn reads the command or pipeline between the braces that open at a place.
func (b *builder) commandIn(open, from ast.Pos, end int32) ast.Node {
	at := plex.Position{Offset: int(from.Offset), Line: int(from.Line), Column: int(from.Column)}
	tokens, whole := lexer.Command(b.src.Text[:end], at)
	joinLines(tokens)
	inner := &builder{program: b.program, src: b.src, tokens: tokens, locals: b.locals, inside: b.inside,
		depth: b.depth + 1, around: b.around}
	for i := range tokens {
		switch t := &tokens[i]; {
		case (t.Type == lexer.Newline || t.Type == lexer.Bar) && strings.Contains(t.Value, "#"):
			b.errorf(b.posOf(t), "a comment in ${ … }; put it before the statement")
			return nil
		case t.Type == lexer.Redirect && strings.HasPrefix(strings.TrimLeft(t.Value, "0123456789"), "<<"):
			b.errorf(b.posOf(t), "a here-document in ${ … }; put the command into a function")
			return nil
		}
	}
	if inner.peekToken().Type == lexer.Newline {
		inner.nextToken()
	}
	first := inner.peekToken()
	if first.EOF() {
		b.errorf(open, "an empty ${ }; a command stands in it:  ${ date +%%F }")
		return nil
	}
	node, ok := readRest(inner, first, (*builder).readPipeline)
	if !ok {
		return nil
	}
	inner.onlyCommand(first)
	if c, is := node.(*ast.Command); is && len(c.Words) == 0 {
		b.errorf(open, "no command in ${ … }, only redirections; a file is read by  ${ cat FILE }")
		return nil
	}
	if inner.peekToken().Type == lexer.Newline {
		inner.nextToken()
	}
	if next := inner.peekToken(); !next.EOF() || !whole {
		b.errorf(b.posOf(next), "a second command in ${ … }, where one command or pipeline stands; put them into a function")
	}
	b.refuseCaptures((&ast.Output{Node: node}).Stages())
	return node
}

// refuseCaptures reports redirections to variables in a ${ command }, which runs apart.
func (b *builder) refuseCaptures(stages []*ast.Command) {
	for _, stage := range stages {
		for _, r := range stage.Redirects {
			if r.Op.Captures() {
				b.errorf(r.Pos, "%s in ${ … }, which changes no variable; what it writes to standard output is its value", r.Op)
			}
		}
	}
}
