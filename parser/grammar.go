package parser

import (
	"slices"

	"ftsh/ast"
	"ftsh/lexer"
)

// The grammar: one struct per statement, which participle reads from the tokens of
// its first line, and beside it the method that makes its node. A word in quotes is a
// keyword, or a word of a clause: a token of its own only where the lexer expects one
// (ast/vocabulary.go). Keyword and Clause stand for the word by which the grammar
// found the struct. @@ stands for what the builder's method for the field's type reads,
// as nodes of the tree at once.
//
// The groups under that line are read by the method, which calls b.group: the lists of
// statements are not participle's, so that nothing is read twice and nothing but
// the tree is kept. There are only sequences here; participle's own choices and
// repetitions were half of the time of parsing, and building them most of the time of
// starting.

// statement is the struct of a statement.
type statement interface {
	// newNode makes the tree's node of it; first is its first token.
	newNode(b *builder, first *token) ast.Node
}

// WORD… [| WORD…]…, and NAME=[EXPR]
//
// Three of four statements are these; they are read without participle.

// try [LIMITS] [CLAUSE]… · group · [verify · group] [catch · group] [finally · group] · end
type try struct {
	Header leaf[*ast.Try] `parser:"'try' @@"`
}

func (s *try) newNode(b *builder, first *token) ast.Node {
	t, ok := s.Header.(*ast.Try)
	if !ok {
		t = &ast.Try{} // the line was wrong
	}
	t.Body = b.readGroup()
	words, _, _ := ast.Sections()
	places := [...]**ast.Group{&t.Verify, &t.Catch, &t.Finally}
	last := -1
	b.readSections(first, func(word *token) bool {
		order := slices.Index(words, word.Value)
		switch {
		case order < 0:
			return false
		case *places[order] != nil:
			b.errorf(b.posOf(word), "a second %s in the try of line %d", word.Value, first.Pos.Line)
		case order < last:
			b.errorf(b.posOf(word), "%s stands before %s", word.Value, words[last])
		}
		last = max(last, order)
		*places[order] = b.readSection(word)
		return true
	})
	return t
}

// The clauses of its first line, but for LIMITS, which the builder reads (readLimits in try.go). The method of each
// puts it into the try; what depends on the whole line is checked at its end (whyUnfit).

// clause returns the reader of what begins with a token in the first line of a try: a clause, or limits.
func (g *grammar) clause(first *token) clauseReader {
	word := first.Value
	if read := g.clauses[word]; read != nil && first.Type == lexer.Clause {
		return read
	}
	var read clauseReader
	switch {
	case first.Type != lexer.Clause:
		return (*builder).readLimits
	case word == "each", word == "every":
		read = clause[pace](readBy[leaf[*ast.Period]](g, (*builder).readPeriod))
	case word == "backoff":
		read = clause[backoff](readBy[leaf[*ast.Backoff]](g, (*builder).readSettings))
	case word == "only", word == "except", word == "unknown":
		read = clause[conditions](readBy[leaf[[]ast.Condition]](g, (*builder).conditions))
	case word == "via", word == "key":
		read = clause[label]()
	default:
		return (*builder).readLimits
	}
	g.clauses[word] = read
	return read
}

// each T, every T
type pace struct {
	Time leaf[*ast.Period] `parser:"Clause @@"`
}

func (c *pace) addClause(b *builder, t *ast.Try, first *token) {
	place := &t.Each
	if first.Value == "every" {
		place = &t.Every
	}
	b.checkOnce(first, *place != nil)
	*place = leafValue[*ast.Period](c.Time)
}

// backoff POLICY [from T] [to M] [by F] [jitter J]
type backoff struct {
	Policy   token              `parser:"'backoff' @Word"`
	Settings leaf[*ast.Backoff] `parser:"@@"`
}

func (c *backoff) addClause(b *builder, t *ast.Try, first *token) {
	b.checkOnce(first, t.Backoff != nil)
	t.Backoff = leafValue[*ast.Backoff](c.Settings)
	t.Backoff.Pos, t.Backoff.Policy = b.posOf(first), b.checkPolicy(&c.Policy)
}

// only on LIST, except on LIST, unknown on LIST
type conditions struct {
	List leaf[[]ast.Condition] `parser:"Clause 'on' @@"`
}

func (c *conditions) addClause(b *builder, t *ast.Try, first *token) {
	on := &ast.Conditions{Pos: b.posOf(first), Except: first.Value == "except", List: leafValue[[]ast.Condition](c.List)}
	place, what := &t.On, "only on or except on in one try; there can be one of them"
	if first.Value == "unknown" {
		place, what = &t.Unknown, "unknown on in one try"
	}
	if *place != nil {
		b.errorf(on.Pos, "a second %s", what)
	}
	*place = on
}

// via NAME, key WORD
type label struct {
	Word token `parser:"Clause @Word"`
}

func (c *label) addClause(b *builder, t *ast.Try, first *token) {
	place := &t.Key
	if first.Value == "via" {
		place = &t.Via
	}
	b.checkOnce(first, *place != nil)
	*place = b.splitWord(&c.Word, false)
	if first.Value == "via" {
		b.noteVia(t.Via)
	}
}

// resource NAME · [slots] [budget] [breaker] [sense] · end
type resource struct {
	Name token `parser:"'resource' @Word"`
}

func (s *resource) newNode(b *builder, first *token) ast.Node {
	r := &ast.Resource{Pos: b.posOf(first), Name: s.Name.Value}
	b.defineResource(r, &s.Name, first)
	r.Body = b.readGroup()
	b.onlySettings(&r.Body)
	return r
}

// slots N
type slots struct {
	Count ast.Expr `parser:"'slots' @@"`
}

func (s *slots) newNode(b *builder, _ *token) ast.Node {
	b.checkCount(s.Count, "slots", mostSlots)
	return &ast.Slots{Count: s.Count}
}

// budget P percent [at least N per minute]
type budget struct {
	Percent ast.Expr `parser:"'budget' @@ 'percent'"`
	AtLeast ast.Expr `parser:"('at' 'least' @@ 'per' 'minute')?"`
}

func (s *budget) newNode(b *builder, _ *token) ast.Node {
	b.checkNotNegative(s.Percent, "budget %s: wanted a number from 0 to 100")
	b.checkNotNegative(s.AtLeast, "at least %s per minute: wanted a number from 0 on")
	return &ast.Budget{Percent: s.Percent, AtLeast: s.AtLeast}
}

// breaker N failures in T [probe every T]
type breaker struct {
	Failures ast.Expr          `parser:"'breaker' @@ ('failures' | 'failure')"`
	Within   leaf[*ast.Period] `parser:"'in' @@"`
	Probe    leaf[*ast.Period] `parser:"('probe' 'every' @@)?"`
}

func (s *breaker) newNode(b *builder, _ *token) ast.Node {
	b.checkCount(s.Failures, "failures", mostFailures)
	return &ast.Breaker{Failures: s.Failures, Within: leafValue[*ast.Period](s.Within),
		Probe: leafValue[*ast.Period](s.Probe)}
}

// sense · group · end
type sense struct {
	Word token `parser:"@'sense'"`
}

func (s *sense) newNode(b *builder, _ *token) ast.Node { return &ast.Sense{Body: b.groupIn("sense")} }

// on ENGINE [OPTION]… [.limit. N] [.pilots. N] · group · end, on start · group · end
type engine struct {
	Place leaf[*ast.On] `parser:"'on' @@"`
}

func (s *engine) newNode(b *builder, first *token) ast.Node {
	n, ok := s.Place.(*ast.On)
	if !ok {
		n = &ast.On{} // the line was wrong
	}
	if n.Engine == ast.Start {
		b.checkStart(first, n)
	}
	outside := b.starting
	b.starting = n.Engine == ast.Start
	n.Body = b.readGroup()
	b.starting = outside
	return n
}

// for|forany|forall NAME in LIST [OPTION]… · group · end
type loop struct {
	Name  token       `parser:"Keyword @Word 'in'"`
	Items leaf[items] `parser:"@@"`
}

func (s *loop) newNode(b *builder, first *token) ast.Node {
	f := &ast.For{Kind: loopKind(first.Value), List: leafValue[items](s.Items).list}
	if s.Name.Value != "" {
		b.literalName(&s.Name, first.Value)
		f.Var = b.numberVariable(s.Name.Value)
	}
	for _, o := range leafValue[items](s.Items).options {
		b.setOption(f, o)
	}
	f.Body = b.groupIn(first.Value)
	return f
}

// while TEST · group · end
type while struct {
	Test leaf[ast.Test] `parser:"'while' @@"`
}

func (s *while) newNode(b *builder, _ *token) ast.Node {
	return &ast.While{Test: leafValue[ast.Test](s.Test), Body: b.groupIn("while")}
}

// if TEST · group · [else if TEST · group]… [else · group] · end
type conditional struct {
	Test leaf[ast.Test] `parser:"'if' @@"`
}

func (s *conditional) newNode(b *builder, first *token) ast.Node {
	i := &ast.If{Branches: []ast.Branch{{Pos: b.posOf(first), Test: leafValue[ast.Test](s.Test), Body: b.readGroup()}}}
	b.branches(i, first, "else if", (*builder).readTest)
	return i
}

// case VALUE · when PATTERN… · group · [when PATTERN… · group]… [else · group] · end
type choice struct {
	Value ast.Expr `parser:"'case' @@"`
}

func (s *choice) newNode(b *builder, first *token) ast.Node {
	i := &ast.If{Case: s.Value, Head: b.readGroup()}
	b.branches(i, first, "when", (*builder).readPatterns)
	b.checkCase(i, first)
	return i
}

// break, continue
type leave struct {
	Word token `parser:"@Keyword"`
}

func (s *leave) newNode(b *builder, first *token) ast.Node {
	b.inLoop(first)
	if first.Value == "break" {
		return &ast.Break{}
	}
	return &ast.Continue{}
}

// function NAME · group · end
type function struct {
	Name token `parser:"'function' @Word"`
}

func (s *function) newNode(b *builder, first *token) ast.Node {
	f := &ast.Function{Pos: b.posOf(first), Name: s.Name.Value}
	b.defineFunction(f, &s.Name, first)
	b.functionBody(f, first)
	return f
}

// return [EXPR]
type result struct {
	Value value `parser:"'return' @@"`
}

func (s *result) newNode(b *builder, first *token) ast.Node {
	b.inFunction(first)
	b.mayReturn(first)
	return &ast.Return{Value: s.Value}
}

// shift [N]
type shift struct {
	By value `parser:"'shift' @@"`
}

func (s *shift) newNode(*builder, *token) ast.Node { return &ast.Shift{By: s.By} }

// export NAME, local NAME
type declaration struct {
	Name token `parser:"Keyword @Word"`
}

func (s *declaration) newNode(b *builder, first *token) ast.Node {
	return b.newDeclaration(first, &s.Name, false, nil)
}

// export NAME=[EXPR], local NAME=[EXPR]
type definition struct {
	Name  token `parser:"Keyword @Assign"`
	Value value `parser:"@@"`
}

func (s *definition) newNode(b *builder, first *token) ast.Node {
	return b.newDeclaration(first, &s.Name, true, s.Value)
}

// secret NAME…
type secret struct {
	Names leaf[[]ast.Var] `parser:"'secret' @@"`
}

func (s *secret) newNode(*builder, *token) ast.Node {
	return &ast.Secret{Vars: leafValue[[]ast.Var](s.Names)}
}

// source PATH
type source struct {
	Path token `parser:"'source' @Word"`
}

func (s *source) newNode(b *builder, _ *token) ast.Node { return b.sourceFile(&s.Path) }
