package printer

import (
	"bytes"

	"ftsh/ast"
)

// end closes a block.
func (p *printer) end() { p.section("end") }

// section begins the line of a keyword that ends one group of a block.
func (p *printer) section(keyword string) {
	p.indent(p.depth)
	p.text(keyword)
}

func (p *printer) loop(n *ast.For) {
	p.text(n.Kind.String())
	p.text(" ")
	p.text(n.Var.Name)
	p.text(" in")
	for _, e := range n.List {
		p.text(" ")
		p.item(e)
	}
	p.loopOptions(n)
	p.block(&n.Body)
	p.end()
}

// item prints an item of a loop's list. A comma at its end is part of it, as a second one would
// separate; so there must be a second one.
func (p *printer) item(e ast.Expr) {
	p.expr(e)
	p.doubleComma()
}

// doubleComma adds a comma to one that is the end of a word.
func (p *printer) doubleComma() {
	before, comma := bytes.CutSuffix(p.buf, []byte(","))
	if backslashes := len(before) - len(bytes.TrimRight(before, `\`)); comma && backslashes%2 == 0 {
		p.text(",")
	}
}

func (p *printer) loopOptions(n *ast.For) {
	if n.Inorder {
		p.text(" .inorder.")
	}
	if n.Hedge != nil {
		p.text(" .hedge. ")
		p.period(n.Hedge)
	}
	if n.Limit != nil {
		p.text(" .limit. ")
		p.expr(n.Limit)
	}
	if n.Keepgoing {
		p.text(" .keepgoing.")
	}
	if n.Grouped {
		p.text(" .grouped.")
	}
}

func (p *printer) while(n *ast.While) {
	p.test("while ", n.Test)
	p.block(&n.Body)
	p.end()
}

func (p *printer) conditional(n *ast.If) {
	if n.Case != nil {
		p.text("case ")
		p.expr(n.Case)
		p.block(&n.Head)
	}
	for i := range n.Branches {
		switch test := n.Branches[i].Test; {
		case n.Case != nil:
			p.section("when")
			p.patterns(test.Patterns)
		case i > 0:
			p.section("else ")
			fallthrough
		default:
			p.test("if ", test)
		}
		p.block(&n.Branches[i].Body)
	}
	p.optional("else", n.Else)
	p.end()
}

// patterns prints those of a when. A comma at the end of a word separates, so where one is meant there is a second.
func (p *printer) patterns(words []*ast.Word) {
	for _, word := range words {
		p.text(" ")
		p.word(word)
		p.doubleComma()
	}
}

// optional prints a further group of a block, if there is one.
func (p *printer) optional(keyword string, g *ast.Group) {
	if g != nil {
		p.section(keyword)
		p.block(g)
	}
}

// test prints what an `if` or a `while` decides by.
func (p *printer) test(keyword string, t ast.Test) {
	p.text(keyword)
	if t.Not {
		p.text("not ")
	}
	if t.Try != nil {
		p.text("try ")
		p.node(t.Try)
		return
	}
	p.expr(t.Expr)
}

func (p *printer) function(n *ast.Function) {
	p.text("function ")
	p.text(n.Name)
	p.block(&n.Body)
	p.end()
}

func (p *printer) engine(n *ast.On) {
	p.text("on ")
	p.text(n.Engine)
	for _, word := range n.Options {
		p.text(" ")
		p.word(word)
	}
	p.jobs(" .limit. ", n.Limit)
	p.jobs(" .pilots. ", n.Pilots)
	p.block(&n.Body)
	p.end()
}

// jobs prints a number of jobs, if it is written.
func (p *printer) jobs(option string, number ast.Expr) {
	if number != nil {
		p.text(option)
		p.expr(number)
	}
}
