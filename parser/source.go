package parser

import (
	"ftsh/ast"
)

// sourceFile reads and parses what a script sources.
func (b *builder) sourceFile(path, first *token) ast.Node {
	out := &ast.SourceFile{Path: b.word(path, false)}
	name, literal := out.Path.Literal()
	if !literal {
		b.errorf(b.pos(path), "source takes a literal path")
		return out
	}
	name = folder(b.src.Name) + name
	text, err := b.config.ReadFile(name)
	if err != nil {
		b.errorf(b.pos(path), "cannot read %s: %v", name, err)
		return out
	}
	out.File = b.program.parse(&ast.Source{Name: name, Text: string(text)})
	return out
}
