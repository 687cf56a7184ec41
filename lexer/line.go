package lexer

import (
	"strings"

	"ftsh/ast"
)

// readLine reads the tokens of a line up to its end.
func (l *Lexer) readLine(c context) {
	for !l.lineEnds() {
		n := len(l.tokens)
		switch {
		case l.readOperator(c):
		case c&expression != 0 && l.punctuation():
		case !l.readOperand(c):
			// The rest of the line, or of the text, was given up.
		default:
			c = l.classifyWord(n, c)
		}
	}
	l.parens, l.calls = l.parens[:0], 0
}

// lineEnds skips blanks and reports whether the line ends here; if so, it reads what
// stands between this statement and the next.
func (l *Lexer) lineEnds() bool {
	l.skipBlanks()
	if l.pos == len(l.text) {
		return true
	}
	switch c := l.text[l.pos]; {
	case c == '\n', c == ';', c == '#', l.isCRLF(l.pos):
		l.readBetween()
		return true
	}
	return false
}

// skipBlanks skips blanks, tabs and line continuations.
func (l *Lexer) skipBlanks() {
	for l.pos < len(l.text) {
		if class[l.text[l.pos]]&blank != 0 {
			l.pos++
			continue
		}
		n := l.continuation(l.pos)
		if n == 0 {
			return
		}
		l.pos += n
	}
}

// continuation is the length of a line continuation at a place, 0 if there is none.
func (l *Lexer) continuation(i int) int {
	n := 0
	switch {
	case l.text[i] != '\\':
		return 0
	case i+1 < len(l.text) && l.text[i+1] == '\n':
		n = 2
	case i+1 < len(l.text) && l.isCRLF(i+1):
		n = 3
	}
	if n > 0 && i+n == len(l.text) {
		l.joint = i + 1
	}
	return n
}

func (l *Lexer) isCRLF(i int) bool {
	return l.text[i] == '\r' && i+1 < len(l.text) && l.text[i+1] == '\n'
}

// readBetween reads what stands before the next statement, as one Newline; bodies of
// here-documents divide it.
func (l *Lexer) readBetween() {
	start := l.pos
reading:
	for l.pos < len(l.text) {
		switch c := l.text[l.pos]; {
		case c == '\n':
			l.pos++
			if len(l.documents) > 0 {
				l.addToken(Newline, l.text[start:l.pos], start)
				l.readBodies()
				start = l.pos
			}
		case c == ';' && l.inCase() && strings.HasPrefix(l.text[l.pos:], ";;"):
			if l.pos > start {
				l.addToken(Newline, l.text[start:l.pos], start)
			}
			l.addToken(Invalid, ";; is not known here; the next when, or the end, ends the group", l.pos)
			l.pos += 2
			start = l.pos
		case c == ';':
			l.pos++
		case c == '#':
			l.pos += lineLength(l.text[l.pos:])
		case l.isCRLF(l.pos):
			l.pos++
		default:
			before := l.pos
			if l.skipBlanks(); l.pos == before {
				break reading
			}
		}
	}
	if l.pos > start {
		l.addToken(Newline, l.text[start:l.pos], start)
	}
}

// lineLength counts the bytes before the next newline.
func lineLength(s string) int {
	if n := strings.IndexByte(s, '\n'); n >= 0 {
		return n
	}
	return len(s)
}

// punctuation reads a parenthesis or a comma of an expression.
func (l *Lexer) punctuation() bool {
	c := l.text[l.pos]
	switch {
	case c == '(':
		if !l.isTooDeep(l.pos, 0) {
			l.parens = append(l.parens, '(')
			l.pos++
			l.addToken(Mark, "(", l.pos-1)
		}
	case c == ')':
		l.closeParenthesis()
		l.pos++
		l.addToken(Mark, ")", l.pos-1)
	case c == ',' && l.calls > 0:
		l.pos++
		l.addToken(Mark, ",", l.pos-1)
	default:
		return false
	}
	return true
}

// closeParenthesis closes the innermost parenthesis, if one is open.
func (l *Lexer) closeParenthesis() {
	n := len(l.parens)
	if n == 0 {
		return
	}
	if l.parens[n-1] == 'c' {
		l.calls--
	}
	l.parens = l.parens[:n-1]
}

// readOperand reads one word, or the beginning of a call. It is false if the word
// could not be read.
func (l *Lexer) readOperand(c context) bool {
	start := l.pos
	end, comma, ok := l.wordEnd(start, c&expression != 0 && l.calls > 0)
	if !ok {
		return false
	}
	if end == start {
		l.reportStray()
		return false
	}
	l.pos = end
	if c&expression != 0 && end < len(l.text) && l.text[end] == '(' {
		return l.readCall(start, end)
	}
	if comma && c&list != 0 && len(l.parens) == 0 {
		at := start + strings.LastIndexByte(l.text[start:end], ',') // line continuations may follow
		if at > start {
			l.addToken(Word, l.text[start:at], start)
		}
		l.addToken(Mark, ",", at)
		return true
	}
	l.addToken(Word, l.text[start:end], start)
	return true
}

// readCall reads the parenthesis after a function's name.
func (l *Lexer) readCall(start, end int) bool {
	name := l.text[start:end]
	if !ast.IsName(name) {
		l.invalidLine(end, "( follows a word that is no function's name; set it off by a blank, or quote it")
		return false
	}
	if l.isTooDeep(start, 0) {
		return false
	}
	l.parens = append(l.parens, 'c')
	l.calls++
	l.pos = end + 1
	l.addToken(Call, name, start)
	return true
}

// classifyWord gives the word that was just read the type that its place calls for,
// and returns what the words after it may be.
func (l *Lexer) classifyWord(n int, c context) context {
	if n >= len(l.tokens) || l.tokens[n].Type != Word {
		return c
	}
	token := &l.tokens[n]
	text := withoutBreaks(token.Value)
	switch {
	case c&expression != 0 && isOperator(text):
		token.Type = Operator
		if text == ".hedge." {
			c |= units
		}
	case c&units != 0 && ast.LookupUnit(text) != ast.NoUnit:
		token.Type = Unit
	case c&clauses != 0 && ast.IsClauseWord(text):
		if l.isLiteral(n) || text == unknown {
			return c
		}
		if text == "on" {
			l.unknownOn(n - 1)
		}
		token.Type = Clause
	case c&settings != 0 && isSettingWord(text):
		token.Type = Clause
	default:
		return c
	}
	token.Value = text
	return c
}

// unknown is a kind of failure, too: it begins a clause only before `on`.
const unknown = "unknown"

// unknownOn makes a word before `on` the beginning of a clause, if it is unknown.
func (l *Lexer) unknownOn(n int) {
	if l.tokens[n].Type == Word && withoutBreaks(l.tokens[n].Value) == unknown && !l.isLiteral(n) {
		l.tokens[n].Type, l.tokens[n].Value = Clause, unknown
	}
}

// withoutBreaks is a word without the line continuations in it.
func withoutBreaks(word string) string {
	if strings.IndexByte(word, '\\') < 0 {
		return word
	}
	return strings.NewReplacer("\\\n", "", "\\\r\n", "").Replace(word)
}

// isLiteral reports whether a word stands right after a clause word that takes any word.
func (l *Lexer) isLiteral(n int) bool {
	return l.tokens[n-1].Type == Clause && ast.TakesWord(l.tokens[n-1].Value)
}

func isOperator(s string) bool {
	if len(s) < 3 || s[0] != '.' || s[len(s)-1] != '.' {
		return false
	}
	for i := 1; i < len(s)-1; i++ {
		if class[s[i]]&letter == 0 || s[i] == '_' {
			return false
		}
	}
	return true
}

func isSettingWord(s string) bool {
	switch s {
	case "percent", "at", "least", "per", "failure", "failures", "in", "probe", "every":
		return true
	}
	return false
}
