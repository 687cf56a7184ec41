package interp

import (
	"context"
	"errors"
	"strconv"

	"ftsh/ast"
	"ftsh/interp/durable"
	"ftsh/interp/event"
	"ftsh/interp/expand"
)

// runIf runs if, else if and else; or case, when and else.
func (f *frame) runIf(ctx context.Context, s *ast.Stmt, n *ast.If) error {
	choice := keep(f, &durable.Choice{})
	if choice.Chosen == 0 {
		var chosen int
		var err error
		if n.Case != nil {
			chosen, err = f.chooseWhen(ctx, s, n)
		} else {
			chosen, err = f.chooseBranch(ctx, n, choice)
		}
		if err != nil {
			return err
		}
		choice.Chosen = chosen + 1
	}
	chosen, group := choice.Chosen-1, n.Else
	if chosen < len(n.Branches) {
		f.tellBranch(&n.Branches[chosen], true)
		group = &n.Branches[chosen].Body
	}
	if group == nil {
		return nil
	}
	return f.groupIn(ctx, durable.Branch.Nth(chosen), group)
}

// chooseBranch returns the index of the first branch whose test holds; that after the last: none does.
func (f *frame) chooseBranch(ctx context.Context, n *ast.If, choice *durable.Choice) (int, error) {
	for ; choice.Tested < len(n.Branches); choice.Tested++ {
		i := choice.Tested
		if holds, err := f.runTest(ctx, &n.Branches[i].Test, i); holds || err != nil {
			return i, err
		}
		f.tellBranch(&n.Branches[i], false)
	}
	return len(n.Branches), nil
}

// chooseWhen does so for a case, which fails if none matches and it has no else.
func (f *frame) chooseWhen(ctx context.Context, s *ast.Stmt, n *ast.If) (int, error) {
	v, err := f.evaluateExpr(ctx, s, n.Case)
	if err != nil {
		return 0, err
	}
	text, err := v.Text()
	if err != nil {
		return 0, f.faultAt(n.Case.At(), "the value of the case "+err.Error())
	}
	for i := range n.Branches {
		holds, err := expand.Matches(f, n.Branches[i].Test.Patterns, text)
		if holds || err != nil {
			return i, f.failWith(err, n.Branches[i].Pos)
		}
		f.tellBranch(&n.Branches[i], false)
	}
	if n.Else == nil {
		return 0, f.faultAt(s.Pos, "no when of the case matches "+strconv.Quote(ast.OneLine(text, 60))+
			"; what is to happen then stands after else")
	}
	return len(n.Branches), nil
}

// tellBranch announces that a test was decided.
func (f *frame) tellBranch(b *ast.Branch, holds bool) {
	if f.enabledLevel(event.Structures) {
		o := observed{pos: b.Pos, parent: f.id}
		f.tellEvent(o, event.Event{Kind: event.IfBranch, Value: strconv.FormatBool(holds)})
	}
}

func (f *frame) runWhile(ctx context.Context, s *ast.Stmt, n *ast.While) error {
	o := observed{pos: s.Pos, parent: f.id}
	state := keep(f, &durable.While{})
	for state.Turn = max(1, state.Turn); ; state.Turn++ {
		err := f.runTurn(ctx, s, n, o, state)
		turns := state.Turn
		switch err {
		case nil, errContinue:
			state.Inside = false
			continue
		case errBreak:
			err = nil
		case errWhileEnds:
			err, turns = nil, turns-1
		}
		f.finishStatement(o, err, event.WhileEnd, event.WhileFailed, detail{count: turns, passes: true})
		return err
	}
}

// errWhileEnds tells that the test of a while does not hold any more.
var errWhileEnds = errors.New("the test does not hold")

// runTurn tests once, and runs the group once.
func (f *frame) runTurn(ctx context.Context, s *ast.Stmt, n *ast.While, o observed, state *durable.While) error {
	f.run.World.Step(s.Pos)
	test, group := durable.Test.Nth(state.Turn), durable.Turn.Nth(state.Turn)
	if ctx.Err() != nil && !f.place.Within(test) && !f.place.Within(group) {
		return f.cutOff(ctx, s.Pos)
	}
	if !state.Inside {
		holds, err := f.runTest(ctx, &n.Test, state.Turn)
		if err != nil {
			return err
		}
		if !holds {
			return errWhileEnds
		}
		state.Inside = true
	}
	if f.enabledLevel(event.Structures) {
		f.tellEvent(o, event.Event{Kind: event.WhileTurn, Count: state.Turn})
	}
	return f.groupIn(ctx, group, &n.Body)
}

// runTest decides for if and while. A command after `try` says no by ending with
// status 1, as grep, test and cmp do; whatever else goes wrong is a failure. n tells the
// tests of a structure apart.
func (f *frame) runTest(ctx context.Context, t *ast.Test, n int) (bool, error) {
	inner := f.at(f.place.Enter(durable.Test.Nth(n)))
	holds, err := inner.decideTest(ctx, t)
	inner.place.Leave(inner, !succeeded(err))
	return holds, err
}

func (f *frame) decideTest(ctx context.Context, t *ast.Test) (bool, error) {
	if t.Expr != nil {
		holds, err := expand.Truth(ctx, f, t.Expr)
		if err == nil {
			err = f.missed(t.Expr.At())
		}
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
		return t.Not, nil
	}
	return err == nil && !t.Not, err
}
