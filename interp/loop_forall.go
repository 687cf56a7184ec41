package interp

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"ftsh/ast"
	"ftsh/backoff"
	"ftsh/interp/durable"
	"ftsh/interp/event"
	"ftsh/interp/expand"
	"ftsh/interp/value"
	"ftsh/interp/world"
)

// allBranches is a forall that is under way.
type allBranches struct {
	branches
	n      *ast.For
	items  *value.Sequence
	o      observed
	slots  chan struct{} // nil: any number at a time
	crowd  world.Crowd
	output *grouped // of the branches; nil: each writes at once

	item value.Value // of the branch that failed first
	lost []*Failure  // of branches that failed after it, if it did not end them
	left []int       // the items whose branches have not succeeded
}

// runForall runs all branches at the same time.
func (f *frame) runForall(ctx context.Context, s *ast.Stmt, n *ast.For) error {
	items, err := f.evaluateItems(ctx, n)
	if err != nil {
		return f.failWith(err, s.Pos)
	}
	limit, err := f.branchesAtATime(ctx, s, n)
	if err != nil {
		noteLeft(err, items, nil, 0)
		return err
	}
	o := f.numberExecution(s.Pos, event.Event{Kind: event.ForallStart, Name: n.Var.Name, Count: items.Len(),
		Limit: int(limit)})
	all := &allBranches{n: n, items: items, o: o}
	if most := f.run.World.Branches(); n.Grouped && most > 0 {
		limit = min(cmp.Or(limit, most), most)
	}
	if limit > 0 && limit < int64(items.Len()) {
		all.slots = make(chan struct{}, limit)
	}
	err = all.run(ctx, f.under(o))
	all.countFailed(err)
	d := detail{name: n.Var.Name, count: items.Len()}
	d.value, _ = all.item.Text()
	f.finishStatement(o, err, event.ForallEnd, event.ForallFailed, d)
	return err
}

// branchesAtATime evaluates .limit.; 0: there is none.
func (f *frame) branchesAtATime(ctx context.Context, s *ast.Stmt, n *ast.For) (int64, error) {
	state := keep(f, &durable.Forall{})
	if n.Limit != nil && state.Limit == 0 {
		f.place.Clause(1)
		limit, err := expand.Integer(ctx, f, n.Limit)
		if err != nil {
			return 0, f.failWith(err, s.Pos)
		}
		if limit < 1 {
			return 0, f.faultAt(n.Limit.At(), fmt.Sprintf(".limit. %d: wanted at least 1 branch at a time", limit))
		}
		state.Limit = limit
	}
	state.Keepgoing = n.Keepgoing
	return state.Limit, nil
}

// run starts the branches and waits for them.
func (a *allBranches) run(outer context.Context, f *frame) (err error) {
	defer a.begin(outer, f)()
	ctx := a.f.scope.ctx
	_, _ = a.f.environment() // made once, the branches share it: 1.4 KB each
	if a.n.Grouped {
		if a.output, err = a.f.groupBranches(outer, a.o.pos); err != nil {
			err = a.f.announceFailure(newFailure(KindSystem, a.o.pos, err.Error()))
			noteLeft(err, a.items, nil, 0)
			return err
		}
		if a.output != nil {
			a.output.lose = a.loseBranch
		}
	}
	past := a.resumeBranches()
	a.f.place.BeginBranches(a.f)
	defer a.gatherJobs()()
	next := a.startAll(ctx, past)
	stopped := next < a.items.Len() && !past.none && outer.Err() != nil
	a.crowd.Add(-1)
	a.wait()
	a.output.finish()
	a.crowd.Add(1)
	defer func() { a.leaveRest(err, past, next) }()
	first := asFailure(a.first)
	if (stopped || a.wasCut()) && (a.first == nil || first != nil) {
		cut := a.f.cutOff(outer, a.o.pos)
		if first != nil && a.n.Keepgoing && first.cut == nil {
			cut.story.joinOthers(first)
		}
		if first != nil {
			cut.addBesides(first.besides)
		}
		cut.story.joinOthers(a.lost...)
		return cut
	}
	if first != nil {
		first.story.joinOthers(a.lost...)
	}
	return a.first
}

// startAll begins the branches that have not ended for an earlier run, and returns from which on it could not.
func (a *allBranches) startAll(ctx context.Context, past *pastBranches) (next int) {
	for i := range a.items.Len() {
		if past.ended(i) {
			a.output.again(i, past.waiting[i])
		}
		if past.ended(i) || past.none {
			continue
		}
		under := a.f.place.Within(durable.Fork.Nth(i))
		if !under && a.f.run.durable.IsDry() {
			continue
		}
		if !a.acquireSlot(ctx, under) {
			return i
		}
		a.startBranch(ctx, i)
	}
	if past.none {
		return 0
	}
	return a.items.Len()
}

// leaveRest notes in the failure of the forall which items have not succeeded. From next on none has begun.
func (a *allBranches) leaveRest(err error, past *pastBranches, next int) {
	if len(past.list) == 0 {
		noteLeft(err, a.items, a.left, next)
		return
	}
	for i := next; i < a.items.Len(); i++ {
		if !past.ended(i) {
			a.left = append(a.left, i)
		}
	}
	noteLeft(err, a.items, a.left, a.items.Len())
}

// acquireSlot waits until another branch may begin; false: none may. One that was under way in an earlier
// run always may: there were slots for all of these.
func (a *allBranches) acquireSlot(ctx context.Context, under bool) bool {
	switch {
	case under && a.slots != nil:
		a.slots <- struct{}{}
		return true
	case under:
		return true
	case a.slots == nil:
		return ctx.Err() == nil
	}
	a.f.run.World.Await(backoff.Never, func() bool { return len(a.slots) < cap(a.slots) || ctx.Err() != nil })
	select {
	case a.slots <- struct{}{}:
		if ctx.Err() == nil {
			return true
		}
		<-a.slots
		return false
	case <-ctx.Done():
		return false
	}
}

// gatherJobs has the jobs of the branches go in together, also with those of branches around. This goroutine,
// which starts branches, counts as one.
func (a *allBranches) gatherJobs() (done func()) {
	if a.crowd = a.f.jobs.crowd; a.crowd != nil {
		return func() {}
	}
	a.crowd = a.f.run.World.Crowd()
	a.crowd.Add(1)
	return func() { a.crowd.Add(-1) }
}

// startBranch begins a branch. No goroutine runs deeper than the branch itself does.
func (a *allBranches) startBranch(ctx context.Context, i int) {
	ctx, output := a.output.open(ctx, i)
	branch, item := a.f.fork(ctx), a.items.At(i)
	branch.loop, branch.jobs.crowd = &loopItem{a.items, i, item}, a.crowd
	branch.assign(&a.n.Var, item)
	branch.keepApart(durable.Fork.Nth(i))
	branch.tellItem(a.o, event.ForallBranch, a.n)
	began := a.f.run.clock.Now()
	a.crowd.Add(1)
	a.start(func() {
		defer a.crowd.Add(-1)
		defer branch.leaveFork()
		var err error
		if output == nil { // by no further call, which would cost each branch 1.3 KB of stack
			err = branchEnd(branch.groupIn(ctx, durable.Fork.Nth(i), &a.n.Body))
		} else {
			err = output.run(ctx, branch, durable.Fork.Nth(i), &a.n.Body)
		}
		if failure := asFailure(err); failure != nil {
			failure.left = nil // of a loop within
		}
		branch.keepEnd(i, err, output.waiting())
		if err != nil {
			a.noteFailure(err, i)
		}
		a.tellBranchEnd(branch, began, err)
		if a.slots != nil {
			<-a.slots
		}
	})
}

// pastBranches are the branches of a forall that ended for an earlier run.
type pastBranches struct {
	list    map[int]error
	waiting map[int][]durable.Value // what they wrote that was not handed on
	none    bool                    // no further branch is run
}

func (p *pastBranches) ended(i int) bool {
	_, ended := p.list[i]
	return ended
}

// resumeBranches takes over the branches that have ended for an earlier run, those that failed in their order.
func (a *allBranches) resumeBranches() *pastBranches {
	past := &pastBranches{}
	if !a.f.place.Resumed() {
		return past
	}
	past.list, past.waiting = make(map[int]error), make(map[int][]durable.Value)
	when := make([]time.Duration, a.items.Len())
	var failed []int
	for i := range when {
		var end branchEnding
		at, ended := a.f.place.BranchEnded(i, &end)
		if !ended {
			continue
		}
		past.waiting[i] = end.Waiting
		if past.list[i] = end.restoreError(a.f); past.list[i] != nil {
			failed, when[i] = append(failed, i), at
		}
	}
	slices.SortStableFunc(failed, func(i, j int) int { return cmp.Compare(when[i], when[j]) })
	for _, i := range failed {
		a.noteFailure(past.list[i], i)
		past.none = !a.n.Keepgoing
	}
	return past
}

// keepApart makes a branch of a durable script one that keeps its own state.
func (f *frame) keepApart(s durable.Step) {
	if f.place != nil {
		f.beginKept(f.place.Below(s), true)
	}
}

// A branchEnding is how a branch has ended, and what it wrote under .grouped. that was not handed on by then.
type branchEnding struct {
	savedEnding
	Waiting []durable.Value `json:"waiting,omitempty"`
}

// keepEnd writes how a branch has ended. Others that it made end are not: they have failed by themselves.
func (f *frame) keepEnd(i int, err error, waiting []durable.Value) {
	if f.place == nil {
		return
	}
	if failure := asFailure(err); failure == nil || failure.cut == nil {
		f.place.EndBranch(i, err != nil, branchEnding{f.run.saveEnding(err), waiting})
	}
}

// tellBranchEnd announces the end of a branch.
func (a *allBranches) tellBranchEnd(branch *frame, began time.Duration, err error) {
	kind := event.BranchEnd
	if err != nil {
		kind = event.BranchFailed
	}
	if branch.wantsEvent(kind) {
		took := branch.run.clock.Now() - began
		e := event.Event{Kind: kind, Name: a.n.Var.Name, Value: branch.itemText(a.n), Elapsed: took}
		if failure := asFailure(err); failure != nil {
			e.Stderr = failure.Stderr.ToldPart()
		}
		branch.tellEvent(a.o, withFailure(e, asFailure(err)))
	}
}

// noteFailure notes a branch's failure, and cancels the others.
func (a *allBranches) noteFailure(err error, i int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	failure, item := asFailure(err), a.items.At(i)
	if a.f.run.durable.IsDry() {
		a.noteDry(failure)
		return
	}
	a.left = append(a.left, i)
	a.noteCut(failure)
	text, _ := item.Text()
	failure.inLoop(a.n.Var.Name, text)
	if a.first != nil {
		if a.n.Keepgoing && failure != nil && failure.cut == nil {
			a.lost = append(a.lost, failure)
		}
		a.first = firstGivenUp(a.first, failure)
		return
	}
	a.first, a.item = err, item
	if !a.n.Keepgoing {
		a.cancel(a.f.cancelled("another branch failed"))
	}
}

// loseBranch notes the failure of a branch that had ended well, but of which output was lost.
func (a *allBranches) loseBranch(failure *Failure, i int) {
	failure.item, failure.placed = a.items.At(i), true
	a.noteFailure(a.f.announceFailure(failure), i)
}

// noteDry keeps what was under way in any branch of a dry run.
func (a *allBranches) noteDry(failure *Failure) {
	first := asFailure(a.first)
	switch {
	case failure == nil:
	case first != nil && len(first.open) > 0:
		first.open = append(first.open, failure.open...)
	default:
		a.first = failure
	}
}

// countFailed notes in the failure of a forall that several branches have failed, where all others succeeded.
func (a *allBranches) countFailed(err error) {
	failure := asFailure(err)
	if count := 1 + len(a.lost); failure != nil && count > 1 && failure.left.Len() == count {
		failure.story.failed = &failedItems{count: count, of: a.items.Len()}
		for i := range min(count, mostOthers) {
			text, _ := failure.left.At(i).Text()
			failure.story.failed.first = append(failure.story.failed.first, text)
		}
	}
}
