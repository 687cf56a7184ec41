package interp

import (
	"context"
	"errors"
	"fmt"
	"strconv"

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
		if err := f.statement(ctx, &g.List[i]); err != nil {
			return f.orOpen(err)
		}
	}
	return nil
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
	outer := f.place
	f.place = outer.Enter(s)
	err := f.runGroup(ctx, g)
	f.place.Leave(f, !succeeded(err))
	f.place = outer
	return err
}

// statement runs one statement with the redirections of its block. A try or a
// forany redirects each attempt by itself.
func (f *frame) statement(ctx context.Context, s *ast.Stmt) error {
	if err := f.mayBegin(ctx, s); err != nil {
		return err
	}
	if len(s.Redirects) == 0 {
		return f.execute(ctx, s)
	}
	switch n := s.Node.(type) {
	case *ast.Try:
		return f.tryStatement(ctx, s, n)
	case *ast.For:
		if n.Kind == ast.Any {
			return f.runForany(ctx, s, n)
		}
	}
	return f.runBlock(ctx, s.Pos, s.Redirects, func() error { return f.execute(ctx, s) })
}

// mayBegin announces a statement to a simulation, and returns the error of one that may not begin any more.
func (f *frame) mayBegin(ctx context.Context, s *ast.Stmt) error {
	f.run.stepSimulation(s.Pos)
	if ctx.Err() != nil && !f.place.GoesDown() {
		return f.cutOff(ctx, s.Pos)
	}
	if f.place.Stops() { // a finally group, which nothing else cuts off
		return f.beginsNothing(s.Pos)
	}
	return nil
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
		return f.runIf(ctx, n)
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
	f.environ = nil
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
	output.Drop(f.locals[n.Var.Local-1].value)
	f.locals[n.Var.Local-1] = f.localVariable(n.Var.Name, value, n.Assign)
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
	switch have := len(f.params.words); {
	case by < 0:
		return f.faultAt(s.Pos, fmt.Sprintf("shift %d: wanted a number from 0 on", by))
	case by > int64(have):
		return f.faultAt(s.Pos, fmt.Sprintf("shift %d: there are %d arguments", by, have))
	}
	f.params.words = f.params.words[by:]
	if f.params.values != nil {
		f.params.values = f.params.values[by:]
	}
	return nil
}

// What the structures here keep in the journal of a durable script.
const (
	keyBranch = "if"     // which of the groups of an if runs
	keyTested = "tested" // of an if: how many of its tests do not hold
	keyTurn   = "turn"   // of a while: [turnPlace]
)

// A turnPlace tells whether a while is in the test or in the group of a turn.
type turnPlace struct {
	Turn   int  `json:"turn"`
	Inside bool `json:"inside"`
}

// runIf runs if, else if and else.
func (f *frame) runIf(ctx context.Context, n *ast.If) error {
	first, chosen := durable.Decided[int](f.place, keyBranch)
	if !chosen {
		first, _ = durable.Decided[int](f.place, keyTested)
	}
	for i := first; i < len(n.Branches); i++ {
		branch := &n.Branches[i]
		holds, err := chosen, error(nil)
		if !chosen {
			if holds, err = f.runTest(ctx, &branch.Test, i); err != nil {
				return err
			}
		}
		if f.enabledLevel(event.Structures) {
			o := observed{pos: branch.Pos, parent: f.id}
			f.tellEvent(o, event.Event{Kind: event.IfBranch, Value: strconv.FormatBool(holds)})
		}
		if holds {
			durable.Decide(f.place, keyBranch, i)
			return f.groupIn(ctx, durable.Branch.Nth(i), &branch.Body)
		}
		durable.Decide(f.place, keyTested, i+1)
	}
	if n.Else == nil {
		return nil
	}
	durable.Decide(f.place, keyBranch, len(n.Branches))
	return f.groupIn(ctx, durable.Branch.Nth(len(n.Branches)), n.Else)
}

func (f *frame) runWhile(ctx context.Context, s *ast.Stmt, n *ast.While) error {
	o := observed{pos: s.Pos, parent: f.id}
	past, resumed := durable.Decided[turnPlace](f.place, keyTurn)
	if !resumed {
		past.Turn = 1
	}
	for turn := past.Turn; ; turn++ {
		err := f.runTurn(ctx, s, n, o, turnPlace{turn, past.Inside})
		past.Inside = false
		turns := turn
		switch err {
		case nil, errContinue:
			continue
		case errBreak:
			err = nil
		case errWhileEnds:
			err, turns = nil, turn-1
		}
		f.finishStatement(o, err, event.WhileEnd, event.WhileFailed, detail{count: turns, passes: true})
		return err
	}
}

// errWhileEnds tells that the test of a while does not hold any more.
var errWhileEnds = errors.New("the test does not hold")

// runTurn tests once, and runs the group once.
func (f *frame) runTurn(ctx context.Context, s *ast.Stmt, n *ast.While, o observed, turn turnPlace) error {
	f.run.stepSimulation(s.Pos)
	test, group := durable.Test.Nth(turn.Turn), durable.Turn.Nth(turn.Turn)
	if ctx.Err() != nil && !f.place.Within(test) && !f.place.Within(group) {
		return f.cutOff(ctx, s.Pos)
	}
	if !turn.Inside {
		durable.Decide(f.place, keyTurn, turn)
		holds, err := f.runTest(ctx, &n.Test, turn.Turn)
		if err != nil {
			return err
		}
		if !holds {
			return errWhileEnds
		}
		turn.Inside = true
		durable.Decide(f.place, keyTurn, turn)
	}
	if f.enabledLevel(event.Structures) {
		f.tellEvent(o, event.Event{Kind: event.WhileTurn, Count: turn.Turn})
	}
	return f.groupIn(ctx, group, &n.Body)
}

// runTest decides for if and while. A command after `try` says no by ending with
// status 1, as grep, test and cmp do; whatever else goes wrong is a failure. n tells the
// tests of a structure apart.
func (f *frame) runTest(ctx context.Context, t *ast.Test, n int) (bool, error) {
	outer := f.place
	f.place = outer.Enter(durable.Test.Nth(n))
	holds, err := f.decideTest(ctx, t)
	f.place.Leave(f, !succeeded(err))
	f.place = outer
	return holds, err
}

func (f *frame) decideTest(ctx context.Context, t *ast.Test) (bool, error) {
	if t.Expr != nil {
		holds, err := expand.Truth(ctx, f, t.Expr)
		return holds, f.failWith(err, t.Expr.At())
	}
	var err error
	switch n := t.Try.(type) {
	case *ast.Pipeline:
		err = f.runPipeline(ctx, n, role{test: true})
	case *ast.Command:
		err = f.runCommand(ctx, n, role{test: true})
	}
	if failure := asFailure(err); failure != nil && failure.saysNo() {
		return false, nil
	}
	return err == nil, err
}
