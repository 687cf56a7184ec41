package parser

import (
	"ftsh/ast"
	"ftsh/lexer"
)

// test makes what an if or a while decides by.
func (b *builder) test(t *test) ast.Test {
	switch {
	case t == nil:
		return ast.Test{}
	case t.Try != nil:
		return ast.Test{Try: t.Try.node(b, nil)}
	}
	return ast.Test{Expr: b.expression(t.Expr)}
}

// word of a section: its keyword, wherever it stands.
func (s *section) keyword() *token {
	if s.ElseIf.Type != 0 {
		return &s.ElseIf
	}
	return &s.Word
}

// begin reports what is wrong with a section's first line.
func (s *section) begin(b *builder) {
	if s.Rest.fault != nil {
		b.report(s.Rest.fault, &s.Word)
	}
}

// noSections reports the sections of a statement that has none.
func (b *builder) noSections(first *token, sections []*section) {
	for _, s := range sections {
		b.misplaced(s.keyword(), first)
		b.group(&s.Body)
	}
}

func (b *builder) misplaced(section, first *token) {
	owner := "a try"
	switch section.Value {
	case "else", "else if":
		owner = "an if"
	}
	b.errorf(b.pos(section), "%s belongs to %s, and this is the %s of line %d", section.Value, owner, first.Value, first.Pos.Line)
}

// trySections makes verify, catch and finally.
func (b *builder) trySections(t *ast.Try, sections []*section, first *token) {
	for _, s := range sections {
		word := s.keyword()
		var place **ast.Group
		switch word.Value {
		case "verify":
			b.notYet(word)
			place = &t.Verify
		case "catch":
			place = &t.Catch
		case "finally":
			place = &t.Finally
		default:
			b.misplaced(word, first)
			place = new(*ast.Group)
		}
		if *place != nil {
			b.errorf(b.pos(word), "a second %s in the try of line %d", word.Value, first.Pos.Line)
		} else if t.Finally != nil && place == &t.Catch {
			b.errorf(b.pos(word), "catch stands before finally")
		}
		s.begin(b)
		g := b.group(&s.Body)
		*place = &g
	}
}

// ifSections makes else if and else.
func (b *builder) ifSections(i *ast.If, sections []*section, first *token) {
	for _, s := range sections {
		word := s.keyword()
		switch {
		case word.Value != "else" && word.Value != "else if":
			b.misplaced(word, first)
			b.group(&s.Body)
			continue
		case i.Else != nil:
			b.errorf(b.pos(word), "%s after else", word.Value)
		}
		if word.Value == "else if" {
			branch := ast.Branch{Pos: b.pos(word), Test: b.test(s.Test.get(b, word))}
			branch.Body = b.group(&s.Body)
			i.Branches = append(i.Branches, branch)
			continue
		}
		s.begin(b)
		g := b.group(&s.Body)
		i.Else = &g
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
	if !isName(head.Name.Value) {
		b.errorf(b.pos(&head.Name), "%s is no name; the loop's variable is written without a $", head.Name.Value)
	}
	f.Var = b.variable(head.Name.Value)
	for i := range head.List.list {
		f.List = append(f.List, b.climb(&head.List.list[i], true))
	}
	for _, o := range head.Options {
		b.loopOption(f, o)
	}
}

func (b *builder) loopOption(f *ast.For, o *loopOption) {
	word := &o.Word
	owner, doubled := ast.Any, false
	switch word.Value {
	case ".inorder.":
		f.Inorder, doubled = true, f.Inorder
	case ".hedge.":
		doubled = f.Hedge != nil
		f.Hedge = b.period(o.Hedge, word)
	case ".limit.":
		owner, doubled = ast.All, f.Limit != nil
		f.Limit = b.expression(o.Limit)
	case ".keepgoing.":
		owner, doubled = ast.All, f.Keepgoing
		f.Keepgoing = true
	}
	switch {
	case owner != f.Kind:
		b.errorf(b.pos(word), "%s belongs to %s, not to %s", word.Value, owner, f.Kind)
	case doubled:
		b.errorf(b.pos(word), "a second %s", word.Value)
	}
}

// function makes a function, which the whole script knows.
func (b *builder) function(s *function, first *token) ast.Node {
	f := &ast.Function{Pos: b.pos(first)}
	if head := s.Head.get(b, first); head != nil {
		f.Name = head.Name.Value
		f.Pos = b.pos(&head.Name)
		b.define(f, &head.Name)
	}
	if b.depth > 1 {
		b.errorf(b.pos(first), "a function is defined at the top level, not inside another statement")
	}
	inside, locals := b.inside, b.locals
	b.inside, b.locals = first, declared(b.tokens, first)
	f.Locals = b.locals
	f.Body = b.group(&s.Body)
	b.inside, b.locals = inside, locals
	b.noSections(first, s.Sections)
	return f
}

// define makes a function known.
func (b *builder) define(f *ast.Function, name *token) {
	if !isName(f.Name) {
		b.errorf(b.pos(name), "%s is no name for a function: letters, digits and _", f.Name)
		return
	}
	if before, known := b.defined[f.Name]; known && before != nil {
		b.errorf(b.pos(name), "function %s is defined a second time; the first is at %s", f.Name, before.Pos)
		return
	}
	b.defined[f.Name] = f
	b.functions = append(b.functions, f)
}

// declared lists the names that a function declares local.
func declared(tokens []token, first *token) (names []string) {
	for i := range tokens {
		t := &tokens[i]
		if t.Type != lexer.Keyword || t.Value != "local" || t.Pos.Offset < first.Pos.Offset || i+1 == len(tokens) {
			continue
		}
		if next := &tokens[i+1]; (next.Type == lexer.Assign || next.Type == lexer.Word) && !contains(names, next.Value) {
			names = append(names, next.Value)
		}
	}
	return names
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

func (b *builder) insideFunction(t *token) {
	if b.inside == nil {
		b.errorf(b.pos(t), "%s outside of a function", t.Value)
	}
}

// declaration makes export or local.
func (b *builder) declaration(s *declaration, first *token) ast.Node {
	name, assigned := s.Name, s.Assign != nil
	var value ast.Expr
	if assigned {
		name = s.Assign.Name
		value = b.optional(s.Assign.Value)
	}
	if !isName(name.Value) {
		b.errorf(b.pos(&name), "%s is no name; %s takes the name of one variable, without a $", name.Value, first.Value)
	}
	if first.Value == "export" {
		return &ast.Export{Var: b.variable(name.Value), Assign: assigned, Value: value}
	}
	b.insideFunction(first)
	return &ast.Local{Var: b.variable(name.Value), Assign: assigned, Value: value}
}
