package lexer

import "github.com/alecthomas/participle/v2/lexer"

// Command returns the tokens of the command or pipeline that begins at a place in a text, as it stands in
// ${ command }, with EOF at their end; and reports whether it goes on to the end of the text.
func Command(text string, at lexer.Position) (tokens []lexer.Token, whole bool) {
	l := &Lexer{text: text, pos: at.Offset, mark: at, begun: true}
	l.readBetween()
	l.readLine(arguments)
	whole = l.pos == len(text)
	l.closeOpen()
	l.addToken(lexer.EOF, "", l.pos)
	return l.tokens, whole
}
