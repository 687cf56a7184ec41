package parser

import (
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2"
	plex "github.com/alecthomas/participle/v2/lexer"

	"ftsh/ast"
	"ftsh/lexer"
)

type token = plex.Token

// peekToken is the next token of the unit. The last is EOF, and stays.
func (b *builder) peekToken() *token { return &b.tokens[b.i] }

// nextToken goes past it.
func (b *builder) nextToken() *token {
	t := &b.tokens[b.i]
	if !t.EOF() {
		b.i++
	}
	return t
}

// readGroup reads the statements of a block.
func (b *builder) readGroup() ast.Group {
	var group ast.Group
	begin := len(b.pending)
	b.margin = margin{group: &group, stmts: &b.pending, begin: begin}
	b.statements()
	group.Tail = b.margin.before
	group.List = append(make([]ast.Stmt, 0, len(b.pending)-begin), b.pending[begin:]...)
	b.pending = b.pending[:begin]
	return group
}

// statements reads up to a keyword that ends the group, each statement as its first token calls for.
func (b *builder) statements() {
	for {
		var s ast.Stmt
		var read func(*builder) (ast.Node, error) // what has no keyword
		first := b.peekToken()
		switch {
		case first.Type == lexer.Newline:
			b.margin.takeNewline(b.nextToken().Value)
			continue
		case closesGroup(first):
			return
		case first.Type == lexer.Keyword:
			s = b.grammar.statement(first.Value)(b, first)
		case first.Type == lexer.Assign:
			read = (*builder).readAssignment
		case first.Type == lexer.Word, first.Type == lexer.Redirect:
			b.atStatement = true
			read = (*builder).readPipeline
		default:
			read = func(b *builder) (ast.Node, error) { return nil, b.wantedHere("a command") }
		}
		if read != nil {
			var ok bool
			if s.Node, ok = readRest(b, first, read); !ok {
				s.Node = b.badLine(first)
			}
		}
		m := &b.margin
		s.Pos, s.Before, s.Blank = b.posOf(first), m.before, m.blank
		*m.stmts = append(*m.stmts, s)
		m.before, m.blank, m.own = nil, false, false
	}
}

// closesGroup reports whether a token ends a group.
func closesGroup(t *token) bool {
	if t.Type == lexer.Keyword {
		return t.Value == "end" || ast.IsSection(t.Value)
	}
	return t.Type == plex.EOF || t.Type == lexer.Missing
}

// endsLine reports whether a token can follow a complete line. A Keyword can, since
// it is one only where a statement may begin.
func endsLine(t *token) bool {
	switch t.Type {
	case plex.EOF, lexer.Missing, lexer.Newline, lexer.Keyword:
		return true
	}
	return false
}

func (b *builder) skipLine() {
	for !endsLine(b.peekToken()) {
		b.nextToken()
	}
}

// noted remembers how much was noted before a line, for an erroneous one to take back: of all that is wrong with it,
// only the first token that does not fit is reported.
type noted struct{ errors, mentions, calls int }

func (b *builder) forgetSince(n noted) {
	b.program.errors, b.program.mentions, b.program.calls = b.errors[:n.errors], b.mentions[:n.mentions], b.calls[:n.calls]
}

// readRest reads a line, or the rest of one, by a method. If it was not read to its end without an error, ok is false:
// what is wrong is recorded, and the rest of the line skipped.
func readRest[T any](b *builder, first *token, method func(*builder) (T, error)) (value T, ok bool) {
	start, before := b.i, noted{len(b.errors), len(b.mentions), len(b.calls)}
	value, err := method(b)
	if err == nil {
		if endsLine(b.peekToken()) {
			return value, true
		}
		err = &fault{token: *b.peekToken(), trailing: true}
	}
	b.skipLine()
	b.forgetSince(before)
	b.reportFault(locateFault(err.(*fault), b.tokens[start:b.i]), first)
	return value, false
}

// oneLine makes the reader of a statement of one line, by its struct.
func oneLine[S any, P interface {
	*S
	statement
}](options ...participle.Option) reader {
	parse := (&rule[S]{options: options}).parseOne
	return func(b *builder, first *token) ast.Stmt {
		if read, ok := readRest(b, first, parse); ok {
			return ast.Stmt{Node: P(read).newNode(b, first)}
		}
		return ast.Stmt{Node: b.badLine(first)}
	}
}

// block makes the reader of a statement with an end. If its first line is wrong, what stands under
// it is read all the same.
func block[S any, P interface {
	*S
	statement
}](options ...participle.Option) reader {
	parse := (&rule[S]{options: options}).parseOne
	return func(b *builder, first *token) ast.Stmt {
		read, ok := readRest(b, first, parse)
		if !ok {
			read = new(S)
		}
		outside := b.margin
		b.depth++
		node := P(read).newNode(b, first)
		b.readSections(first, func(*token) bool { return false })
		b.depth--
		b.margin = outside
		return ast.Stmt{Node: node, Redirects: b.readEnd(first, node)}
	}
}

// clause makes the reader of a clause of a try.
func clause[S any, P interface {
	*S
	addClause(b *builder, t *ast.Try, first *token)
}](options ...participle.Option) clauseReader {
	parse := (&rule[S]{options: options}).parseOne
	return func(b *builder, first *token, t *ast.Try) error {
		read, err := parse(b)
		if err == nil {
			P(read).addClause(b, t, first)
		}
		return err
	}
}

// readSections reads the further groups of a block: catch, finally, verify, else, else
// if TEST. A section that take refuses is reported as out of place.
func (b *builder) readSections(first *token, take func(word *token) bool) {
	for b.peekToken().Type == lexer.Keyword && ast.IsSection(b.peekToken().Value) {
		word := b.nextToken()
		if !take(word) {
			b.misplaced(word, first)
			b.skipLine()
			b.readGroup()
		}
	}
}

// readSection reads one that a keyword alone begins.
func (b *builder) readSection(word *token) *ast.Group {
	readRest(b, word, func(*builder) (none struct{}, err error) { return none, nil })
	group := b.groupIn(word.Value)
	group.Pos = b.posOf(word)
	return &group
}

// readEnd reads the end of a block, and the redirections after it.
func (b *builder) readEnd(first *token, node ast.Node) []*ast.Redirect {
	word := b.nextToken()
	switch {
	case word.Type == lexer.Missing:
		b.missingEnd(word, first, node)
	case !endsLine(b.peekToken()):
		if c, ok := readRest(b, word, (*builder).redirections); ok {
			b.refuseRedirects(node, c.Redirects)
			return c.Redirects
		}
	}
	return nil
}

// refuseRedirects refuses redirections after the end of what is only defined where it stands.
func (b *builder) refuseRedirects(node ast.Node, list []*ast.Redirect) {
	if len(list) == 0 {
		return
	}
	switch node.(type) {
	case *ast.Resource, *ast.Sense:
		b.errorf(list[0].Pos, "a redirection after the end of a resource; redirect the commands in its sense")
	case *ast.Function:
		b.errorf(list[0].Pos, "a redirection after the end of a function, where nothing runs yet; "+
			"redirect its calls, or the commands in it")
	}
}

// badLine is the line of a statement that could not be read.
func (b *builder) badLine(first *token) *ast.Bad {
	line, _, _ := strings.Cut(b.src.Text[first.Pos.Offset:], "\n")
	return &ast.Bad{Text: strings.TrimSuffix(line, "\r")}
}

// isToken reports whether a token is of a type and has one of the values.
func isToken(t *token, kind plex.TokenType, values ...string) bool {
	if t.Type != kind {
		return false
	}
	return slices.Contains(values, t.Value)
}
