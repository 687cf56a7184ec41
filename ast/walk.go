package ast

// Place lists the nodes around a node, the nearest first. The nil
// Place is outside of everything.
type Place struct {
	Outer *Place
	Node  any // as Walk visits them
}

// Walk visits what a group consists of, in the order of the text: each *Stmt and
// its Node, the *Group of a block, *Redirect, *Period, *Conditions, Expr, *Word,
// *Ref and *Output, with the commands in it. A part for which visit returns false is not entered. What a script
// sources is not entered either: visit finds it in the *SourceFile.
func Walk(g *Group, in *Place, visit func(node any, in *Place) bool) {
	w := walker{visit}
	w.walkGroup(g, in)
}

// walker goes over a tree. Each method takes a node and the place where it stands.
type walker struct {
	visit func(node any, in *Place) bool
}

func (w walker) walkGroup(g *Group, in *Place) {
	if g == nil || !w.visit(g, in) {
		return
	}
	inside := &Place{in, g}
	for i := range g.List {
		w.walkStatement(&g.List[i], inside)
	}
}

func (w walker) walkStatement(s *Stmt, in *Place) {
	if !w.visit(s, in) {
		return
	}
	inside := &Place{in, s}
	w.walkNode(s.Node, inside)
	w.redirects(s.Redirects, inside)
}

func (w walker) walkNode(node Node, in *Place) {
	if node == nil || !w.visit(node, in) {
		return
	}
	inside := &Place{in, node}
	switch n := node.(type) {
	case *Assign:
		w.walkExpr(n.Value, inside)
	case *Command:
		w.walkCommand(n, inside)
	case *Pipeline:
		for _, stage := range n.Stages {
			w.walkNode(stage, inside)
		}
	case *Try:
		w.walkTry(n, inside)
	case *For:
		w.walkLoop(n, inside)
	case *While:
		w.walkTest(n.Test, inside)
		w.walkGroup(&n.Body, inside)
	case *If:
		w.conditional(n, inside)
	case *On:
		w.walkOn(n, inside)
	case *Function:
		w.walkGroup(&n.Body, inside)
	case *Return:
		w.walkExpr(n.Value, inside)
	case *Shift:
		w.walkExpr(n.By, inside)
	case *Export:
		w.walkExpr(n.Value, inside)
	case *Local:
		w.walkExpr(n.Value, inside)
	case *Resource:
		w.walkGroup(&n.Body, inside)
	case *Sense:
		w.walkGroup(&n.Body, inside)
	default:
		w.walkSetting(n, inside)
	}
}

// walkSetting walks what stands in a resource.
func (w walker) walkSetting(node Node, in *Place) {
	switch n := node.(type) {
	case *Slots:
		w.walkExpr(n.Count, in)
	case *Budget:
		w.walkExpr(n.Percent, in)
		w.walkExpr(n.AtLeast, in)
	case *Breaker:
		w.walkExpr(n.Failures, in)
		w.walkPeriod(n.Within, in)
		w.walkPeriod(n.Probe, in)
	}
}

func (w walker) walkCommand(c *Command, in *Place) {
	for _, word := range c.Words {
		w.walkWord(word, in)
	}
	w.redirects(c.Redirects, in)
}

func (w walker) redirects(list []*Redirect, in *Place) {
	for _, r := range list {
		if w.visit(r, in) {
			inside := &Place{in, r}
			w.walkWord(r.Target, inside)
			w.walkWord(r.Body, inside)
		}
	}
}

func (w walker) walkLoop(n *For, in *Place) {
	for _, e := range n.List {
		w.walkExpr(e, in)
	}
	w.walkPeriod(n.Hedge, in)
	w.walkExpr(n.Limit, in)
	w.walkGroup(&n.Body, in)
}

func (w walker) conditional(n *If, in *Place) {
	w.walkExpr(n.Case, in)
	for i := range n.Branches {
		w.walkTest(n.Branches[i].Test, in)
		w.walkGroup(&n.Branches[i].Body, in)
	}
	w.walkGroup(n.Else, in)
}

func (w walker) walkOn(n *On, in *Place) {
	for _, word := range n.Options {
		w.walkWord(word, in)
	}
	w.walkExpr(n.Limit, in)
	w.walkExpr(n.Pilots, in)
	w.walkGroup(&n.Body, in)
}

func (w walker) walkTest(t Test, in *Place) {
	w.walkExpr(t.Expr, in)
	w.walkNode(t.Try, in)
	for _, word := range t.Patterns {
		w.walkWord(word, in)
	}
}

func (w walker) walkPeriod(p *Period, in *Place) {
	if p == nil || !w.visit(p, in) {
		return
	}
	inside := &Place{in, p}
	for _, term := range p.Terms {
		w.walkExpr(term.Amount, inside)
	}
}

func (w walker) walkExpr(e Expr, in *Place) {
	if e == nil || !w.visit(e, in) {
		return
	}
	inside := &Place{in, e}
	switch e := e.(type) {
	case *Operand:
		w.walkWord(e.Word, inside)
	case *Binary:
		w.walkExpr(e.Left, inside)
		w.walkExpr(e.Right, inside)
	case *Unary:
		w.walkExpr(e.X, inside)
	case *Range:
		w.walkExpr(e.From, inside)
		w.walkExpr(e.To, inside)
		w.walkExpr(e.Step, inside)
	case *Call:
		for _, arg := range e.Args {
			w.walkExpr(arg, inside)
		}
	case *Paren:
		w.walkExpr(e.X, inside)
	}
}

func (w walker) walkWord(word *Word, in *Place) {
	if word == nil || !w.visit(word, in) {
		return
	}
	var inside *Place
	for _, part := range word.Parts {
		ref, ok := part.(*Ref)
		output, runs := part.(*Output)
		if !ok && !runs {
			continue
		}
		if inside == nil {
			inside = &Place{in, word}
		}
		if runs {
			if w.visit(output, inside) {
				w.walkNode(output.Node, &Place{inside, output})
			}
			continue
		}
		if w.visit(ref, inside) && (ref.Default != nil || ref.Pattern != nil) {
			within := &Place{inside, ref}
			w.walkWord(ref.Default, within)
			w.walkWord(ref.Pattern, within)
			w.walkWord(ref.Instead, within)
		}
	}
}
