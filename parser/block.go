package parser

import (
	"ftsh/ast"
)

// test makes what an if or a while decides by.
func (b *builder) test(t *test) ast.Test {
	switch {
	case t == nil:
		return ast.Test{}
	case t.try:
		b.keyword(&t.command.first.tokens[0])
		return ast.Test{Try: b.pipeline(&t.command)}
	}
	return ast.Test{Expr: b.climb(&t.expr, false)}
}

// noSections reports the further groups of a statement that has none.
func (b *builder) noSections(sections []*section, first *token) {
	for _, s := range sections {
		b.misplaced(s.word, first)
		b.group(&s.body)
	}
}

func (b *builder) misplaced(section, first *token) {
	owner := "a try"
	if section.Value == "else" || section.Value == "else if" {
		owner = "an if"
	}
	b.errorf(b.pos(section), "%s belongs to %s, not to the %s of line %d", section.Value, owner, first.Value, first.Pos.Line)
}

// trySections makes verify, catch and finally.
func (b *builder) trySections(t *ast.Try, sections []*section, first *token) {
	last := -1
	for _, s := range sections {
		places := [...]**ast.Group{&t.Verify, &t.Catch, &t.Finally}
		order := sectionOrder(s.word.Value)
		switch {
		case order < 0:
			b.noSections([]*section{s}, first)
			continue
		case *places[order] != nil:
			b.errorf(b.pos(s.word), "a second %s in the try of line %d", s.word.Value, first.Pos.Line)
		case order < last:
			b.errorf(b.pos(s.word), "%s stands before %s", s.word.Value, [...]string{"verify", "catch", "finally"}[last])
		}
		last = max(last, order)
		s.rest.get(b, s.word)
		g := b.group(&s.body)
		*places[order] = &g
	}
}

// sectionOrder is the place of a try's further group among them.
func sectionOrder(keyword string) int {
	switch keyword {
	case "verify":
		return 0
	case "catch":
		return 1
	case "finally":
		return 2
	}
	return -1
}

// ifSections makes else if and else.
func (b *builder) ifSections(i *ast.If, sections []*section, first *token) {
	for _, s := range sections {
		switch s.word.Value {
		case "else if":
			b.afterElse(i, s.word)
			branch := ast.Branch{Pos: b.pos(s.word), Test: b.test(s.test.get(b, s.word))}
			branch.Body = b.group(&s.body)
			i.Branches = append(i.Branches, branch)
		case "else":
			b.afterElse(i, s.word)
			s.rest.get(b, s.word)
			g := b.group(&s.body)
			i.Else = &g
		default:
			b.noSections([]*section{s}, first)
		}
	}
}

func (b *builder) afterElse(i *ast.If, word *token) {
	if i.Else != nil {
		b.errorf(b.pos(word), "%s after the else of the same if", article(word.Value))
	}
}

func loopKind(word string) ast.Loop {
	switch word {
	case "forany":
		return ast.Any
	case "forall":
		return ast.All
	}
	return ast.InTurn
}

// loopHead makes the variable, the list and the options of a loop.
func (b *builder) loopHead(f *ast.For, head *loopHead) {
	if head == nil {
		return
	}
	b.literalName(head.name.token, f.Kind.String())
	f.Var = b.variable(head.name.token.Value)
	f.List = make([]ast.Expr, 0, len(head.list.list))
	for i := range head.list.list {
		f.List = append(f.List, b.climb(&head.list.list[i], true))
	}
	for i := range head.options.list {
		b.option(f, &head.options.list[i])
	}
}

// option makes what follows the list of a loop.
func (b *builder) option(f *ast.For, o *option) {
	owner, before := ast.Any, false
	switch o.word.Value {
	case ".inorder.":
		f.Inorder, before = true, f.Inorder
	case ".hedge.":
		before = f.Hedge != nil
		f.Hedge = b.period(&o.time)
	case ".limit.":
		owner, before = ast.All, f.Limit != nil
		f.Limit = b.climb(&o.number, false)
	case ".keepgoing.":
		owner, before = ast.All, f.Keepgoing
		f.Keepgoing = true
	}
	if owner != f.Kind {
		b.errorf(b.pos(o.word), "%s belongs to %s, not to %s", o.word.Value, owner, f.Kind)
		return
	}
	b.once(o.word, before)
}
