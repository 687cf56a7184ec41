package parser

import (
	"sync"

	"github.com/alecthomas/participle/v2"
	plex "github.com/alecthomas/participle/v2/lexer"

	"ftsh/ast"
	"ftsh/lexer"
)

// grammar is participle's parser for each struct of grammar.go. Each is built when
// it is first needed: that takes 10 to 50 µs, and a small script needs three of them.
type grammar struct {
	tries        rule[try]
	paces        rule[pace]
	backoffs     rule[backoff]
	conditions   rule[conditions]
	labels       rule[label]
	loops        rule[loop]
	whiles       rule[while]
	ifs          rule[conditional]
	functions    rule[function]
	resources    rule[resource]
	slots        rule[slots]
	budgets      rule[budget]
	breakers     rule[breaker]
	senses       rule[sense]
	engines      rule[engine]
	leaves       rule[leave]
	returns      rule[result]
	shifts       rule[shift]
	declarations rule[declaration]
	definitions  rule[definition]
	sources      rule[source]
	secrets      rule[secret]

	b *builder // that reads at present
}

// grammars keeps them from one text to the next. One serves one Parse at a time.
var grammars = sync.Pool{New: func() any { return newGrammar() }}

// newGrammar says which methods of the builder read what the structs leave to them.
func newGrammar() *grammar {
	g := &grammar{}
	tokens := participle.Lexer(lexer.NewDefinition())
	needs := func(leaves ...participle.Option) []participle.Option {
		// A lookahead of 1 would go on after the first token has decided, and misplace errors.
		return append(leaves, tokens, participle.UseLookahead(0))
	}
	time := readBy[leaf[*ast.Period]](g, (*builder).readPeriod)
	test := readBy[leaf[ast.Test]](g, (*builder).readTest)
	value := readBy[value](g, (*builder).readExpression)
	number := readBy[ast.Expr](g, func(b *builder) (ast.Expr, error) { return b.expression(false) })
	g.tries.options = needs(readBy[leaf[*ast.Try]](g, (*builder).readHeader))
	g.paces.options = needs(time)
	g.backoffs.options = needs(readBy[leaf[*ast.Backoff]](g, (*builder).readSettings))
	g.conditions.options = needs(readBy[leaf[[]ast.Condition]](g, (*builder).conditions))
	g.loops.options = needs(readBy[leaf[items]](g, (*builder).readItems))
	g.whiles.options, g.ifs.options = needs(test), needs(test)
	g.engines.options = needs(readBy[leaf[*ast.On]](g, (*builder).readPlace))
	g.slots.options, g.budgets.options, g.breakers.options = needs(number), needs(number), needs(number, time)
	g.returns.options, g.shifts.options, g.definitions.options = needs(value), needs(value), needs(value)
	g.secrets.options = needs(readBy[leaf[[]ast.Var]](g, (*builder).secrets))
	words := needs()
	g.labels.options, g.functions.options, g.resources.options, g.senses.options = words, words, words, words
	g.leaves.options = words
	g.declarations.options, g.sources.options = words, words
	return g
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
		r.parser = participle.MustBuild[S](r.options...)
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

// window hands over tokens to participle.
type window []token

func (w *window) Next() (token, error) {
	if len(*w) == 0 {
		return plex.EOFToken(plex.Position{}), nil
	}
	t := (*w)[0]
	*w = (*w)[1:]
	return t, nil
}

// readStatement reads a statement by the struct that its first token calls for.
func (b *builder) readStatement(first *token, s *ast.Stmt) {
	switch first.Type {
	case lexer.Assign:
		readSimple(b, first, s, (*builder).readAssignment)
	case lexer.Word, lexer.Redirect:
		readSimple(b, first, s, (*builder).readPipeline)
	case lexer.Keyword:
		b.readKeyword(first, s)
	default:
		readSimple(b, first, s, func(b *builder) (ast.Node, error) { return nil, b.wantedHere("a command") })
	}
}

// readKeyword reads a statement that a keyword begins.
func (b *builder) readKeyword(first *token, s *ast.Stmt) {
	g := b.grammar
	switch first.Value {
	case "try":
		block(b, first, s, &g.tries)
	case "for", "forany", "forall":
		block(b, first, s, &g.loops)
	case "while":
		block(b, first, s, &g.whiles)
	case "if":
		block(b, first, s, &g.ifs)
	case "function":
		block(b, first, s, &g.functions)
	case "resource":
		block(b, first, s, &g.resources)
	case "sense":
		block(b, first, s, &g.senses)
	case "on":
		block(b, first, s, &g.engines)
	case "break", "continue":
		oneLine(b, first, s, &g.leaves)
	case "return":
		oneLine(b, first, s, &g.returns)
	case "shift":
		oneLine(b, first, s, &g.shifts)
	case "export", "local":
		b.declaration(first, s)
	case "secret":
		oneLine(b, first, s, &g.secrets)
	case "source":
		oneLine(b, first, s, &g.sources)
	case "slots":
		oneLine(b, first, s, &g.slots)
	case "budget":
		oneLine(b, first, s, &g.budgets)
	case "breaker":
		oneLine(b, first, s, &g.breakers)
	}
}

// declaration goes to one struct or the other by the token after the keyword.
func (b *builder) declaration(first *token, s *ast.Stmt) {
	if b.tokens[b.i+1].Type == lexer.Assign {
		oneLine(b, first, s, &b.grammar.definitions)
	} else {
		oneLine(b, first, s, &b.grammar.declarations)
	}
}

// readClause reads a clause of a try by the struct that its first word calls for.
func (b *builder) readClause(t *ast.Try, first *token) error {
	g := b.grammar
	if first.Type == lexer.Clause {
		switch first.Value {
		case "each", "every":
			return part(b, first, t, &g.paces)
		case "backoff":
			return part(b, first, t, &g.backoffs)
		case "only", "except", "unknown":
			return part(b, first, t, &g.conditions)
		case "via", "key":
			return part(b, first, t, &g.labels)
		}
	}
	return b.readLimits(t)
}
