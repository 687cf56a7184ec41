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
)

// group runs statements until one fails, in a durable script from where an earlier run was.
func (f *frame) group(ctx context.Context, g *ast.Group) error {
	for i := f.place.First(g); i < len(g.List); i++ {
		f.place.Advance(&g.List[i])
		if err := f.statement(ctx, &g.List[i]); err != nil {
			return err
		}
	}
	return nil
}

// groupIn runs a group that is a part of the statement under way.
func (f *frame) groupIn(ctx context.Context, s durable.Step, g *ast.Group) error {
	outer := f.place
	f.place = outer.Enter(s)
	err := f.group(ctx, g)
	f.place.Leave(f, !succeeded(err))
	f.place = outer
	return err
}

// statement runs one statement with the redirections of its block. A try or a
// forany redirects each attempt by itself.
func (f *frame) statement(ctx context.Context, s *ast.Stmt) error {
	f.run.step(s.Pos)
	if ctx.Err() != nil && !f.place.GoesDown() {
		return f.cutOff(ctx, s.Pos)
	}
	if f.place.Stops() { // a finally group, which nothing else cuts off
		return f.cutOff(f.run.durable.Context(), s.Pos)
	}
	if len(s.Redirects) == 0 {
		return f.execute(ctx, s)
	}
	switch n := s.Node.(type) {
	case *ast.Try:
		return f.tryStatement(ctx, s, n)
	case *ast.For:
		if n.Kind == ast.Any {
			return f.forany(ctx, s, n)
		}
	}
	return f.block(ctx, s.Pos, s.Redirects, func() error { return f.execute(ctx, s) })
}

// execute is the one switch over statements.
func (f *frame) execute(ctx context.Context, s *ast.Stmt) error {
	switch n := s.Node.(type) {
	case *ast.Assign:
		return f.assignment(ctx, s, n)
	case *ast.Command:
		return f.command(ctx, n, role{})
	case *ast.Pipeline:
		return f.pipeline(ctx, n, role{})
	case *ast.Try:
		return f.tryStatement(ctx, s, n)
	case *ast.For:
		return f.loop(ctx, s, n)
	case *ast.While:
		return f.while(ctx, s, n)
	case *ast.If:
		return f.branches(ctx, n)
	case *ast.On:
		return f.on(ctx, s, n)
	case *ast.Function, *ast.Resource, *ast.Secret:
		return nil // defined before the script runs
	case *ast.Break:
		return errBreak
	case *ast.Continue:
		return errContinue
	case *ast.Return:
		return f.returns(ctx, s, n)
	case *ast.Shift:
		return f.shift(ctx, s, n)
	case *ast.Export:
		return f.export(ctx, s, n)
	case *ast.Local:
		return f.declare(ctx, s, n)
	case *ast.SourceFile:
		return f.groupIn(ctx, durable.Source.Only(), &n.File.Body)
	}
	return f.fault(s.Pos, "this statement was not understood and cannot run")
}

// evaluate gives an expression's value; nil is the empty string.
func (f *frame) evaluate(ctx context.Context, s *ast.Stmt, e ast.Expr) (expand.Value, error) {
	if e == nil {
		return expand.String(""), nil
	}
	value, err := expand.Eval(ctx, f, e)
	return value, f.fail(err, s.Pos)
}

func (f *frame) assignment(ctx context.Context, s *ast.Stmt, n *ast.Assign) error {
	value, err := f.evaluate(ctx, s, n.Value)
	if err != nil {
		return err
	}
	f.assign(&n.Var, value)
	if f.enabled(event.Commands) {
		text, _ := value.Text()
		f.tell(observed{pos: s.Pos, parent: f.id}, event.Event{Kind: event.Assign, Name: n.Var.Name, Value: text})
	}
	return nil
}

func (f *frame) export(ctx context.Context, s *ast.Stmt, n *ast.Export) error {
	if f.at(&n.Var).declared {
		return f.fault(s.Pos, "export "+n.Var.Name+": it is local to the function, and programs see no locals")
	}
	if n.Assign {
		value, err := f.evaluate(ctx, s, n.Value)
		if err != nil {
			return err
		}
		f.assign(&n.Var, value)
	}
	variable := f.at(&n.Var)
	if !variable.set {
		return f.fault(s.Pos, fmt.Sprintf("export %s: the variable was never set", n.Var.Name))
	}
	variable.exported = true
	f.environ = nil
	return nil
}

// declare runs `local`: from here on the function's mentions of the name mean its own variable.
func (f *frame) declare(ctx context.Context, s *ast.Stmt, n *ast.Local) error {
	value := expand.String("")
	if n.Assign {
		var err error
		if value, err = f.evaluate(ctx, s, n.Value); err != nil {
			return err
		}
	}
	f.locals[n.Var.Local-1].drop()
	f.locals[n.Var.Local-1] = f.localVariable(n.Var.Name, value, n.Assign)
	return nil
}

func (f *frame) returns(ctx context.Context, s *ast.Stmt, n *ast.Return) error {
	value, err := f.evaluate(ctx, s, n.Value)
	if err != nil {
		return err
	}
	return &returned{value, n.Value != nil}
}

func (f *frame) shift(ctx context.Context, s *ast.Stmt, n *ast.Shift) error {
	by := int64(1)
	if n.By != nil {
		var err error
		if by, err = expand.Integer(ctx, f, n.By); err != nil {
			return f.fail(err, s.Pos)
		}
	}
	switch have := len(f.params.words); {
	case by < 0:
		return f.fault(s.Pos, fmt.Sprintf("shift %d: wanted a number from 0 on", by))
	case by > int64(have):
		return f.fault(s.Pos, fmt.Sprintf("shift %d: there are %d arguments", by, have))
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

// branches runs if, else if and else.
func (f *frame) branches(ctx context.Context, n *ast.If) error {
	first, chosen := durable.Decided[int](f.place, keyBranch)
	if !chosen {
		first, _ = durable.Decided[int](f.place, keyTested)
	}
	for i := first; i < len(n.Branches); i++ {
		branch := &n.Branches[i]
		holds, err := chosen, error(nil)
		if !chosen {
			if holds, err = f.test(ctx, &branch.Test, i); err != nil {
				return err
			}
		}
		if f.enabled(event.Structures) {
			o := observed{pos: branch.Pos, parent: f.id}
			f.tell(o, event.Event{Kind: event.IfBranch, Value: strconv.FormatBool(holds)})
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

func (f *frame) while(ctx context.Context, s *ast.Stmt, n *ast.While) error {
	o := observed{pos: s.Pos, parent: f.id}
	past, resumed := durable.Decided[turnPlace](f.place, keyTurn)
	if !resumed {
		past.Turn = 1
	}
	for turn := past.Turn; ; turn++ {
		err := f.turn(ctx, s, n, o, turnPlace{turn, past.Inside})
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
		f.finish(o, err, event.WhileEnd, event.WhileFailed, detail{count: turns, passes: true})
		return err
	}
}

// errWhileEnds tells that the test of a while does not hold any more.
var errWhileEnds = errors.New("the test does not hold")

// turn tests once, and runs the group once.
func (f *frame) turn(ctx context.Context, s *ast.Stmt, n *ast.While, o observed, turn turnPlace) error {
	f.run.step(s.Pos)
	test, group := durable.Test.Nth(turn.Turn), durable.Turn.Nth(turn.Turn)
	if ctx.Err() != nil && !f.place.Within(test) && !f.place.Within(group) {
		return f.cutOff(ctx, s.Pos)
	}
	if !turn.Inside {
		durable.Decide(f.place, keyTurn, turn)
		holds, err := f.test(ctx, &n.Test, turn.Turn)
		if err != nil {
			return err
		}
		if !holds {
			return errWhileEnds
		}
		turn.Inside = true
		durable.Decide(f.place, keyTurn, turn)
	}
	if f.enabled(event.Structures) {
		f.tell(o, event.Event{Kind: event.WhileTurn, Count: turn.Turn})
	}
	return f.groupIn(ctx, group, &n.Body)
}

// test decides for if and while. A command after `try` says no by ending with
// status 1, as grep, test and cmp do; whatever else goes wrong is a failure. n tells the
// tests of a structure apart.
func (f *frame) test(ctx context.Context, t *ast.Test, n int) (bool, error) {
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
		return holds, f.fail(err, t.Expr.At())
	}
	var err error
	switch n := t.Try.(type) {
	case *ast.Pipeline:
		err = f.pipeline(ctx, n, role{test: true})
	case *ast.Command:
		err = f.command(ctx, n, role{test: true})
	}
	if failure := asFailure(err); failure != nil && failure.saysNo() {
		return false, nil
	}
	return err == nil, err
}

// cutOff is the failure of a statement that its limit did not let begin or end.
func (f *frame) cutOff(ctx context.Context, pos ast.Pos) *Failure {
	c := f.cause(ctx)
	status := 1
	if c.kind == KindTimeout {
		status = statusTimeout
	}
	return &Failure{Kind: c.kind, Status: status, Pos: pos, Message: c.why, cut: c}
}
