package lexer

import (
	"cmp"
	"strings"

	"ftsh/lexer/quote"
)

// readOperator reads a redirection, a bar, or what other shells have in their place.
// It is false if none stands at the current place.
func (l *Lexer) readOperator(c context) bool {
	start, at := l.pos, l.pos
	if class[l.text[at]]&digit != 0 && at+1 < len(l.text) {
		at++
	}
	numbered := at > start
	op := redirection(l.text[at:])
	switch first := l.text[at]; {
	case numbered && (first == '&' || first == '|'):
		return false
	case op == "" && (first == '&' || first == '|'):
		l.readBar(c)
		return true
	case op == "":
		return false
	}
	if message := whyRefused(op, numbered); message != "" {
		l.invalidLine(start, message)
		return true
	}
	l.pos = at + len(op)
	l.addToken(Redirect, l.text[start:l.pos], start)
	if op == "<<" || op == "<<-" {
		l.delimiter(op == "<<-")
	}
	return true
}

// redirection returns the operator that a text begins with; "" if none.
func redirection(s string) string {
	switch s[0] {
	case '<', '>', '&':
	case '-', '=':
		if len(s) == 1 || s[1] != '>' && s[1] != '<' {
			return ""
		}
	default:
		return ""
	}
	for _, op := range [...]string{"->>&", "->>", "->&", "->", "-<", "=>", "<<<", "<<-", "<<", "<&", "<(", "<>", "<",
		">>&", ">>", ">&", ">|", ">(", ">", "&>>", "&>"} {
		if strings.HasPrefix(s, op) {
			if op == "-<" && strings.HasPrefix(s, "-<<") {
				return "" // `cat -<<EOT` has the argument -
			}
			return op
		}
	}
	return ""
}

// whyRefused says what is wrong about an operator.
func whyRefused(op string, numbered bool) string {
	switch op {
	case "<<<":
		return "<<< is not known here; write  -< name  to read a variable, or a here-document"
	case "<(", ">(":
		return op + "…) is not known here; put the output into a variable or a file first:  cmd -> name"
	case "<>":
		return "<> is not known here; write < or >"
	case ">|":
		return ">| is not known here; write >"
	}
	if numbered && (op == "=>" || op == "->&" || op == "->>&" || op == ">>&") {
		return "no descriptor may stand before " + op
	}
	return ""
}

// delimiter reads the word after << and leaves room for the body.
func (l *Lexer) delimiter(tabs bool) {
	l.skipBlanks()
	if l.pos == len(l.text) || class[l.text[l.pos]]&ends != 0 || l.text[l.pos] == '#' || l.isCRLF(l.pos) {
		return
	}
	n := len(l.tokens)
	if !l.readOperand(arguments) || l.tokens[n].Type != Word {
		return
	}
	text, quoted := unquoteWord(l.tokens[n].Value)
	l.documents = append(l.documents, document{len(l.tokens), text, quoted, tabs})
	l.addToken(Document, "", l.mark.Offset)
}

// unquoteWord returns a word without its quotes, and whether it had any.
func unquoteWord(word string) (text string, quoted bool) {
	var b strings.Builder
	for s := (quote.Scanner{Source: word}); ; {
		switch p := s.Next(); p.Kind {
		case quote.End:
			return b.String(), quoted
		case quote.Mark:
			quoted = true
		case quote.Escape:
			quoted = true
			b.WriteString(word[p.Begin+1 : p.End])
		case quote.Join:
		default:
			b.WriteString(word[p.Begin:p.End])
		}
	}
}

// readBodies reads the here-documents that the line before has begun.
func (l *Lexer) readBodies() {
	for len(l.documents) > 0 {
		d := l.documents[0]
		start := l.pos
		at := l.positionOf(start)
		end, after, found := l.findBodyEnd(d)
		if n := strings.IndexByte(l.text[start:end], 0); n >= 0 {
			l.skipNUL(start + n)
			return
		}
		if !found {
			l.pos = len(l.text)
			return
		}
		l.tokens[d.token].Value, l.tokens[d.token].Pos = l.text[start:end], at
		l.pos = after
		l.documents = l.documents[1:]
	}
}

// findBodyEnd finds the line that ends a here-document: where it begins, and where the
// next one does. A line that a backslash joins to the one before is none.
func (l *Lexer) findBodyEnd(d document) (end, after int, found bool) {
	joined := false
	for i := l.pos; i < len(l.text); {
		next := i + lineLength(l.text[i:])
		line := strings.TrimSuffix(l.text[i:next], "\r")
		if d.tabs {
			line = strings.TrimLeft(line, "\t")
		}
		if line == d.delimiter && !joined {
			return i, min(next+1, len(l.text)), true
		}
		joined = !d.quoted && continued(line)
		i = next + 1
	}
	return l.pos, 0, false
}

// continued reports whether a line ends in a backslash that is not itself escaped.
func continued(line string) bool {
	n := len(line) - len(strings.TrimRight(line, "\\"))
	return n%2 == 1
}

// readBar reads | or |& and the lines up to the next stage, or reports another operator.
func (l *Lexer) readBar(c context) {
	start, rest := l.pos, l.text[l.pos:]
	if op, message := foreignOperator(rest, c); op != "" {
		l.invalidLine(start, message)
		return
	}
	l.pos++
	if strings.HasPrefix(rest, "|&") {
		l.pos++
	}
	n, bodies := len(l.tokens), l.joinLines()
	l.addToken(Bar, l.text[start:l.pos], start)
	if bodies {
		l.readBodies()
		start = l.pos
		l.joinLines()
		l.tokens[n].Value += l.text[start:l.pos]
	}
}

// joinLines skips newlines and comments after a bar. It is true if it stopped
// where the bodies of here-documents begin.
func (l *Lexer) joinLines() bool {
	for {
		l.skipBlanks()
		if l.pos == len(l.text) {
			return false
		}
		switch c := l.text[l.pos]; {
		case c == '#':
			l.pos += lineLength(l.text[l.pos:])
		case c == '\n':
			l.pos++
			if len(l.documents) > 0 {
				return true
			}
		case l.isCRLF(l.pos):
			l.pos++
		default:
			return false
		}
	}
}

// foreignOperator says what to write instead of an operator of other shells.
func foreignOperator(s string, c context) (op, message string) {
	value := c&expression != 0
	switch {
	case strings.HasPrefix(s, "&&") && value:
		return "&&", "&& is not known here; write .and."
	case strings.HasPrefix(s, "||") && value:
		return "||", "|| is not known here; write .or."
	case strings.HasPrefix(s, "&&"):
		return "&&", "&& is not known here; write the second command on a line of its own, it only runs if the first succeeds"
	case strings.HasPrefix(s, "||"):
		return "||", "|| is not known here; write try … catch … end"
	case s[0] == '&':
		return "&", "& is not known here; write forall to run commands at the same time, or quote it"
	}
	return "", ""
}

// reportStray reports a character that no word begins with.
func (l *Lexer) reportStray() {
	rest := l.text[l.pos:]
	switch {
	case strings.HasPrefix(rest, "()"):
		before := l.text[:l.pos]
		name := before[strings.LastIndexAny(before, " \t\n;|")+1:]
		l.invalidLine(l.pos, "() is not known here; a function is written  function "+
			cmp.Or(name, "name")+" … end, and called by its name alone")
	case strings.HasPrefix(rest, "((") && strings.HasSuffix(strings.TrimRight(l.text[:l.pos], " \t"), "for"):
		l.invalidLine(l.pos, "for ((…)) is not known here; write  for i in 1 .to. 5")
	case strings.HasPrefix(rest, "(("):
		l.invalidLine(l.pos, "((…)) is not known here; write  name=$a .add. 1")
	case rest[0] == ')' && l.inCase():
		l.invalidLine(l.pos, ") is not known here; write  "+l.whenMeant())
	case rest[0] == '(', rest[0] == ')':
		l.invalidLine(l.pos, "a parenthesis in a command; quote it, or write  try … end  for a group of commands")
	default:
		l.invalidLine(l.pos, "unexpected "+rest[:1])
	}
}

// whenMeant is the line that stands here for the pattern of another shell before a parenthesis.
func (l *Lexer) whenMeant() string {
	line := l.text[strings.LastIndexByte(l.text[:l.pos], '\n')+1 : l.pos]
	patterns := strings.Join(strings.Fields(strings.ReplaceAll(line, "|", " ")), " ")
	switch {
	case patterns == "*":
		return "else"
	case patterns == "" || strings.HasPrefix(patterns, "when ") || len(patterns) > 40:
		return "when PATTERN …  with blanks between patterns"
	}
	return "when " + patterns
}
