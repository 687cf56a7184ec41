package lexer

import (
	"slices"
	"strconv"

	"ftsh/ast"
)

// context is what a line's words may be besides words.
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
		l.value(start, name)
		return
	}
	word, end := l.bare(l.pos)
	if word == "else" {
		word, end = l.elseIf(end)
	}
	l.pos = end
	if n := len(l.blocks); n > 0 && l.blocks[n-1].keyword == "resource" && slices.Contains(ast.Settings(), word) {
		l.resource(word, start)
		return
	}
	switch word {
	case "try":
		l.open(word, start, expression|clauses|units)
	case "for", "forany", "forall":
		l.open(word, start, expression|list)
	case "while", "if":
		l.open(word, start, expression)
	case "function", "resource", "on":
		l.open(word, start, arguments)
	case "else if":
		l.section(word, start)
		l.test()
	case "else", "catch", "finally", "verify":
		l.section(word, start)
		l.line(arguments)
	case "end":
		l.end(start)
	case "break", "continue", "source", "secret":
		l.emit(Keyword, word, start)
		l.line(arguments)
	case "return", "shift":
		l.emit(Keyword, word, start)
		l.line(expression)
	case "export", "local":
		l.emit(Keyword, word, start)
		l.declaration()
	default:
		l.pos = start
		l.line(arguments)
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
	name = unbroken(l.text[l.pos:i])
	l.pos = i + 1
	return name
}

// value reads the rest of an assignment.
func (l *Lexer) value(start int, name string) {
	l.emit(Assign, name, start)
	if l.pos < len(l.text) && l.text[l.pos] == '#' {
		l.operand(expression) // x=#a: the # does not begin a word here
	}
	l.line(expression)
}

// bare returns the word of small letters at a place, and where it ends; "" if a
// word with anything else in it stands there.
func (l *Lexer) bare(start int) (word string, end int) {
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
	if i < len(l.text) && class[l.text[i]]&(blank|ends) == 0 && !l.crlf(i) {
		return "", start
	}
	word = l.text[start:i]
	if joined {
		word = unbroken(word)
	}
	return word, i
}

// elseIf makes one keyword of `else` and an `if` after it.
func (l *Lexer) elseIf(end int) (string, int) {
	l.pos = end
	l.blanks()
	if word, after := l.bare(l.pos); word == "if" {
		return "else if", after
	}
	return "else", end
}

// open begins a block and reads its first line.
func (l *Lexer) open(keyword string, start int, c context) {
	if keyword == "function" {
		l.closeBefore(start)
	}
	if l.deep(start, 0) {
		return
	}
	at := l.place(start)
	l.blocks = append(l.blocks, block{keyword, at.Line, at.Column})
	l.emit(Keyword, keyword, start)
	switch keyword {
	case "for", "forany", "forall":
		l.loop()
	case "if", "while":
		l.test()
	default:
		l.line(c)
	}
}

// loop reads `NAME in LIST`.
func (l *Lexer) loop() {
	if l.ended() {
		return
	}
	if l.operand(arguments) {
		l.blanks()
		if word, end := l.bare(l.pos); word == "in" {
			l.emit(Clause, word, l.pos)
			l.pos = end
		}
	}
	l.line(expression | list)
}

// test reads what decides an `if` or a `while`: `try` and a command, or an expression.
func (l *Lexer) test() {
	l.blanks()
	if word, end := l.bare(l.pos); word == "try" {
		l.emit(Clause, word, l.pos)
		l.pos = end
		l.line(arguments)
		return
	}
	l.line(expression)
}

// declaration reads what follows `export` or `local`.
func (l *Lexer) declaration() {
	l.blanks()
	start := l.pos
	if name := l.assignment(); name != "" {
		l.value(start, name)
		return
	}
	l.line(arguments)
}

// resource reads the line of a setting.
func (l *Lexer) resource(word string, start int) {
	if word == "sense" { // it has a group of its own
		l.open(word, start, arguments)
		return
	}
	l.emit(Keyword, word, start)
	l.line(expression | units | settings)
}

// end closes the innermost block.
func (l *Lexer) end(start int) {
	l.emit(Keyword, "end", start)
	if n := len(l.blocks); n > 0 {
		if b := l.blocks[n-1]; l.hint == "" && b.column != l.mark.Column && b.line != l.mark.Line && l.indented() {
			// If an end turns out to be missing, it is probably missing before the first one that is not indented so.
			l.hint = "the end on line " + strconv.Itoa(l.mark.Line) + " closes the " + b.keyword + " on line " +
				strconv.Itoa(b.line) + ", but is not indented like it"
		}
		l.blocks = l.blocks[:n-1]
	}
	l.line(arguments)
}
