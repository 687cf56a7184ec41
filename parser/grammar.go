package parser

import (
	"github.com/alecthomas/participle/v2/lexer"

	"ftsh/ast"
)

// The grammar: one struct per statement, with the method that turns it into its
// node beside it. A word in quotes is a keyword, which the lexer only hands over
// where one is called for; Keyword and Clause stand for the one that was looked at
// to come here; @@ is what the field's type reads.
//
// There are only sequences here. Where there is a choice, the type of the field is
// a leaf (leaf.go, group.go) that looks at one token and enters the right struct:
// participle's own choices and repetitions were half of the time of parsing, and
// building them most of the time of starting.

// statement is one of these structs.
type statement interface {
	// node makes the tree's node of it; first is its first token.
	node(b *builder, first *token) ast.Node
}

// WORD… [| WORD…]…
//
// Three of four statements are commands and assignments, and both are a leaf and
// nothing else, so they go around participle.
type command struct {
	stages
}

func (s *command) node(b *builder, first *token) ast.Node { return b.pipeline(&s.stages) }

// NAME=[EXPR]
type assign struct {
	value
}

func (s *assign) node(b *builder, first *token) ast.Node {
	return &ast.Assign{Var: b.variable(first.Value), Value: b.value(&s.value)}
}

// try [LIMITS] [CLAUSE]… · group · [verify · group] [catch · group] [finally · group] · end
type try struct {
	Frame frame[clauses] `parser:"'try' @@"`
}

func (s *try) node(b *builder, first *token) ast.Node {
	t := &ast.Try{}
	b.clauses(t, s.Frame.head.get(b, first))
	t.Body = b.group(&s.Frame.body)
	b.trySections(t, s.Frame.sections, first)
	return t
}

// clause is a part of a try's first line: one of the four structs below, or limits.
type clause interface {
	add(b *builder, t *ast.Try, first *token)
}

// each T, every T
type pace struct {
	Time period `parser:"Clause @@"`
}

func (c *pace) add(b *builder, t *ast.Try, first *token) {
	place := &t.Each
	if first.Value == "every" {
		place = &t.Every
	}
	b.once(first, *place != nil)
	*place = b.period(&c.Time)
}

// backoff POLICY [from T] [to M] [by F] [jitter J]
type backoff struct {
	Policy name     `parser:"'backoff' @@"`
	Parts  settings `parser:"@@"`
}

func (c *backoff) add(b *builder, t *ast.Try, first *token) {
	b.once(first, t.Backoff != nil)
	t.Backoff = &ast.Backoff{Pos: b.pos(first), Policy: b.policy(c.Policy.token)}
	b.settings(t.Backoff, &c.Parts)
}

// only on LIST, except on LIST, unknown on LIST
type conditions struct {
	List conditionList `parser:"Clause 'on' @@"`
}

func (c *conditions) add(b *builder, t *ast.Try, first *token) {
	on := &ast.Conditions{Pos: b.pos(first), Except: first.Value == "except", List: b.conditions(&c.List)}
	if first.Value == "unknown" {
		if t.Unknown != nil {
			b.errorf(on.Pos, "a second unknown on in one try")
		}
		t.Unknown = on
		return
	}
	if t.On != nil {
		b.errorf(on.Pos, "a second only on or except on in one try; there can be one of them")
	}
	t.On = on
}

// via NAME, key WORD
type label struct {
	Word name `parser:"Clause @@"`
}

func (c *label) add(b *builder, t *ast.Try, first *token) {
	place := &t.Key
	if first.Value == "via" {
		place = &t.Via
	}
	b.once(first, *place != nil)
	*place = b.word(c.Word.token, false)
	if first.Value == "via" {
		b.mention(t.Via)
	}
}

// resource NAME · [slots] [budget] [breaker] [sense] · end
type resource struct {
	Frame frame[name] `parser:"'resource' @@"`
}

func (s *resource) node(b *builder, first *token) ast.Node {
	r := &ast.Resource{Pos: b.pos(first)}
	b.provide(r, s.Frame.head.get(b, first), first)
	r.Body = b.group(&s.Frame.body)
	b.onlySettings(&r.Body)
	b.noSections(s.Frame.sections, first)
	return r
}

// slots N
type slots struct {
	Count expression `parser:"'slots' @@"`
}

func (s *slots) node(b *builder, first *token) ast.Node {
	return &ast.Slots{Count: b.count(&s.Count, "slots", mostSlots)}
}

// budget P percent
type budget struct {
	Percent share `parser:"'budget' @@"`
}

func (s *budget) node(b *builder, first *token) ast.Node {
	return &ast.Budget{Percent: b.percent(&s.Percent.number)}
}

// breaker N failures in T [probe every T]
type breaker struct {
	Failures failures `parser:"'breaker' @@"`
	Within   within   `parser:"@@"`
	Probe    probe    `parser:"@@"`
}

func (s *breaker) node(b *builder, first *token) ast.Node {
	n := &ast.Breaker{Failures: b.count(&s.Failures.count, "failures", mostFailures), Within: b.period(&s.Within.time)}
	if len(s.Probe.time.terms) > 0 {
		n.Probe = b.period(&s.Probe.time)
	}
	return n
}

// sense · group · end
type sense struct {
	Frame frame[nothing] `parser:"'sense' @@"`
}

func (s *sense) node(b *builder, first *token) ast.Node {
	s.Frame.head.get(b, first)
	n := &ast.Sense{Body: b.group(&s.Frame.body)}
	b.noSections(s.Frame.sections, first)
	return n
}

// for|forany|forall NAME in LIST [OPTION]… · group · end
type loop struct {
	Frame frame[loopHead] `parser:"Keyword @@"`
}

func (s *loop) node(b *builder, first *token) ast.Node {
	f := &ast.For{Kind: loopKind(first.Value)}
	b.loopHead(f, s.Frame.head.get(b, first))
	f.Body = b.group(&s.Frame.body)
	b.noSections(s.Frame.sections, first)
	return f
}

// while TEST · group · end
type while struct {
	Frame frame[test] `parser:"'while' @@"`
}

func (s *while) node(b *builder, first *token) ast.Node {
	w := &ast.While{Test: b.test(s.Frame.head.get(b, first))}
	w.Body = b.group(&s.Frame.body)
	b.noSections(s.Frame.sections, first)
	return w
}

// if TEST · group · [else if TEST · group]… [else · group] · end
type conditional struct {
	Frame frame[test] `parser:"'if' @@"`
}

func (s *conditional) node(b *builder, first *token) ast.Node {
	branch := ast.Branch{Pos: b.pos(first), Test: b.test(s.Frame.head.get(b, first))}
	branch.Body = b.group(&s.Frame.body)
	i := &ast.If{Branches: []ast.Branch{branch}}
	b.ifSections(i, s.Frame.sections, first)
	return i
}

// function NAME · group · end
type function struct {
	Frame frame[name] `parser:"'function' @@"`
}

func (s *function) node(b *builder, first *token) ast.Node {
	f := &ast.Function{Pos: b.pos(first)}
	b.define(f, s.Frame.head.get(b, first), first)
	b.functionBody(f, &s.Frame.body, first)
	b.noSections(s.Frame.sections, first)
	return f
}

// return [EXPR]
type returns struct {
	Value value `parser:"'return' @@"`
}

func (s *returns) node(b *builder, first *token) ast.Node {
	b.inFunction(first)
	return &ast.Return{Value: b.value(&s.Value)}
}

// shift [N]
type shift struct {
	By value `parser:"'shift' @@"`
}

func (s *shift) node(b *builder, first *token) ast.Node { return &ast.Shift{By: b.value(&s.By)} }

// export NAME, local NAME
type declaration struct {
	Name name `parser:"Keyword @@"`
}

func (s *declaration) node(b *builder, first *token) ast.Node {
	return b.declaration(first, s.Name.token, nil)
}

// export NAME=[EXPR], local NAME=[EXPR]
type declarationValue struct {
	Name  lexer.Token `parser:"Keyword @Assign"`
	Value value       `parser:"@@"`
}

func (s *declarationValue) node(b *builder, first *token) ast.Node {
	return b.declaration(first, &s.Name, &s.Value)
}

// source PATH
type source struct {
	Path name `parser:"'source' @@"`
}

func (s *source) node(b *builder, first *token) ast.Node { return b.sourceFile(s.Path.token) }
