package parser

import (
	"slices"
	"strings"

	"ftsh/ast"
)

// Resources: what stands in one, and that each `via` means one.

// The most that a resource can say. The interpreter checks it again, as the numbers
// may be variables.
const (
	mostSlots    = 1000
	mostFailures = 400
)

// defineResource makes a resource known to the whole script.
func (b *builder) defineResource(r *ast.Resource, name, first *token) {
	if b.depth > 1 {
		b.errorf(b.posOf(first), "a resource is described at the top level, not inside another statement")
	}
	if name.Value == "" {
		return
	}
	before, known := b.provided[r.Name]
	switch pos := b.posOf(name); {
	case !isResourceName(r.Name):
		b.errorf(pos, "expected a name for the resource, of at most 100 letters, digits, _ - and ., not %s",
			quoteSource(r.Name))
	case known:
		b.errorf(pos, "resource %s is described a second time, the first is at %s", r.Name, before)
	default:
		if b.provided == nil {
			b.provided = map[string]ast.Pos{}
		}
		b.provided[r.Name] = r.Pos
		b.program.resources = append(b.program.resources, r)
	}
}

// isResourceName reports whether a text can name a resource: it is part of the name of
// a file.
func isResourceName(s string) bool {
	if len(s) > 100 || strings.HasPrefix(s, "-") || strings.HasPrefix(s, ".") {
		return false
	}
	for i := 0; i < len(s); i++ {
		if !isLetter(s[i]) && !isDigit(s[i]) && s[i] != '-' && s[i] != '.' {
			return false
		}
	}
	return s != ""
}

// onlySettings reports statements of a resource that are no settings, or settings that stand twice.
func (b *builder) onlySettings(body *ast.Group) {
	var seen []string
	for i := range body.List {
		s := &body.List[i]
		word := ""
		switch s.Node.(type) {
		case *ast.Bad:
			continue
		case *ast.Slots:
			word = "slots"
		case *ast.Budget:
			word = "budget"
		case *ast.Breaker:
			word = "breaker"
		case *ast.Sense:
			word = "sense"
		default:
			b.errorf(s.Pos, "a resource holds slots, budget, breaker and sense; a command can stand in its sense only")
			continue
		}
		if slices.Contains(seen, word) {
			b.errorf(s.Pos, "a second %s in one resource", word)
		}
		seen = append(seen, word)
	}
}

// checkCount reports a literal number that is not from 1 to most.
func (b *builder) checkCount(x ast.Expr, what string, most int64) {
	o, operand := x.(*ast.Operand)
	if !operand {
		return
	}
	text, literal := o.Word.Literal()
	if literal && !o.IsInt || o.IsInt && (o.Int < 1 || o.Int > most) {
		b.errorf(x.At(), "%s %s: wanted a number from 1 to %d", what, text, most)
	}
}

// checkNotNegative reports a literal number below 0; wrong is the message, with a verb for its text.
func (b *builder) checkNotNegative(x ast.Expr, wrong string) {
	o, operand := x.(*ast.Operand)
	if !operand {
		return
	}
	if text, literal := o.Word.Literal(); literal && (!isNumber(text) || strings.HasPrefix(text, "-")) {
		b.errorf(x.At(), wrong, text)
	}
}

// noteVia notes that a try says via, for resolveNames.
func (b *builder) noteVia(name *ast.Word) {
	if _, literal := name.Literal(); !literal {
		b.errorf(name.Pos, "via takes the name of a resource as it stands, not a variable")
		return
	}
	b.mentions = append(b.mentions, name)
}
