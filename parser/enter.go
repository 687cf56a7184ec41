package parser

import (
	"sync"

	"github.com/alecthomas/participle/v2"
	plex "github.com/alecthomas/participle/v2/lexer"

	"ftsh/ast"
	"ftsh/lexer"
)

// grammar holds a reader for each keyword that begins a statement, and for each word that begins a clause of a try, as
// far as they were needed. Participle's parser for a struct of grammar.go is built when it first reads: that takes 10
// to 50 µs, and a small script needs three of them.
type grammar struct {
	statements map[string]reader
	clauses    map[string]clauseReader

	b *builder // that reads at present
}

// A reader reads the statement that begins with a token, and reports what is wrong with it.
type reader func(b *builder, first *token) ast.Stmt

// A clauseReader reads the clause that begins with a token.
type clauseReader func(b *builder, first *token, t *ast.Try) error

// grammars keeps them from one text to the next. One serves one Parse at a time.
var grammars = sync.Pool{New: func() any {
	return &grammar{statements: make(map[string]reader), clauses: make(map[string]clauseReader)}
}}

// statement returns the reader of the statements that a keyword begins: which struct the keyword leads to, and the
// methods of the builder that read the fields of its struct.
func (g *grammar) statement(keyword string) reader {
	switch keyword { // some have one struct
	case "forany", "forall":
		keyword = "for"
	case "continue":
		keyword = "break"
	case "local":
		keyword = "export"
	}
	if read := g.statements[keyword]; read != nil {
		return read
	}
	var read reader
	number := readBy[ast.Expr](g, func(b *builder) (ast.Expr, error) { return b.expression(false) })
	switch keyword {
	case "try":
		read = block[try](readBy[leaf[*ast.Try]](g, (*builder).readHeader))
	case "for":
		read = block[loop](readBy[leaf[items]](g, (*builder).readItems))
	case "while":
		read = block[while](readBy[leaf[ast.Test]](g, (*builder).readTest))
	case "if":
		read = block[conditional](readBy[leaf[ast.Test]](g, (*builder).readTest))
	case "case":
		read = block[choice](number)
	case "function":
		read = block[function]()
	case "resource":
		read = block[resource]()
	case "sense":
		read = block[sense]()
	case "on":
		read = block[engine](readBy[leaf[*ast.On]](g, (*builder).readPlace))
	case "break":
		read = oneLine[leave]()
	case "return":
		read = oneLine[result](readBy[value](g, (*builder).readExpression))
	case "shift":
		read = oneLine[shift](readBy[value](g, (*builder).readExpression))
	case "export":
		read = declarationReader(oneLine[definition](readBy[value](g, (*builder).readExpression)), oneLine[declaration]())
	case "secret":
		read = oneLine[secret](readBy[leaf[[]ast.Var]](g, (*builder).readSecrets))
	case "source":
		read = oneLine[source]()
	case "slots":
		read = oneLine[slots](number)
	case "budget":
		read = oneLine[budget](number)
	case "breaker":
		read = oneLine[breaker](number, readBy[leaf[*ast.Period]](g, (*builder).readPeriod))
	}
	g.statements[keyword] = read
	return read
}

// declarationReader returns a reader that goes to one reader or the other by the token after the keyword.
func declarationReader(assigned, plain reader) reader {
	return func(b *builder, first *token) ast.Stmt {
		if b.tokens[b.i+1].Type == lexer.Assign {
			return assigned(b, first)
		}
		return plain(b, first)
	}
}

// leaf holds the T that a method of the builder reads where the grammar says @@:
// participle finds the method by the field's type, and asks for an interface there.
type leaf[T any] any

// leafValue returns what was read; the zero T if the line was wrong.
func leafValue[T any](l leaf[T]) T {
	value, _ := l.(T)
	return value
}

// readBy lets a method of the builder read each field of a type, and keeps participle at its side.
func readBy[Field, T any](g *grammar, method func(*builder) (T, error)) participle.Option {
	return participle.ParseTypeWith(func(lex *plex.PeekingLexer) (Field, error) {
		b := g.b
		outside := b.line
		b.line.lex = lex
		b.catchUp()
		v, err := method(b)
		b.catchUp()
		b.line = outside
		field, _ := any(v).(Field)
		return field, err
	})
}

// line is the line that participle reads at present: its tokens, and which of the
// unit's is the first of them.
type line struct {
	lex   *plex.PeekingLexer
	start int
}

// catchUp brings whichever of participle and the builder is behind to where the other is.
// What participle does not see of the line, it cannot reach.
func (b *builder) catchUp() {
	lex := b.line.lex
	for b.line.start+int(lex.RawCursor()) < b.i && !lex.Next().EOF() {
	}
	b.i = max(b.i, b.line.start+int(lex.RawCursor()))
}

// rule is participle's parser for one struct.
type rule[S any] struct {
	options []participle.Option
	parser  *participle.Parser[S]
}

// parseOne reads one S at the current place, and leaves what comes after it.
func (r *rule[S]) parseOne(b *builder) (*S, error) {
	if r.parser == nil {
		// A lookahead of 1 would go on after the first token has decided, and misplace errors.
		options := append(r.options, participle.Lexer(lexer.Definition{}), participle.UseLookahead(0))
		r.parser = participle.MustBuild[S](options...)
	}
	outside := b.line
	if b.line.lex == nil {
		// Of a line, participle has to see this: it reads keywords itself, and words right after one; all else is
		// read by the builder.
		end := 1
		for i := 1; !endsLine(&b.tokens[b.i+i]); i++ {
			if b.tokens[b.i+i].Type == lexer.Clause {
				end = i + 1
			}
		}
		seen := window(b.tokens[b.i:][:min(end+1, len(b.tokens)-b.i-1)])
		lex, _ := plex.Upgrade(&seen) // its error is always nil
		b.line = line{lex, b.i}
	}
	b.catchUp()
	b.grammar.b = b
	s, err := r.parser.ParseFromLexer(b.line.lex, participle.AllowTrailing(true))
	b.catchUp()
	b.line = outside
	if _, ok := err.(*fault); err != nil && !ok {
		err = b.wantedHere("")
	}
	return s, err
}

// window feeds participle the tokens that it reads itself.
type window []token

func (w *window) Next() (token, error) {
	if len(*w) == 0 {
		return plex.EOFToken(plex.Position{}), nil
	}
	t := (*w)[0]
	*w = (*w)[1:]
	return t, nil
}
