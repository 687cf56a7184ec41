package printer_test

import (
	"ftsh/ast"
	"ftsh/backoff"
)

// Random blocks: tries, loops, resources, engines.

func (g *grower) try() *ast.Try {
	t := &ast.Try{For: maybe(g, g.period), Each: maybe(g, g.period), Key: maybe(g, g.word)}
	if g.chance(2) {
		t.Times = g.amount()
	}
	if t.Limited() {
		g.repeats(t)
	}
	if t.For != nil && g.chance(2) {
		t.Via = bare("schedd")
	}
	if g.chance(3) {
		t.Unknown = g.conditions()
	}
	t.Body = g.group()
	if g.chance(3) {
		verify := g.within(func() { g.loop = false })
		t.Verify = &verify
	}
	t.Catch = g.optional()
	if g.chance(3) {
		finally := g.within(func() { g.loop, g.finally = false, true })
		t.Finally = &finally
	}
	return t
}

// repeats adds what only a try with limits has.
func (g *grower) repeats(t *ast.Try) {
	switch g.IntN(3) {
	case 0:
		t.Every = g.period()
	case 1:
		b := &ast.Backoff{Policy: pick(g, backoff.Policies()...), From: maybe(g, g.period), To: maybe(g, g.period)}
		if g.chance(2) {
			b.By = g.amount()
		}
		if g.chance(2) {
			b.Jitter = g.amount()
		}
		t.Backoff = b
	}
	if g.chance(2) {
		t.On = g.conditions()
		t.On.Except = g.chance(2)
	}
}

func (g *grower) conditions() *ast.Conditions {
	return &ast.Conditions{List: some(g, func() ast.Condition {
		switch g.IntN(4) {
		case 0:
			return ast.Condition{Matching: g.word()}
		case 1:
			return ast.Condition{Value: &ast.Range{From: integer(64), To: integer(78)}}
		case 2:
			return ast.Condition{Value: &ast.Operand{Word: bare(pick(g, ast.Kinds()...))}}
		}
		return ast.Condition{Value: g.amount()}
	})}
}

func (g *grower) period() *ast.Period {
	return &ast.Period{Terms: some(g, func() ast.Term {
		if g.chance(3) {
			return ast.Term{Amount: pick[ast.Expr](g, value(bare("1h30m")), value(reference("x")))}
		}
		return ast.Term{Amount: g.amount(), Unit: pick(g, ast.Millisecond, ast.Second, ast.Minute, ast.Hour, ast.Day)}
	})}
}

// amount is a number, as a word or computed.
func (g *grower) amount() ast.Expr {
	switch g.IntN(6) {
	case 0:
		return &ast.Binary{Op: ast.Add, Left: integer(1), Right: value(reference("x"))}
	case 1:
		return &ast.Call{Name: "f", Args: []ast.Expr{integer(2)}}
	case 2:
		return &ast.Paren{X: integer(3)}
	case 3:
		return value(reference("x"))
	}
	return integer(pick(g, 1, 2, 75))
}

func (g *grower) loopOver() *ast.For {
	n := &ast.For{Kind: pick(g, ast.InTurn, ast.Any, ast.All), Var: g.variable(), List: some(g, g.item)}
	switch n.Kind {
	case ast.Any:
		n.Inorder, n.Hedge = g.chance(2), maybe(g, g.period)
	case ast.All:
		n.Keepgoing, n.Grouped = g.chance(2), g.chance(2)
		if g.chance(2) {
			n.Limit = g.amount()
		}
	}
	n.Body = g.within(func() { g.loop, g.forall = n.Kind == ast.InTurn, g.forall || n.Kind == ast.All })
	return n
}

func (g *grower) test() ast.Test {
	switch g.IntN(4) {
	case 0:
		return ast.Test{Try: g.command(), Not: g.chance(2)}
	case 1:
		return ast.Test{Try: g.pipeline(), Not: g.chance(2)}
	}
	return ast.Test{Expr: g.expr()}
}

func (g *grower) choice() *ast.If {
	n := &ast.If{Case: g.expr()}
	if g.chance(3) {
		n.Head.After, n.Head.Tail = g.comment(), g.comments()
	}
	n.Branches = some(g, func() ast.Branch {
		patterns := some(g, func() *ast.Word {
			return pick(g, bare("X,"), bare("when"), &ast.Word{Parts: []ast.Part{
				&ast.Glob{Pattern: pick(g, "*", "[a/b]")}, plain("://"), g.ref(), single("end")}})
		})
		return ast.Branch{Test: ast.Test{Patterns: patterns}, Body: g.group()}
	})
	n.Else = g.optional()
	return n
}

func (g *grower) engine() *ast.On {
	n := &ast.On{Engine: pick(g, ast.Engines()...)}
	if n.Engine == "slurm" {
		n.Options = pick(g, nil, []*ast.Word{bare("--time=5")}, []*ast.Word{bare("-n"), reference("x")})
	}
	if n.Engine != "here" && g.chance(2) {
		n.Limit = integer(pick(g, 1, 40))
	}
	if n.Engine != "here" && g.chance(2) {
		n.Pilots = value(reference("x"))
	}
	n.Body = g.group()
	return n
}

func (g *grower) resource() *ast.Resource {
	n := &ast.Resource{Name: g.name("resource")}
	add := func(node ast.Node) {
		if g.chance(2) {
			n.Body.List = append(n.Body.List, ast.Stmt{Node: node})
		}
	}
	add(&ast.Slots{Count: g.amount()})
	budget := &ast.Budget{Percent: integer(10)}
	if g.chance(2) {
		budget.AtLeast = g.amount()
	}
	add(budget)
	add(&ast.Breaker{Failures: integer(pick(g, 1, 5)), Within: g.period(), Probe: maybe(g, g.period)})
	g.depth++
	add(&ast.Sense{Body: g.within(func() { g.loop = false })})
	g.depth--
	return n
}
