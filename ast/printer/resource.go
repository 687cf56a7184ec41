package printer

import "ftsh/ast"

// resource prints a resource, or a part of one.
func (p *printer) resource(node ast.Node) {
	switch n := node.(type) {
	case *ast.Resource:
		p.text("resource ")
		p.text(n.Name)
		p.block(&n.Body)
		p.end()
	case *ast.Slots:
		p.simple("slots", n.Count)
	case *ast.Budget:
		p.simple("budget", n.Percent)
		p.text(" percent")
		if n.AtLeast != nil {
			p.simple(" at least", n.AtLeast)
			p.text(" per minute")
		}
	case *ast.Breaker:
		p.breaker(n)
	case *ast.Sense:
		p.text("sense")
		p.block(&n.Body)
		p.end()
	}
}

// breaker prints `breaker 5 failures in 1 minute probe every 30 seconds`.
func (p *printer) breaker(n *ast.Breaker) {
	p.simple("breaker", n.Failures)
	p.counted(n.Failures, " failure")
	p.text(" in ")
	p.period(n.Within)
	if n.Probe != nil {
		p.text(" probe every ")
		p.period(n.Probe)
	}
}
