package parser

import (
	"slices"
	"strings"

	"ftsh/ast"
	"ftsh/lexer"
)

// readSecrets reads the names after secret.
func (b *builder) readSecrets() (list []ast.Var, err error) {
	if b.peekToken().Type != lexer.Word {
		return nil, b.wantedHere("the name of a variable after secret")
	}
	for b.peekToken().Type == lexer.Word {
		t := b.nextToken()
		if name, _, assigned := strings.Cut(t.Value, "="); assigned && ast.IsName(name) {
			b.errorf(b.posOf(t), "secret takes names only; write  secret %s  and, on a line of its own,  %[1]s=value", name)
			continue
		}
		b.literalName(t, "secret")
		list = append(list, b.numberVariable(t.Value))
		if !slices.Contains(b.secretNames, t.Value) {
			b.secretNames = append(b.secretNames, t.Value)
		}
	}
	return list, nil
}
