package lexer

import (
	"strings"
)

// readSection reads the keyword that begins a further group of a block. One that
// only an outer block can have ends the inner ones, unless it is indented as the
// innermost is.
func (l *Lexer) readSection(keyword string, start int) {
	owner := len(l.blocks) - 1
	for owner >= 0 && !acceptsSection(l.blocks[owner].keyword, keyword) {
		owner--
	}
	if inner := len(l.blocks) - 1; owner >= 0 && owner < inner {
		column := l.positionOf(start).Column
		if column == l.blocks[owner].column || column != l.blocks[inner].column {
			for len(l.blocks)-1 > owner {
				l.addMissingEnd(start)
			}
		}
	}
	l.addToken(Keyword, keyword, start)
}

// acceptsSection reports whether a statement can have such a further group.
func acceptsSection(keyword, section string) bool {
	switch section {
	case "else", "else if": // the parser says what to write instead of an else if in a case
		return keyword == "if" || keyword == "case"
	case "when":
		return keyword == "case"
	}
	return keyword == "try"
}

// inCase reports whether the innermost block is a case.
func (l *Lexer) inCase() bool {
	n := len(l.blocks)
	return n > 0 && l.blocks[n-1].keyword == "case"
}

// closeBefore ends every open block before a function, which stands at the top
// level, if its indentation says so.
func (l *Lexer) closeBefore(start int) {
	if len(l.blocks) == 0 || l.positionOf(start).Column > l.blocks[0].column {
		return
	}
	for len(l.blocks) > 0 {
		l.addMissingEnd(start)
	}
}

// isFirstOfLine reports whether the last token is the first of its line.
func (l *Lexer) isFirstOfLine() bool {
	line := l.text[strings.LastIndexByte(l.text[:l.mark.Offset], '\n')+1 : l.mark.Offset]
	return strings.Trim(line, " \t") == ""
}
