package parser

import (
	plex "github.com/alecthomas/participle/v2/lexer"

	"ftsh/ast"
)

// What the language has and this version does not run yet. It is read, so that
// the rest of a script is checked, and reported. When one of them comes, its call
// of notYet goes, and with the last of them this file.

// notYet reports it: on ENGINE.
func (b *builder) notYet(t *token, what string) {
	b.errorf(b.pos(t), "%s is not available yet", what)
}

// later is a statement of which only the end is looked for: on.
type later struct {
	block block
}

// enterLater reads it.
func enterLater(lex *plex.PeekingLexer) (statement, error) {
	s := &later{}
	for lex.Next(); !endsLine(lex.Peek()); {
		lex.Next()
	}
	return s, s.block.Parse(lex)
}

func (s *later) node(b *builder, first *token) ast.Node {
	b.notYet(first, first.Value)
	return b.bad(first)
}
