package lexer

import (
	"slices"
	"strconv"

	"ftsh/ast"
)

// context says what a line's words may be besides words.
type context uint8

const (
	arguments  context = 0
	expression context = 1 << iota // operators, parentheses and calls
	list                           // a comma at the end of a word separates
	clauses                        // words of a try's first line
	units                          // units of time
	settings                       // words of a resource's settings
)

// statement reads one line of a statement, from its first word to the Newline
// that ends it.
func (l *Lexer) statement() {
	start := l.pos
	if name := l.assignment(); name != "" {
		l.readValue(start, name)
		return
	}
	word, end := l.bareWordAt(l.pos)
	if word == "else" {
		word, end = l.elseIf(end)
	}
	l.pos = end
	if n := len(l.blocks); n > 0 && l.blocks[n-1].keyword == "resource" && slices.Contains(ast.Settings(), word) {
		l.readSetting(word, start)
		return
	}
	switch word {
	case "try":
		l.openBlock(word, start, expression|clauses|units)
	case "for", "forany", "forall":
		l.openBlock(word, start, expression|list)
	case "while", "if", "case":
		l.openBlock(word, start, expression)
	case "function", "resource", "on":
		l.openBlock(word, start, arguments)
	case "else if":
		l.readSection(word, start)
		l.readTest()
	case "else", "catch", "finally", "verify":
		l.readSection(word, start)
		l.readLine(arguments)
	case "esac":
		if l.pos = start; l.inCase() {
			l.endForeign(start)
			return
		}
		l.readLine(arguments)
	case "when":
		if !l.inCase() { // a program
			l.pos = start
			l.readLine(arguments)
			return
		}
		l.readSection(word, start)
		l.readLine(list)
	case "end":
		l.endBlock(start)
	case "break", "continue", "source", "secret":
		l.addToken(Keyword, word, start)
		l.readLine(arguments)
	case "return", "shift":
		l.addToken(Keyword, word, start)
		l.readLine(expression)
	case "export", "local":
		l.addToken(Keyword, word, start)
		l.declaration()
	default:
		l.pos = start
		l.readLine(arguments)
	}
}

// assignment reads `name=` at the current place, if it stands there.
func (l *Lexer) assignment() (name string) {
	i := l.pos
	for i < len(l.text) {
		n := 1
		if class[l.text[i]]&(letter|digit) == 0 {
			n = l.continuation(i)
		}
		if n == 0 {
			break
		}
		i += n
	}
	if i == l.pos || i == len(l.text) || l.text[i] != '=' || class[l.text[l.pos]]&digit != 0 {
		return ""
	}
	name = withoutBreaks(l.text[l.pos:i])
	l.pos = i + 1
	return name
}

// readValue reads the rest of an assignment.
func (l *Lexer) readValue(start int, name string) {
	l.addToken(Assign, name, start)
	if l.pos < len(l.text) && l.text[l.pos] == '#' {
		l.readOperand(expression) // x=#a: the # does not begin a word here
	}
	l.readLine(expression)
}

// bareWordAt returns the word of small letters at a place, and where it ends; "" if a
// word with anything else in it stands there.
func (l *Lexer) bareWordAt(start int) (word string, end int) {
	i, joined := start, false
	for ; i < len(l.text); i++ {
		if c := l.text[i]; c < 'a' || c > 'z' {
			n := l.continuation(i)
			if n == 0 {
				break
			}
			joined = true
			i += n - 1
		}
	}
	if i < len(l.text) && class[l.text[i]]&(blank|ends) == 0 && !l.isCRLF(i) {
		return "", start
	}
	word = l.text[start:i]
	if joined {
		word = withoutBreaks(word)
	}
	return word, i
}

// elseIf makes one keyword of `else` and an `if` after it.
func (l *Lexer) elseIf(end int) (string, int) {
	l.pos = end
	l.skipBlanks()
	if word, after := l.bareWordAt(l.pos); word == "if" {
		return "else if", after
	}
	return "else", end
}

// openBlock begins a block and reads its first line.
func (l *Lexer) openBlock(keyword string, start int, c context) {
	if keyword == "function" {
		l.closeBefore(start)
	}
	if l.isTooDeep(start, 0) {
		return
	}
	at := l.positionOf(start)
	l.blocks = append(l.blocks, block{keyword, at.Line, at.Column})
	l.addToken(Keyword, keyword, start)
	switch keyword {
	case "for", "forany", "forall":
		l.readLoop()
	case "if", "while":
		l.readTest()
	default:
		l.readLine(c)
	}
}

// readLoop reads `NAME in LIST`.
func (l *Lexer) readLoop() {
	if l.lineEnds() {
		return
	}
	if l.readOperand(arguments) {
		l.skipBlanks()
		if word, end := l.bareWordAt(l.pos); word == "in" {
			l.addToken(Clause, word, l.pos)
			l.pos = end
		}
	}
	l.readLine(expression | list)
}

// readTest reads what decides an `if` or a `while`: `try` or `not try` and a command, or an expression.
func (l *Lexer) readTest() {
	l.skipBlanks()
	start := l.pos
	word, end := l.bareWordAt(start)
	if word == "not" {
		l.pos = end
		l.skipBlanks()
		word, end = l.bareWordAt(l.pos)
	}
	if word != "try" {
		l.pos = start
		l.readLine(expression)
		return
	}
	if l.pos > start {
		l.addToken(Clause, "not", start)
	}
	l.addToken(Clause, word, l.pos)
	l.pos = end
	l.readLine(arguments)
}

// declaration reads what follows `export` or `local`.
func (l *Lexer) declaration() {
	l.skipBlanks()
	start := l.pos
	if name := l.assignment(); name != "" {
		l.readValue(start, name)
		return
	}
	l.readLine(arguments)
}

// readSetting reads the line of a setting.
func (l *Lexer) readSetting(word string, start int) {
	if word == "sense" { // it has a group of its own
		l.openBlock(word, start, arguments)
		return
	}
	l.addToken(Keyword, word, start)
	l.readLine(expression | units | settings)
}

// endForeign closes a case that is written as in other shells, so that later statements do not count as part of it.
func (l *Lexer) endForeign(start int) {
	l.invalidLine(start, "esac is not known here; write  end")
	l.blocks = l.blocks[:len(l.blocks)-1]
	l.addToken(Keyword, "end", l.pos)
	l.readLine(arguments)
}

// endBlock closes the innermost block.
func (l *Lexer) endBlock(start int) {
	l.addToken(Keyword, "end", start)
	if n := len(l.blocks); n > 0 {
		if b := l.blocks[n-1]; l.hint == "" && b.column != l.mark.Column && b.line != l.mark.Line && l.isFirstOfLine() {
			// If an end turns out to be missing, it is probably missing before the first one that is not indented so.
			l.hint = "the end on line " + strconv.Itoa(l.mark.Line) + " closes the " + b.keyword + " on line " +
				strconv.Itoa(b.line) + ", but is not indented like it"
		}
		l.blocks = l.blocks[:n-1]
	}
	l.readLine(arguments)
}
