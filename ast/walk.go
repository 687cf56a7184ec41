package ast

// Place is where a node stands: what is around it, the nearest first. The nil
// Place is outside of everything.
type Place struct {
	Outer *Place
	Node  any // as Walk visits them
}

// Walk visits what a group consists of, in the order of the text: each *Stmt and
// its Node, the *Group of a block, *Redirect, *Period, *Conditions, Expr, *Word
// and *Ref. A part for which visit returns false is not entered. What a script
// sources is not entered either: visit finds it in the *SourceFile.
func Walk(g *Group, in *Place, visit func(node any, in *Place) bool) {
	w := walker{visit}
	w.group(g, in)
}

// walker goes over a tree. Each method takes a node and the place where it stands.
type walker struct {
	visit func(node any, in *Place) bool
}

func (w walker) group(g *Group, in *Place) {
	if g == nil || !w.visit(g, in) {
		return
	}
	inside := &Place{in, g}
	for i := range g.List {
		w.stmt(&g.List[i], inside)
	}
}

func (w walker) stmt(s *Stmt, in *Place) {
	if !w.visit(s, in) {
		return
	}
	inside := &Place{in, s}
	w.node(s.Node, inside)
	w.redirects(s.Redirects, inside)
}

func (w walker) node(node Node, in *Place) {
	if node == nil || !w.visit(node, in) {
		return
	}
	inside := &Place{in, node}
	switch n := node.(type) {
	case *Assign:
		w.expr(n.Value, inside)
	case *Command:
		w.command(n, inside)
	case *Pipeline:
		for _, stage := range n.Stages {
			w.node(stage, inside)
		}
	case *Try:
		w.try(n, inside)
	case *For:
		w.loop(n, inside)
	case *While:
		w.test(n.Test, inside)
		w.group(&n.Body, inside)
	case *If:
		w.conditional(n, inside)
	case *On:
		w.on(n, inside)
	case *Function:
		w.group(&n.Body, inside)
	case *Return:
		w.expr(n.Value, inside)
	case *Shift:
		w.expr(n.By, inside)
	case *Export:
		w.expr(n.Value, inside)
	case *Local:
		w.expr(n.Value, inside)
	case *Resource:
		w.group(&n.Body, inside)
	case *Sense:
		w.group(&n.Body, inside)
	default:
		w.setting(n, inside)
	}
}

// setting walks what stands in a resource.
func (w walker) setting(node Node, in *Place) {
	switch n := node.(type) {
	case *Slots:
		w.expr(n.Count, in)
	case *Budget:
		w.expr(n.Percent, in)
		w.expr(n.AtLeast, in)
	case *Breaker:
		w.expr(n.Failures, in)
		w.period(n.Within, in)
		w.period(n.Probe, in)
	}
}

func (w walker) command(c *Command, in *Place) {
	for _, word := range c.Words {
		w.word(word, in)
	}
	w.redirects(c.Redirects, in)
}

func (w walker) redirects(list []*Redirect, in *Place) {
	for _, r := range list {
		if w.visit(r, in) {
			inside := &Place{in, r}
			w.word(r.Target, inside)
			w.word(r.Body, inside)
		}
	}
}

func (w walker) try(t *Try, in *Place) {
	w.period(t.For, in)
	w.expr(t.Times, in)
	w.period(t.Each, in)
	w.period(t.Every, in)
	if b := t.Backoff; b != nil {
		w.period(b.From, in)
		w.period(b.To, in)
		w.expr(b.By, in)
		w.expr(b.Jitter, in)
	}
	w.conditions(t.On, in)
	w.conditions(t.Unknown, in)
	w.word(t.Key, in)
	for _, group := range []*Group{&t.Body, t.Verify, t.Catch, t.Finally} {
		w.group(group, in)
	}
}

func (w walker) conditions(c *Conditions, in *Place) {
	if c == nil || !w.visit(c, in) {
		return
	}
	inside := &Place{in, c}
	for _, condition := range c.List {
		w.expr(condition.Value, inside)
		w.word(condition.Matching, inside)
	}
}

func (w walker) loop(n *For, in *Place) {
	for _, e := range n.List {
		w.expr(e, in)
	}
	w.period(n.Hedge, in)
	w.expr(n.Limit, in)
	w.group(&n.Body, in)
}

func (w walker) conditional(n *If, in *Place) {
	for i := range n.Branches {
		w.test(n.Branches[i].Test, in)
		w.group(&n.Branches[i].Body, in)
	}
	w.group(n.Else, in)
}

func (w walker) on(n *On, in *Place) {
	for _, word := range n.Options {
		w.word(word, in)
	}
	w.expr(n.Limit, in)
	w.expr(n.Pilots, in)
	w.group(&n.Body, in)
}

func (w walker) test(t Test, in *Place) {
	w.expr(t.Expr, in)
	w.node(t.Try, in)
}

func (w walker) period(p *Period, in *Place) {
	if p == nil || !w.visit(p, in) {
		return
	}
	inside := &Place{in, p}
	for _, term := range p.Terms {
		w.expr(term.Amount, inside)
	}
}

func (w walker) expr(e Expr, in *Place) {
	if e == nil || !w.visit(e, in) {
		return
	}
	inside := &Place{in, e}
	switch e := e.(type) {
	case *Operand:
		w.word(e.Word, inside)
	case *Binary:
		w.expr(e.Left, inside)
		w.expr(e.Right, inside)
	case *Unary:
		w.expr(e.X, inside)
	case *Range:
		w.expr(e.From, inside)
		w.expr(e.To, inside)
		w.expr(e.Step, inside)
	case *Call:
		for _, arg := range e.Args {
			w.expr(arg, inside)
		}
	case *Paren:
		w.expr(e.X, inside)
	}
}

func (w walker) word(word *Word, in *Place) {
	if word == nil || !w.visit(word, in) {
		return
	}
	var inside *Place
	for _, part := range word.Parts {
		ref, ok := part.(*Ref)
		if !ok {
			continue
		}
		if inside == nil {
			inside = &Place{in, word}
		}
		if w.visit(ref, inside) && ref.Default != nil {
			w.word(ref.Default, &Place{inside, ref})
		}
	}
}
