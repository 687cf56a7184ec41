package parser

import (
	"slices"

	"ftsh/ast"
	"ftsh/lexer"
)

// readTest reads what an if or a while decides by: [not] try COMMAND, or EXPR.
func (b *builder) readTest() (t ast.Test, err error) {
	if t.Not = isToken(b.peekToken(), lexer.Clause, "not"); t.Not {
		b.nextToken()
	}
	if !isToken(b.peekToken(), lexer.Clause, "try") {
		t.Expr, err = b.expression(false)
		return t, err
	}
	b.nextToken()
	first := b.peekToken()
	if t.Try, err = b.readPipeline(); err == nil {
		b.onlyCommand(first)
	}
	return t, err
}

// ownersOf names the statements that can have a further group.
func ownersOf(section string) string {
	switch section {
	case "when":
		return "a case"
	case "else":
		return "an if or a case"
	case "else if":
		return "an if"
	}
	return "a try"
}

func (b *builder) misplaced(section, first *token) {
	instead := ""
	if first.Value == "case" && section.Value == "else if" {
		instead = "; write  when PATTERN"
	}
	b.errorf(b.posOf(section), "%s belongs to %s, not to the %s of line %d%s",
		section.Value, ownersOf(section.Value), first.Value, first.Pos.Line, instead)
}

// branches reads the else ifs of an if, or the whens of a case, and the else.
func (b *builder) branches(i *ast.If, first *token, further string, read func(*builder) (ast.Test, error)) {
	b.readSections(first, func(word *token) bool {
		if word.Value != "else" && word.Value != further {
			return false
		}
		if i.Else != nil {
			b.errorf(b.posOf(word), "%s after the else of the same %s", withArticle(word.Value), first.Value)
		}
		if word.Value == "else" {
			i.Else = b.readSection(word)
			return true
		}
		test, ok := readRest(b, word, read)
		if !ok {
			test = ast.Test{}
		}
		i.Branches = append(i.Branches, ast.Branch{Pos: b.posOf(word), Test: test, Body: b.readGroup()})
		return true
	})
}

// around says which structures are around a statement, as far as it decides what may leave it.
type around struct {
	loop    bool   // break and continue reach a loop
	barrier string // the innermost block that they cannot leave
	forall  bool   // a forall of the same function, whose branches cannot return
	finally bool   // a finally group, which must not change how its try ends
}

// groupIn reads the group that a keyword begins.
func (b *builder) groupIn(keyword string) ast.Group {
	outside := b.around
	switch keyword {
	case "for", "while":
		b.around.loop = true
	case "forany", "forall", "verify", "sense", "finally":
		b.around.loop, b.around.barrier = false, keyword
		b.around.finally = outside.finally || keyword == "finally"
		b.around.forall = outside.forall || keyword == "forall"
	case "function":
		b.around = around{}
	}
	group := b.readGroup()
	b.around = outside
	return group
}

// inLoop reports a break or continue that reaches no loop.
func (b *builder) inLoop(t *token) {
	switch {
	case b.around.loop:
	case b.around.barrier != "":
		b.errorf(b.posOf(t), "%s cannot leave the %s around it, only a for or while inside of that", t.Value,
			b.around.barrier)
	default:
		b.errorf(b.posOf(t), "%s outside of a loop; it ends a for or while of the same function", t.Value)
	}
}

// mayReturn reports a return inside a block that it cannot leave.
func (b *builder) mayReturn(t *token) {
	switch {
	case b.around.finally:
		b.errorf(b.posOf(t), "%s", leavesFinally(t.Value))
	case b.around.forall:
		b.errorf(b.posOf(t), "return in a forall, where the branch that came first would decide; return after its end")
	}
}

func leavesFinally(word string) string {
	return word + " in a finally group, which must not change how its try ends"
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

// items is the list of a loop, and the options after it.
type items struct {
	list    []ast.Expr
	options []option
}

// option is .inorder., .keepgoing., .grouped., .hedge. T or .limit. N.
type option struct {
	word   *token
	time   *ast.Period
	number ast.Expr
}

func (b *builder) readItems() (in items, err error) {
	for {
		for isToken(b.peekToken(), lexer.Mark, ",") {
			b.nextToken()
		}
		if t := b.peekToken(); !isAmount(t) || isOption(t.Value) {
			break
		}
		x, _ := b.expression(true) // it begins with one
		in.list = append(in.list, x)
	}
	if len(in.list) == 0 {
		return in, b.wantedHere("the list of the loop")
	}
	for t := b.peekToken(); t.Type == lexer.Operator && isOption(t.Value); t = b.peekToken() {
		next := option{word: b.nextToken()}
		switch t.Value {
		case ".hedge.":
			next.time, err = b.readPeriod()
		case ".limit.":
			next.number, err = b.expression(false)
		}
		if err != nil {
			return in, err
		}
		in.options = append(in.options, next)
	}
	return in, nil
}

// isOption reports whether a word of the shape of an operator belongs to a loop.
func isOption(operator string) bool { return slices.Contains(ast.LoopOptions(), operator) }

// setOption puts an option into a loop.
func (b *builder) setOption(f *ast.For, o option) {
	owner, before := ast.Any, false
	switch o.word.Value {
	case ".inorder.":
		f.Inorder, before = true, f.Inorder
	case ".hedge.":
		before = f.Hedge != nil
		f.Hedge = o.time
	case ".limit.":
		owner, before = ast.All, f.Limit != nil
		f.Limit = o.number
	case ".keepgoing.":
		owner, before = ast.All, f.Keepgoing
		f.Keepgoing = true
	case ".grouped.":
		owner, before = ast.All, f.Grouped
		f.Grouped = true
	}
	if owner != f.Kind {
		b.errorf(b.posOf(o.word), "%s belongs to %s, not to %s", o.word.Value, owner, f.Kind)
		return
	}
	b.checkOnce(o.word, before)
}
