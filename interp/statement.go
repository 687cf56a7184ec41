package interp

import (
	"context"
	"fmt"

	"ftsh/ast"
	"ftsh/interp/durable"
	"ftsh/interp/event"
	"ftsh/interp/expand"
	"ftsh/interp/output"
	"ftsh/interp/value"
)

// runGroup runs statements until one fails, in a durable script from where an earlier run was.
func (f *frame) runGroup(ctx context.Context, g *ast.Group) error {
	for i := f.place.First(g); i < len(g.List); i++ {
		f.place.Advance(&g.List[i])
		err := f.statement(ctx, &g.List[i])
		if err == nil {
			err = f.missed(g.List[i].Pos)
		}
		if err != nil {
			return f.orOpen(err)
		}
	}
	return nil
}

// missed is the failure of a statement that has ended without coming to a call that was running in it when the shell
// before ended: whether that did its work is as unknown as ever.
func (f *frame) missed(pos ast.Pos) error {
	text, open := f.place.Missed()
	if text == "" {
		return nil
	}
	failure := leftUnderWay(text)
	failure.Pos, failure.open = pos, open
	return f.announceFailure(failure)
}

// orOpen has a statement of a dry run that failed before it came to where it was fail as what was under way there: what
// it is evaluated from may be set by a group `on start`, which a dry run does not begin.
func (f *frame) orOpen(err error) error {
	failure := asFailure(err)
	if !f.run.durable.IsDry() || failure == nil || failure.Kind != KindError || len(failure.open) > 0 {
		return err
	}
	if open := f.place.OpenBelow(); len(open) > 0 {
		failure = leftUnderWay("")
		failure.open = open
	}
	return failure
}

// groupIn runs a group that is a part of the statement under way.
func (f *frame) groupIn(ctx context.Context, s durable.Step, g *ast.Group) error {
	inner := f.at(f.place.Enter(s))
	err := inner.runGroup(ctx, g)
	inner.place.Leave(inner, !succeeded(err))
	return err
}

// statement runs one statement with the redirections of its block. A try or a
// forany redirects each attempt by itself.
func (f *frame) statement(ctx context.Context, s *ast.Stmt) error {
	f.run.World.Step(s.Pos)
	switch {
	case ctx.Err() != nil && !f.place.GoesDown():
		return f.cutOff(ctx, s.Pos)
	case f.place.Stops(): // a finally group, which nothing else cuts off
		return f.beginsNothing(s.Pos)
	}
	if len(s.Redirects) == 0 {
		return f.execute(ctx, s)
	}
	f, err := f.runOutputs(s.Redirects)
	if err != nil {
		return err
	}
	switch n := s.Node.(type) {
	case *ast.Try:
		return f.tryStatement(ctx, s, n)
	case *ast.For:
		if n.Kind == ast.Any {
			return f.runForany(ctx, s, n)
		}
	}
	return f.runBlock(ctx, s.Pos, s.Redirects, nil, func(g *frame) error { return g.execute(ctx, s) })
}

// execute is the one switch over statements.
func (f *frame) execute(ctx context.Context, s *ast.Stmt) error {
	switch n := s.Node.(type) {
	case *ast.Assign:
		return f.assignment(ctx, s, n)
	case *ast.Command:
		return f.runCommand(ctx, n, role{})
	case *ast.Pipeline:
		return f.runPipeline(ctx, n, role{})
	case *ast.Try:
		return f.tryStatement(ctx, s, n)
	case *ast.For:
		return f.runLoop(ctx, s, n)
	case *ast.While:
		return f.runWhile(ctx, s, n)
	case *ast.If:
		return f.runIf(ctx, s, n)
	case *ast.On:
		return f.runOn(ctx, s, n)
	case *ast.Function, *ast.Resource, *ast.Secret:
		return nil // defined before the script runs
	case *ast.Break:
		return errBreak
	case *ast.Continue:
		return errContinue
	case *ast.Return:
		return f.runReturn(ctx, s, n)
	case *ast.Shift:
		return f.runShift(ctx, s, n)
	case *ast.Export:
		return f.runExport(ctx, s, n)
	case *ast.Local:
		return f.declareLocal(ctx, s, n)
	case *ast.SourceFile:
		return f.groupIn(ctx, durable.Source.Only(), &n.File.Body)
	}
	return f.faultAt(s.Pos, "this statement was not understood and cannot run")
}

// runLoop runs a for, forany or forall.
func (f *frame) runLoop(ctx context.Context, s *ast.Stmt, n *ast.For) error {
	switch n.Kind {
	case ast.Any:
		return f.runForany(ctx, s, n)
	case ast.All:
		return f.runForall(ctx, s, n)
	}
	return f.runFor(ctx, s, n)
}

// evaluateExpr gives an expression's value; nil is the empty string.
func (f *frame) evaluateExpr(ctx context.Context, s *ast.Stmt, e ast.Expr) (value.Value, error) {
	if e == nil {
		return value.String(""), nil
	}
	value, err := expand.Eval(ctx, f, e)
	return value, f.failWith(err, s.Pos)
}

func (f *frame) assignment(ctx context.Context, s *ast.Stmt, n *ast.Assign) error {
	value, err := f.evaluateExpr(ctx, s, n.Value)
	if err != nil {
		return err
	}
	f.assign(&n.Var, value)
	if f.enabledLevel(event.Commands) {
		text, _ := value.Text()
		f.tellEvent(observed{pos: s.Pos, parent: f.id}, event.Event{Kind: event.Assign, Name: n.Var.Name, Value: text})
	}
	return nil
}

func (f *frame) runExport(ctx context.Context, s *ast.Stmt, n *ast.Export) error {
	if f.variableOf(&n.Var).declared {
		return f.faultAt(s.Pos, "export "+n.Var.Name+": it is local to the function, and programs see no locals")
	}
	if n.Assign {
		value, err := f.evaluateExpr(ctx, s, n.Value)
		if err != nil {
			return err
		}
		f.assign(&n.Var, value)
	}
	variable := f.variableOf(&n.Var)
	if !variable.set {
		return f.faultAt(s.Pos, fmt.Sprintf("export %s: the variable was never set", n.Var.Name))
	}
	variable.exported = true
	f.state.environ = nil
	return nil
}

// declareLocal runs `local`: from here on the function's mentions of the name mean its own variable.
func (f *frame) declareLocal(ctx context.Context, s *ast.Stmt, n *ast.Local) error {
	value := value.String("")
	if n.Assign {
		var err error
		if value, err = f.evaluateExpr(ctx, s, n.Value); err != nil {
			return err
		}
	}
	output.Drop(f.call.locals[n.Var.Local-1].value)
	f.call.locals[n.Var.Local-1] = f.localVariable(n.Var.Name, value, n.Assign)
	return nil
}

func (f *frame) runReturn(ctx context.Context, s *ast.Stmt, n *ast.Return) error {
	value, err := f.evaluateExpr(ctx, s, n.Value)
	if err != nil {
		return err
	}
	return f.returns(value, n.Value != nil)
}

func (f *frame) runShift(ctx context.Context, s *ast.Stmt, n *ast.Shift) error {
	by := int64(1)
	if n.By != nil {
		var err error
		if by, err = expand.Integer(ctx, f, n.By); err != nil {
			return f.failWith(err, s.Pos)
		}
	}
	switch have := len(f.call.params.words); {
	case by < 0:
		return f.faultAt(s.Pos, fmt.Sprintf("shift %d: wanted a number from 0 on", by))
	case by > int64(have):
		return f.faultAt(s.Pos, fmt.Sprintf("shift %d: there are %d arguments", by, have))
	}
	f.call.params.words = f.call.params.words[by:]
	if f.call.params.values != nil {
		f.call.params.values = f.call.params.values[by:]
	}
	return nil
}
