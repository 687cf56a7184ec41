package parser

import (
	"github.com/alecthomas/participle/v2/lexer"

	"ftsh/ast"
)

// The grammar: one struct per statement, with the method that turns it into its
// node beside it. Literals are keywords, which the lexer only hands over where
// they are called for; @@ is another struct, or one of the leaves of leaf.go.

// NAME=[EXPR]
type assign struct {
	Name  lexer.Token `parser:"@Assign"`
	Value *expression `parser:"@@?"`
}

func (s *assign) node(b *builder, first *token) ast.Node {
	return &ast.Assign{Var: b.variable(s.Name.Value), Value: b.optional(s.Value)}
}

// WORD… [| WORD…]…
type command struct {
	First phrase   `parser:"@@"`
	Rest  []*stage `parser:"@@*"`
}

// | WORD…
type stage struct {
	Bar    lexer.Token `parser:"@Bar"`
	Phrase phrase      `parser:"@@"`
}

func (s *command) node(b *builder, first *token) ast.Node {
	command := b.command(&s.First)
	if len(s.Rest) == 0 {
		return command
	}
	p := &ast.Pipeline{Stages: []*ast.Command{command}}
	for _, r := range s.Rest {
		p.Joins = append(p.Joins, b.join(&r.Bar))
		p.Stages = append(p.Stages, b.command(&r.Phrase))
	}
	return p
}

// What every statement with an end has after its first line.
type block struct {
	Body     group      `parser:"@@"`
	Sections []*section `parser:"@@*"`
	End      end        `parser:"@@"`
}

// catch, finally, verify, else, else if TEST. Which of them a statement can have
// is seen when the tree is made, so that one that is out of place costs no other error.
type section struct {
	ElseIf lexer.Token `parser:"( @'else if'"`
	Test   line[test]  `parser:"  @@"`
	Word   lexer.Token `parser:"| @( 'catch' | 'finally' | 'verify' | 'else' )"`
	Rest   lineEnd     `parser:"  @@ )"`
	Body   group       `parser:"@@"`
}

// try [LIMITS] [CLAUSE]…
type try struct {
	Head line[tryHead] `parser:"'try' @@"`
	block
}

type tryHead struct {
	Clauses []*clause `parser:"@@*"`
}

type clause struct {
	Each    *period     `parser:"  'each' @@"`
	Every   *period     `parser:"| 'every' @@"`
	Backoff *backoff    `parser:"| 'backoff' @@"`
	On      *conditions `parser:"| @@"`
	Via     lexer.Token `parser:"| 'via' @Word"`
	Key     lexer.Token `parser:"| 'key' @Word"`
	Limits  *limits     `parser:"| @@"`
}

// [for] 30 minutes or 5 times
type limits struct {
	Amounts []*amount `parser:"'for'? @@+"`
}

type amount struct {
	Or    bool        `parser:"@'or'?"`
	Value expression  `parser:"@@"`
	Unit  lexer.Token `parser:"@( Unit | 'times' | 'time' )?"`
}

// 1 hour 30 minutes
type period struct {
	Terms []*term `parser:"@@+"`
}

// POLICY [from T] [to M] [by F] [jitter J]
type backoff struct {
	Policy lexer.Token      `parser:"@Word"`
	Parts  []*backoffClause `parser:"@@*"`
}

type backoffClause struct {
	From   *period     `parser:"  'from' @@"`
	To     *period     `parser:"| 'to' @@"`
	By     *expression `parser:"| 'by' @@"`
	Jitter *expression `parser:"| 'jitter' @@"`
}

// only on 75 timeout matching PATTERN
type conditions struct {
	Word lexer.Token  `parser:"@( 'only' | 'except' | 'unknown' ) 'on'"`
	List []*condition `parser:"@@+"`
}

type condition struct {
	Matching lexer.Token `parser:"  'matching' @Word"`
	Value    *expression `parser:"| @@"`
}

func (s *try) node(b *builder, first *token) ast.Node {
	t := &ast.Try{}
	b.tryHead(t, s.Head.get(b, first), first)
	t.Body = b.group(&s.Body)
	b.trySections(t, s.Sections, first)
	return t
}

// for|forany|forall NAME in LIST [OPTION]…
type loop struct {
	Head line[loopHead] `parser:"( 'for' | 'forany' | 'forall' ) @@"`
	block
}

type loopHead struct {
	Name    lexer.Token   `parser:"@Word"`
	List    expressions   `parser:"'in' @@"`
	Options []*loopOption `parser:"@@*"`
}

type loopOption struct {
	Word  lexer.Token `parser:"@( '.inorder.' | '.keepgoing.'"`
	Hedge *period     `parser:"| '.hedge.' @@"`
	Limit *expression `parser:"| '.limit.' @@ )"`
}

func (s *loop) node(b *builder, first *token) ast.Node {
	f := &ast.For{Kind: loopKind(first.Value)}
	b.loopHead(f, s.Head.get(b, first))
	f.Body = b.group(&s.Body)
	b.noSections(first, s.Sections)
	return f
}

// while TEST
type while struct {
	Test line[test] `parser:"'while' @@"`
	block
}

// try COMMAND, or EXPR
type test struct {
	Try  *command    `parser:"  'try' @@"`
	Expr *expression `parser:"| @@"`
}

func (s *while) node(b *builder, first *token) ast.Node {
	w := &ast.While{Test: b.test(s.Test.get(b, first))}
	w.Body = b.group(&s.Body)
	b.noSections(first, s.Sections)
	return w
}

// if TEST … [else if TEST …]… [else …]
type conditional struct {
	Test line[test] `parser:"'if' @@"`
	block
}

func (s *conditional) node(b *builder, first *token) ast.Node {
	branch := ast.Branch{Pos: b.pos(first), Test: b.test(s.Test.get(b, first))}
	branch.Body = b.group(&s.Body)
	i := &ast.If{Branches: []ast.Branch{branch}}
	b.ifSections(i, s.Sections, first)
	return i
}

// function NAME
type function struct {
	Head line[functionHead] `parser:"'function' @@"`
	block
}

type functionHead struct {
	Name lexer.Token `parser:"@Word"`
}

func (s *function) node(b *builder, first *token) ast.Node {
	return b.function(s, first)
}

// return [EXPR]
type returns struct {
	Value *expression `parser:"'return' @@?"`
}

func (s *returns) node(b *builder, first *token) ast.Node {
	b.insideFunction(first)
	return &ast.Return{Value: b.optional(s.Value)}
}

// shift [N]
type shift struct {
	By *expression `parser:"'shift' @@?"`
}

func (s *shift) node(b *builder, first *token) ast.Node { return &ast.Shift{By: b.optional(s.By)} }

// export NAME, export NAME=[EXPR]; local the same
type declaration struct {
	Assign *assign     `parser:"( 'export' | 'local' ) ( @@"`
	Name   lexer.Token `parser:"| @Word )"`
}

func (s *declaration) node(b *builder, first *token) ast.Node {
	return b.declaration(s, first)
}

// source PATH
type source struct {
	Path lexer.Token `parser:"'source' @Word"`
}

func (s *source) node(b *builder, first *token) ast.Node { return b.sourceFile(&s.Path, first) }
