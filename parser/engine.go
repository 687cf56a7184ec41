package parser

import (
	"slices"
	"strings"

	"ftsh/ast"
	"ftsh/ast/submission"
	"ftsh/lexer"
)

// mostJobs is the largest number after .limit. and .pilots.
const mostJobs = 1_000_000

// readPlace reads the words after on.
func (b *builder) readPlace() (n *ast.On, err error) {
	if b.peekToken().Type != lexer.Word {
		return nil, b.wantedHere("the name of an engine after on")
	}
	n = &ast.On{}
	name := b.nextToken()
	if n.Engine = name.Value; n.Engine != ast.Start && !slices.Contains(ast.Engines(), n.Engine) {
		b.errorf(b.posOf(name), "no engine is called %s; there are %s", quoteSource(n.Engine),
			strings.Join(ast.Engines(), ", "))
	}
	for b.peekToken().Type == lexer.Word && err == nil {
		switch t := b.nextToken(); t.Value {
		case ".limit.":
			n.Limit, err = b.readJobs(t, n.Limit)
		case ".pilots.":
			n.Pilots, err = b.readJobs(t, n.Pilots)
		default:
			n.Options = append(n.Options, b.splitWord(t, true))
		}
	}
	b.refuseOptions(n)
	return n, err
}

// checkStart judges on start.
func (b *builder) checkStart(first *token, n *ast.On) {
	switch {
	case b.depth > 1:
		b.errorf(b.posOf(first), "on start stands at the top level, not inside another statement")
	case len(n.Options) > 0:
		b.errorf(n.Options[0].Pos, "on start takes no options")
	case n.Limit != nil || n.Pilots != nil:
		b.errorf(b.posOf(first), "on start takes no options")
	}
}

// readJobs reads the number after .limit. or .pilots.
func (b *builder) readJobs(option *token, before ast.Expr) (ast.Expr, error) {
	b.checkOnce(option, before != nil)
	if b.peekToken().Type != lexer.Word {
		return nil, b.wantedHere("a number after " + option.Value)
	}
	t := b.nextToken()
	number := &ast.Operand{Word: b.splitWord(t, false)}
	if text, literal := number.Word.Literal(); literal {
		number.Int, number.IsInt = isInteger(text)
	}
	b.checkCount(number, option.Value, mostJobs)
	return number, nil
}

// refuseOptions refuses what is written out and would break a promise.
func (b *builder) refuseOptions(n *ast.On) {
	if n.Engine == ast.Start {
		return
	}
	var words []string
	for _, option := range n.Options {
		text, literal := option.Literal()
		first, ok := option.Parts[0].(*ast.Lit)
		if !literal && ok && strings.HasPrefix(first.Text, "--") && strings.Contains(first.Text, "=") {
			text = first.Text + submission.Opaque
		} else if !literal {
			text = submission.Opaque
		}
		words = append(words, text)
	}
	if at, why := submission.RefuseOption(n.Engine, words); at >= 0 {
		b.errorf(n.Options[at].Pos, "%s", why)
	}
}
