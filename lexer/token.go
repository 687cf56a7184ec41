package lexer

import (
	"io"

	"github.com/alecthomas/participle/v2/lexer"
)

// Type is the type of a token, for those who do not know participle.
type Type = lexer.TokenType

// The types of token. EOF is participle's own.
const (
	Keyword    Type = iota + 1 // try, end, "else if" … where a statement may begin
	Clause                     // a word of a statement's first line: in, for, every, `try` after `if`
	Unit                       // a unit of time in such a line: minutes
	Word                       // any other word, as written
	Assign                     // name= ; the value is the name
	Call                       // name( ; the value is the name
	Operator                   // .add. and any other word of that shape, in an expression
	Mark                       // ( ) , in an expression
	Redirect                   // 2>> -> <<- … as written
	Document                   // the body of a here-document, as written
	Bar                        // | or |&, and the lines up to the next stage
	Newline                    // what stands between two statements
	Missing                    // an `end` that is not there; the value may say why
	Invalid                    // the value says what is wrong
	Unfinished                 // the text ends inside of what the value names: ", ${, << EOT
)

// symbols names the types of token for grammars.
var symbols = map[string]lexer.TokenType{
	"EOF": lexer.EOF, "Keyword": Keyword, "Clause": Clause, "Unit": Unit, "Word": Word, "Assign": Assign,
	"Call": Call, "Operator": Operator, "Mark": Mark, "Redirect": Redirect, "Document": Document, "Bar": Bar,
	"Newline": Newline, "Missing": Missing, "Invalid": Invalid, "Unfinished": Unfinished,
}

// Definition is what participle needs to build a parser over these tokens.
type Definition struct{}

// Symbols implements lexer.Definition.
func (Definition) Symbols() map[string]lexer.TokenType { return symbols }

// Lex reads a whole text and returns a lexer for it; the file's name is not used.
func (Definition) Lex(_ string, r io.Reader) (lexer.Lexer, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	return New(string(text), false), nil
}
