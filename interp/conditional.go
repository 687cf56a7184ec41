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

// runIf runs if, else if and else; or case, when and else.
func (f *frame) runIf(ctx context.Context, s *ast.Stmt, n *ast.If) error {
	chosen, decided := durable.Decided[int](f.place, keyBranch)
	if !decided {
		var err error
		if n.Case != nil {
			chosen, err = f.chooseWhen(ctx, s, n)
		} else {
			chosen, err = f.chooseBranch(ctx, n)
		}
		if err != nil {
			return err
		}
	}
	group := n.Else
	if chosen < len(n.Branches) {
		f.tellBranch(&n.Branches[chosen], true)
		group = &n.Branches[chosen].Body
	}
	if group == nil {
		return nil
	}
	durable.Decide(f.place, keyBranch, chosen)
	return f.groupIn(ctx, durable.Branch.Nth(chosen), group)
}

// chooseBranch returns the index of the first branch whose test holds; that after the last: none does.
func (f *frame) chooseBranch(ctx context.Context, n *ast.If) (int, error) {
	first, _ := durable.Decided[int](f.place, keyTested)
	for i := first; i < len(n.Branches); i++ {
		if holds, err := f.runTest(ctx, &n.Branches[i].Test, i); holds || err != nil {
			return i, err
		}
		f.tellBranch(&n.Branches[i], false)
		durable.Decide(f.place, keyTested, i+1)
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
	f.run.World.Step(s.Pos)
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
	inner := f.at(f.place.Enter(durable.Test.Nth(n)))
	holds, err := inner.decideTest(ctx, t)
	inner.place.Leave(inner, !succeeded(err))
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
		return t.Not, nil
	}
	return err == nil && !t.Not, err
}
