package parser

import (
	"errors"

	"github.com/alecthomas/participle/v2"
	plex "github.com/alecthomas/participle/v2/lexer"

	"ftsh/lexer"
)

// fault is a token that does not fit, or an error of a leaf.
type fault struct {
	Token   token
	Before  token // the one before it on its line, if any
	message string
}

func (f *fault) Error() string { return f.message }

// located makes a fault of an error that participle returned.
func located(err error, lex *plex.PeekingLexer, start plex.RawCursor) *fault {
	f, ok := err.(*fault)
	if !ok {
		f = &fault{}
		var unexpected *participle.UnexpectedTokenError
		if errors.As(err, &unexpected) {
			f.Token = unexpected.Unexpected
		} else {
			f.Token, f.message = *lex.Peek(), "too many parts in one statement"
		}
	}
	skipLine(lex)
	for _, t := range lex.Range(start, lex.RawCursor()) {
		if t.Pos.Offset >= f.Token.Pos.Offset {
			break
		}
		f.Before = t
	}
	return f
}

// report turns a fault into an error for people.
func (b *builder) report(err error, first *token) {
	f := err.(*fault)
	t := &f.Token
	if t.Type == lexer.Invalid {
		b.errorf(b.pos(t), "%s", t.Value)
		return
	}
	b.errorf(b.pos(t), "unexpected %q", t.Value)
	if t.Type == lexer.Unfinished || t.EOF() {
		e := b.errors[len(b.errors)-1]
		e.Incomplete, e.Open = true, t.Value
	}
}

// missingEnd reports a statement without its end.
func (b *builder) missingEnd(missing, first *token) {
	b.errorf(b.pos(first), "%s has no end", first.Value)
	e := b.errors[len(b.errors)-1]
	e.Incomplete, e.Open = true, first.Value
}

func (b *builder) notYet(t *token) {
	b.errorf(b.pos(t), "%s is not available yet", t.Value)
}

type habit struct{}
