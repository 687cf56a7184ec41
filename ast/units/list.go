package units

import (
	"slices"

	"ftsh/ast"
)

// Part is a part of a script that leaves records in a journal, or that is run again though it leaves none.
type Part struct {
	How   How
	Pos   ast.Pos // of a Unit: what the journal calls it by
	Text  string  // its first line
	Depth int     // structures around it, in the script or its function

	// Of a Unit that is a block, the group of a try or forany, a call, a pipeline or a ${ command }:

	Cause  *ast.Redirect // why it does not go on in the middle; nil: it is a pipeline, hedged, or an Output
	Output *ast.Output   // the ${ command } that it is; nil: it is none
	Of     string        // of which structure it is the group: "attempt", "catch" or "alternative"
	Work   Work          // what is run again with it
}

// Work counts what would be units and jobs if the structure around them went on in the middle.
type Work struct {
	Commands int
	Loop     bool    // some stand in a loop
	Stage    ast.Pos // of a pipeline: the stage in which they are
}

// Several reports whether more than one command would be run again.
func (w Work) Several() bool { return w.Loop || w.Commands > 1 }

// List returns the parts of a script, in the order of its text, and behind them those of the functions that it calls,
// and that are no part of a unit wherever they are called. isBuiltin reports whether a command of that name is a
// builtin; nil: none is.
func List(file *ast.File, isBuiltin func(name string) bool) []Part {
	l := &lister{script: newScript(file, isBuiltin)}
	l.group(&file.Body, at{})
	for i := 0; i < len(l.called); i++ {
		f := l.called[i]
		l.add(at{}, Part{How: GoesOn, Pos: f.Pos, Text: "function " + f.Name})
		l.group(&f.Body, at{depth: 1})
	}
	return l.parts
}

// lister collects the parts of a script.
type lister struct {
	*script
	parts  []Part
	called []*ast.Function
}

// at is a place: how deep it is, and whether programs are jobs there.
type at struct {
	depth int
	away  bool
}

func (a at) inside() at { return at{a.depth + 1, a.away} }

func (l *lister) add(a at, p Part) {
	if p.Depth = a.depth; p.Text == "" {
		p.Text = p.Pos.RestOfLine()
	}
	l.parts = append(l.parts, p)
}

func (l *lister) group(g *ast.Group, a at) {
	if g == nil {
		return
	}
	for i := range g.List {
		l.statement(&g.List[i], a)
	}
}

// statement adds a statement with what is in it.
func (l *lister) statement(s *ast.Stmt, a at) {
	for _, name := range calledInside(s) {
		l.call(l.functions[name])
	}
	for _, o := range outputsIn(s) {
		l.output(o, a)
	}
	switch n := s.Node.(type) {
	case *ast.Command:
		l.command(n, a)
		return
	case *ast.Pipeline:
		l.pipeline(n, a)
		return
	case *ast.SourceFile:
		l.group(&n.File.Body, a)
		return
	case *ast.Resource:
		l.resource(n, a)
		return
	case *ast.Try:
		l.try(s, n, a)
		return
	case *ast.For:
		switch {
		case n.Hedge != nil:
			l.add(a, Part{How: Unit, Pos: s.Pos, Work: l.workOfGroup(&n.Body)})
			return
		case n.Kind == ast.Any:
			l.add(a, Part{How: GoesOn, Pos: s.Pos})
			l.restarted(s, &n.Body, "alternative", a.inside())
			return
		}
	}
	l.block(s, a)
}

// block adds a structure with the redirections after its end.
func (l *lister) block(s *ast.Stmt, a at) {
	on, isOn := s.Node.(*ast.On)
	groups := groupsOf(s.Node)
	switch cause := causeHere(s.Redirects); {
	case len(groups) == 0:
		return
	case isOn && on.Engine == ast.Start:
		l.add(a, Part{How: Anew, Pos: s.Pos})
		return
	case cause != nil:
		l.add(a, Part{How: Unit, Pos: s.Pos, Cause: cause, Work: l.workOf(s)})
		return
	}
	l.add(a, Part{How: GoesOn, Pos: s.Pos})
	a = a.inside()
	if isOn {
		a.away = on.Engine != "here"
	}
	for _, t := range testsOf(s.Node) {
		l.test(t, a)
	}
	for _, g := range groups {
		l.group(g, a)
	}
}

// try adds a try, whose redirections begin afresh with each attempt, and with its catch.
func (l *lister) try(s *ast.Stmt, n *ast.Try, a at) {
	l.add(a, Part{How: GoesOn, Pos: s.Pos})
	a = a.inside()
	l.restarted(s, &n.Body, "attempt", a)
	if n.Verify != nil {
		l.add(a, Part{How: Anew, Pos: firstPos(n.Verify, s.Pos), Text: "verify"})
	}
	l.restarted(s, n.Catch, "catch", a)
	l.group(n.Finally, at{depth: a.depth})
}

// restarted adds a group of a try or forany.
func (l *lister) restarted(s *ast.Stmt, g *ast.Group, of string, a at) {
	cause := causeHere(s.Redirects)
	if g == nil || cause == nil {
		l.group(g, a)
		return
	}
	l.add(a, Part{How: Unit, Pos: firstPos(g, ast.Pos{}), Cause: cause, Of: of, Work: l.workOfGroup(g)})
}

// resource adds the sense group of a resource.
func (l *lister) resource(n *ast.Resource, a at) {
	for i := range n.Body.List {
		s := &n.Body.List[i]
		if _, isSense := s.Node.(*ast.Sense); isSense {
			l.add(a, Part{How: Anew, Pos: s.Pos})
		}
	}
}

// test adds what a test runs.
func (l *lister) test(t *ast.Test, a at) {
	switch n := t.Try.(type) {
	case *ast.Command:
		l.command(n, a)
	case *ast.Pipeline:
		l.pipeline(n, a)
	}
}

func (l *lister) command(c *ast.Command, a at) {
	runs, f := l.runs(c)
	part := Part{How: OfCommand(runs, c.Redirects), Pos: c.Pos}
	switch {
	case runs == Program && a.away && len(c.Words) > 0:
		part.How = Job
	case runs != Function:
	case causeHere(c.Redirects) != nil:
		part.How, part.Cause, part.Work = Unit, causeHere(c.Redirects), l.workOfCall(f)
	default:
		l.call(f)
	}
	if part.How != Anew {
		l.add(a, part)
	}
}

func (l *lister) pipeline(n *ast.Pipeline, a at) {
	l.stages(n.Stages, Part{How: Unit}, a)
}

// output adds a ${ command }, which runs apart as a whole.
func (l *lister) output(o *ast.Output, a at) {
	if stages := o.Stages(); len(stages) > 0 {
		l.stages(stages, Part{How: Unit, Text: o.Pos.RestOfLine(), Output: o}, a)
	}
}

// stages adds commands that run together, as the part that they are.
func (l *lister) stages(list []*ast.Command, part Part, a at) {
	part.Pos = list[0].Pos
	for _, c := range list {
		runs, f := l.runs(c)
		if work := l.workOfCall(f); work.Several() && !part.Work.Several() {
			part.Work = work
			part.Work.Stage = c.Pos
		}
		if runs == Program && a.away {
			part.How = Job
		}
	}
	l.add(a, part)
}

// call notes that a function is called where it goes on in the middle.
func (l *lister) call(f *ast.Function) {
	if f != nil && !slices.Contains(l.called, f) {
		l.called = append(l.called, f)
	}
}

// firstPos returns where the first statement of a group is.
func firstPos(g *ast.Group, otherwise ast.Pos) ast.Pos {
	if len(g.List) == 0 {
		return otherwise
	}
	return g.List[0].Pos
}
