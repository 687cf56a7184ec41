package repl

import "ftsh/lexer"

// token is one of the lexer's tokens.
type token struct {
	kind int
	text string // what the lexer says of it, mostly the text itself
	at   int    // where it begins
}

// The kinds of token. (The lexer's type for them is one of the grammar library,
// which this room does not know.)
const (
	tokenEOF        = -1
	tokenKeyword    = int(lexer.Keyword)
	tokenClause     = int(lexer.Clause)
	tokenUnit       = int(lexer.Unit)
	tokenWord       = int(lexer.Word)
	tokenAssign     = int(lexer.Assign)
	tokenCall       = int(lexer.Call)
	tokenOperator   = int(lexer.Operator)
	tokenMark       = int(lexer.Mark)
	tokenRedirect   = int(lexer.Redirect)
	tokenDocument   = int(lexer.Document)
	tokenBar        = int(lexer.Bar)
	tokenNewline    = int(lexer.Newline)
	tokenMissing    = int(lexer.Missing)
	tokenInvalid    = int(lexer.Invalid)
	tokenUnfinished = int(lexer.Unfinished)
)

// tokens calls yield for each token of a text that is typed at a prompt.
func tokens(text string, yield func(t token)) {
	for lex := lexer.New(text, true); lex.More(); {
		for {
			t, _ := lex.Next() // its error is always nil
			if int(t.Type) == tokenEOF {
				break
			}
			yield(token{int(t.Type), t.Value, t.Pos.Offset})
		}
	}
}
