package lexer

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"
)

// MaxDepth limits how deep statements and parentheses may nest in each other. The
// parser, the printer and the interpreter recurse as deep.
const MaxDepth = 10000

// Lexer reads one text. It is not safe for concurrent use.
type Lexer struct {
	text   string
	pos    int            // the next byte to read
	mark   lexer.Position // where the last token began; only moves forward
	prompt bool

	tokens []lexer.Token // of the unit
	next   int           // the next of them to hand over
	begun  bool
	cut    bool // reading stopped at something that cannot be got over

	joint  int // where a line continuation at the end of the text begins, or 0
	spread int // where the last string over several lines begins, or 0

	blocks    []block // the open statements, outermost first
	hint      string  // an `end` that stands under another statement than it closes
	parens    []byte  // the open parentheses of the line: ( or c for a call's
	calls     int     // how many of them are a call's
	documents []document
}

// block is a statement that waits for its end.
type block struct {
	keyword      string
	line, column int
}

// document is a here-document whose body comes after the line.
type document struct {
	token     int // the place in tokens that waits for the body
	delimiter string
	quoted    bool
	tabs      bool
}

// New returns a lexer for a text. At a prompt the text is a number of whole
// lines, and only what another line could mend counts as unfinished.
func New(text string, prompt bool) *Lexer {
	return &Lexer{text: text, prompt: prompt, mark: lexer.Position{Line: 1, Column: 1}}
}

// Next returns the next token, and EOF at the end of each unit. The error is always nil.
func (l *Lexer) Next() (lexer.Token, error) {
	if l.next == len(l.tokens) {
		l.Unit()
		l.next = 0
	}
	l.next++
	return l.tokens[l.next-1], nil
}

// More reports whether the text goes on after the unit that was handed over last.
func (l *Lexer) More() bool { return !l.begun || l.pos < len(l.text) }

// Unit returns the tokens of the next unit, EOF at its end: the statements up to the next
// place where no block is open. They are overwritten by the next call.
func (l *Lexer) Unit() []lexer.Token {
	l.tokens = l.tokens[:0]
	if !l.begun {
		l.begun = true
		l.pos = len(l.text) - len(strings.TrimPrefix(l.text, "\ufeff"))
		l.readBetween()
	}
	for l.pos < len(l.text) {
		l.statement()
		if len(l.blocks) == 0 && len(l.documents) == 0 {
			break
		}
	}
	if l.pos == len(l.text) {
		l.closeOpen()
	}
	l.addToken(lexer.EOF, "", l.pos)
	l.next = len(l.tokens)
	return l.tokens
}

// closeOpen ends what is still open at the end of the text.
func (l *Lexer) closeOpen() {
	for _, d := range l.documents {
		operator := l.tokens[d.token-2].Pos
		value := "<< " + d.delimiter + l.nearlyDelimiter(operator.Line, d.delimiter)
		l.tokens[d.token] = lexer.Token{Type: Unfinished, Value: value, Pos: operator}
		l.cut = true
	}
	l.documents = nil
	if l.prompt && l.joint > 0 && !l.cut {
		l.unfinished(l.joint-1, "\\")
	}
	for len(l.blocks) > 0 {
		l.addMissingEnd(l.pos)
	}
}

// nearlyDelimiter is the number of a line below that would end a here-document but for its blanks,
// after a newline; "" if there is none.
func (l *Lexer) nearlyDelimiter(line int, delimiter string) string {
	for i, text := range strings.Split(l.text, "\n") {
		if i >= line && strings.TrimSpace(text) == delimiter {
			return "\n" + strconv.Itoa(i+1)
		}
	}
	return ""
}

// addMissingEnd stands in for the end of the innermost block. After a place where
// reading had to stop, nobody can tell whether the end is there.
func (l *Lexer) addMissingEnd(at int) {
	l.blocks = l.blocks[:len(l.blocks)-1]
	if l.cut {
		l.addToken(Keyword, "end", at)
	} else {
		l.addToken(Missing, l.hint, at)
	}
}

func (l *Lexer) addToken(kind lexer.TokenType, value string, at int) {
	l.tokens = append(l.tokens, lexer.Token{Type: kind, Value: value, Pos: l.positionOf(at)})
}

// invalidLine reports what is wrong at a place and gives up the rest of the line.
func (l *Lexer) invalidLine(at int, message string) {
	l.addToken(Invalid, message, at)
	if n := strings.IndexByte(l.text[l.pos:], '\n'); n >= 0 {
		l.pos += n
	} else {
		l.pos = len(l.text)
	}
}

// invalidRest reports what is wrong at a place and gives up the rest of the text.
func (l *Lexer) invalidRest(at int, message string) {
	l.addToken(Invalid, message, at)
	l.pos, l.cut, l.documents = len(l.text), true, nil
}

// unfinished reports that the text ends inside of something. For a string it
// names the line of the last one that went on over several: where the quote that
// ends a string is missing, all after it are taken the wrong way round.
func (l *Lexer) unfinished(at int, what string) {
	if l.spread > 0 && l.text[l.spread-1:l.spread] == what {
		what += "\n" + strconv.Itoa(1+strings.Count(l.text[:l.spread], "\n"))
	}
	l.addToken(Unfinished, what, at)
	l.pos, l.cut, l.documents = len(l.text), true, nil
}

// isTooDeep reports whether nothing more may be opened at a place, and reports it.
func (l *Lexer) isTooDeep(at, more int) bool {
	if len(l.blocks)+len(l.parens)+more < MaxDepth {
		return false
	}
	l.invalidRest(at, "nested more than 10,000 deep")
	return true
}

// positionOf returns the position of an offset. Offsets never go back from one call
// to the next, so that a long line is counted only once.
func (l *Lexer) positionOf(offset int) lexer.Position {
	between := l.text[l.mark.Offset:offset]
	l.mark.Offset = offset
	i := 0
	for i < len(between) && between[i] != '\n' && between[i] < utf8.RuneSelf {
		i++
	}
	if i == len(between) { // most are a few characters of ASCII
		l.mark.Column += i
		return l.mark
	}
	if n := strings.LastIndexByte(between, '\n'); n >= 0 {
		l.mark.Line += strings.Count(between, "\n")
		l.mark.Column = 1
		between = between[n+1:]
	}
	l.mark.Column += utf8.RuneCountInString(between)
	return l.mark
}
