package parser

import (
	"slices"

	"ftsh/ast"
	"ftsh/ast/diag"
	"ftsh/lexer"
)

// defineFunction makes a function known to the whole script.
func (b *builder) defineFunction(f *ast.Function, name, first *token) {
	if b.depth > 1 {
		b.errorf(b.posOf(first), "a function is defined at the top level, not inside another statement")
	}
	if name.Value == "" {
		return
	}
	before, known := b.defined[f.Name]
	switch pos := b.posOf(name); {
	case !ast.IsName(f.Name):
		b.errorf(pos, "expected a name for the function, of letters, digits and _, not %s", quoteSource(f.Name))
	case ast.IsKeyword(f.Name):
		b.errorf(pos, "%s is a keyword, a function of that name could not be called", f.Name)
	case known:
		b.errorf(pos, "function %s is defined a second time, the first is at %s", f.Name, before)
	default:
		b.noteFunction(f.Name, f.Pos)
		b.program.functions = append(b.program.functions, f)
	}
}

// noteFunction notes where a function is defined.
func (p *program) noteFunction(name string, pos ast.Pos) {
	if p.defined == nil {
		p.defined = map[string]ast.Pos{}
	}
	p.defined[name] = pos
}

// noteCall notes a call in an expression, for resolveNames. The function may come further down.
func (b *builder) noteCall(x *ast.Call) {
	if !b.defined[x.Name].IsValid() {
		b.program.calls = append(b.program.calls, x)
	}
}

// addMendable adds an error that what follows may mend, but not at a prompt.
func (p *program) addMendable(e *diag.Error, open string) {
	if !p.config.Interactive {
		e.Incomplete, e.Open = true, open
	}
	p.errors = append(p.errors, e)
}

// functionBody reads the group of a function.
func (b *builder) functionBody(f *ast.Function, first *token) {
	inside, locals := b.inside, b.locals
	b.inside, b.locals = first, b.declaredNames(first)
	f.Locals = b.locals
	f.Body = b.groupIn("function")
	b.inside, b.locals = inside, locals
}

// declaredNames lists the names that a function declares local. Mentions before the
// declaration have to know, so it cannot wait until that is reached.
func (b *builder) declaredNames(first *token) (names []string) {
	for b.seen < len(b.tokens) && b.tokens[b.seen].Pos.Offset <= first.Pos.Offset {
		b.seen++
	}
	for ; b.seen+1 < len(b.tokens) && !isToken(&b.tokens[b.seen], lexer.Keyword, "function"); b.seen++ {
		name := b.tokens[b.seen+1].Value
		if isToken(&b.tokens[b.seen], lexer.Keyword, "local") && ast.IsName(name) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// inFunction reports a statement that stands in no function.
func (b *builder) inFunction(t *token) {
	if b.inside == nil {
		b.errorf(b.posOf(t), "%s outside of a function", t.Value)
	}
}

// newDeclaration makes an export or a local.
func (b *builder) newDeclaration(word, name *token, assigned bool, value ast.Expr) ast.Node {
	b.literalName(name, word.Value)
	v := b.numberVariable(name.Value)
	if word.Value == "export" {
		return &ast.Export{Var: v, Assign: assigned, Value: value}
	}
	b.inFunction(word)
	return &ast.Local{Var: v, Assign: assigned, Value: value}
}
