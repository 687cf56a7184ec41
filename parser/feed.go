package parser

import (
	plex "github.com/alecthomas/participle/v2/lexer"

	"ftsh/lexer"
)

// feed hands the tokens of one unit after the other to participle. It keeps the
// storage: making a PeekingLexer anew for each unit is a quarter of all memory
// that parsing takes. So tokens of a unit are gone when the next one is read.
type feed struct {
	lex   *plex.PeekingLexer
	start plex.Checkpoint
	room  int
}

// unit returns the next unit's tokens.
func (f *feed) unit(lx *lexer.Lexer) *plex.PeekingLexer {
	tokens := lx.Unit()
	if len(tokens) > f.room {
		f.grow(2 * len(tokens))
	}
	f.lex.LoadCheckpoint(f.start)
	copy(f.lex.Range(0, plex.RawCursor(f.room)), tokens)
	return f.lex
}

// grow makes a PeekingLexer with room for so many tokens.
func (f *feed) grow(room int) {
	f.room = room
	// The error is that of the source, which has none.
	f.lex, _ = plex.Upgrade((*blank)(&room))
	f.start = f.lex.MakeCheckpoint()
}

// blank is a source of so many empty tokens.
type blank int

func (n *blank) Next() (plex.Token, error) {
	if *n--; *n >= 0 {
		return plex.Token{}, nil
	}
	return plex.EOFToken(plex.Position{}), nil
}
