package parser

import (
	"ftsh/ast"
	"ftsh/lexer"
)

// readPatterns reads what stands after a when.
func (b *builder) readPatterns() (t ast.Test, err error) {
	for !endsLine(b.peekToken()) {
		switch word := b.nextToken(); {
		case word.Type == lexer.Word:
			t.Patterns = append(t.Patterns, b.splitPattern(word))
		case word.Type == lexer.Bar:
			return t, &fault{token: *word, message: "no | stands between patterns; write blanks:  when a b"}
		case !isToken(word, lexer.Mark, ","):
			return t, &fault{token: *word, wanted: "a pattern"}
		}
	}
	if len(t.Patterns) == 0 {
		return t, b.wantedHere("a pattern after when")
	}
	return t, nil
}

// splitPattern splits a word that the whole value of a case has to match.
func (b *builder) splitPattern(t *token) *ast.Word {
	b.whole = true
	word := b.splitWord(t, true)
	b.whole = false
	return word
}

// checkCase reports what stands before the first when of a case, or that there is none.
func (b *builder) checkCase(i *ast.If, first *token) {
	switch {
	case len(i.Head.List) > 0:
		if _, bad := i.Head.List[0].Node.(*ast.Bad); bad {
			return // it was reported
		}
		b.errorf(i.Head.List[0].Pos, "expected  when PATTERN  after the case of line %d", first.Pos.Line)
	case len(i.Branches) == 0 && i.Case != nil && !b.atEnd(b.peekToken()): // else its first line was reported
		b.errorf(b.posOf(first), "a case without a when; each pattern stands after one:  when PATTERN …")
	}
}
