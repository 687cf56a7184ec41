package interp

import (
	"context"
	"time"

	"ftsh/ast"
	"ftsh/backoff"
	"ftsh/interp/durable"
	"ftsh/interp/event"
	"ftsh/interp/value"
	"ftsh/interp/world"
)

// choice is a forany that is under way.
type choice struct {
	f     *frame
	s     *ast.Stmt
	n     *ast.For
	o     observed
	items *value.Sequence
	state *durable.Loop
	item  value.Value // the one that succeeded, or else the last that failed
}

// runForany tries alternatives until one succeeds.
func (f *frame) runForany(ctx context.Context, s *ast.Stmt, n *ast.For) error {
	if n.Hedge != nil && f.place != nil {
		return f.runUnit(ctx, s.Pos, true, func(g *frame) error { return g.runForany(ctx, s, n) })
	}
	items, err := f.evaluateItems(ctx, n)
	if err != nil {
		return f.failWith(err, s.Pos)
	}
	var hedge time.Duration
	if err := f.evaluatePeriod(ctx, n.Hedge, &hedge); err != nil {
		return f.failWith(err, s.Pos)
	}
	c := &choice{f: f, s: s, n: n, items: items, state: keep(f, &durable.Loop{})}
	if c.state.First == 0 {
		c.state.First = 1
		if !n.Inorder && items.Len() > 0 {
			c.state.First += f.state.dice.IntN(items.Len())
		}
	}
	c.o = f.beginStatement(s.Pos, event.ForanyStart, detail{name: n.Var.Name, count: items.Len()})
	switch {
	case items.Len() == 0:
		err = newFailure(KindFailure, s.Pos, "forany has an empty list; there is no alternative to try")
	case n.Hedge != nil:
		err = c.raceAlternatives(ctx, hedge)
	default:
		err = c.oneByOne(ctx)
	}
	end := detail{name: n.Var.Name, count: items.Len()}
	end.value, _ = c.item.Text()
	if items.Len() > 0 {
		asFailure(err).inLoop(end.name, end.value)
	}
	noteLeft(err, items, nil, 0)
	if err == nil {
		f.assign(&n.Var, c.item) // whatever the group assigned to it
	}
	f.finishStatement(c.o, err, event.ForanyEnd, event.ForanyFailed, end)
	return err
}

// next is the item that is tried after i others.
func (c *choice) next(i int) value.Value { return c.items.At(c.index(i)) }

// index returns where that stands in the list.
func (c *choice) index(i int) int { return c.state.Index(i, c.items.Len()) }

// oneByOne tries one after the other.
func (c *choice) oneByOne(ctx context.Context) error {
	var err error
	failed := c.f.run.World.Attempts(c.f.jobs.attempts)
	g := c.f.under(c.o).inside()
	g.jobs.attempts, g.loop = failed, &loopItem{items: c.items}
	output := &restarted{frame: g, list: c.s.Redirects}
	output.begin(true)
	for first := c.state.Item; ; c.state.Item++ {
		i := c.state.Item
		c.item = c.next(i)
		if ctx.Err() != nil && !c.f.place.Within(durable.Alternative.Nth(i)) {
			err = c.f.cutOff(ctx, c.s.Pos).withOpen(err)
			break
		}
		g.loop.at, g.loop.item = c.index(i), c.item
		if i > first || !c.f.place.Within(durable.Alternative.Nth(i)) {
			g.assign(&c.n.Var, c.item)
		}
		g.tellItem(c.o, event.ForanyItem, c.n)
		failed.Begin(i + 1)
		err = output.run(ctx, g, durable.Alternative.Nth(i), &c.n.Body)
		if !leavesAnother(err) || i == c.items.Len()-1 {
			break
		}
	}
	if err = output.finish(err); err == nil {
		failed.MadeGood()
	}
	return err
}

// leavesAnother reports whether a failed alternative leaves room for the next one.
func leavesAnother(err error) bool {
	failure := asFailure(err)
	return failure != nil && failure.cut == nil && !failure.giveup
}

// contender is a hedged alternative that was started.
type contender struct {
	frame  *frame
	output *restarted
	held   world.Capture // what it writes to where the output around is kept as a whole; nil: it writes there
	to     int           // where standard output leads
	err    error
}

// holdOutput keeps the output of a contender apart where a redirection around would have what all of them write.
func (c *contender) holdOutput(f *frame) (err error) {
	c.to = f.outputBehind(c.output.list)
	if f.cutPoint(c.to).at < 0 {
		return nil
	}
	if c.held, err = f.run.World.Capture(f.temporaryDir(), ""); err != nil {
		return err
	}
	for n, stream := range c.frame.io.files {
		if stream == c.to {
			c.frame.io.files[n] = c.held.Stream()
		}
	}
	return nil
}

// handOver writes the output of the winner to where it should go. It returns how the contender ended, or why the output
// is lost.
func (c *contender) handOver(ctx context.Context, f *frame, pos ast.Pos) error {
	if c.held == nil {
		return c.err
	}
	defer c.held.Drop()
	text, err := c.held.SoFar()
	if err == nil {
		err = f.run.World.Write(ctx, c.to, text)
	}
	if err != nil && succeeded(c.err) {
		return f.announceFailure(newFailure(systemOr(KindRedirect, err), pos, err.Error()))
	}
	return c.err
}

// race is a hedged forany that is under way.
type race struct {
	branches
	choice  *choice
	done    chan *contender // one is sent by each contender when it has ended
	started int             // contenders
	open    int             // contenders that have not ended
	winner  *contender      // whose end decides: the first success, or what must not go on
	last    error           // the failure that came last
}

// raceAlternatives starts an alternative, and another whenever those under way have not
// succeeded after a while or have all failed. The first success wins.
func (c *choice) raceAlternatives(ctx context.Context, after time.Duration) error {
	f := c.f
	r := &race{choice: c, done: make(chan *contender, c.items.Len())}
	defer r.begin(ctx, f.under(c.o))()
	outer, ctx := ctx, r.f.scope.ctx
	for i := 0; i < c.items.Len() && r.winner == nil && ctx.Err() == nil; i++ {
		c.item = c.next(i)
		r.startContender(ctx, c.item)
		r.awaitNext(ctx, after)
	}
	r.cut = r.cut || r.started < c.items.Len() && ctx.Err() != nil
	for r.open > 0 {
		if r.winner != nil {
			r.cancel(r.f.cancelled("another alternative was faster"))
		}
		f.run.World.Await(backoff.Never, r.hasEnded)
		r.noteEnd(<-r.done)
	}
	r.wait()
	switch {
	case r.winner != nil:
		defer r.winner.frame.leaveFork()
		c.item = r.winner.frame.item()
		f.adoptFork(r.winner.frame)
		return r.winner.output.finish(r.winner.handOver(outer, f, c.s.Pos))
	case r.wasCut():
		return f.cutOff(ctx, c.s.Pos)
	}
	return r.last
}

// startContender begins an alternative in a fork of the frame.
func (r *race) startContender(ctx context.Context, item value.Value) {
	branch := r.f.fork(ctx)
	branch.io.owed++ // the others must be ended
	branch.loop = &loopItem{r.choice.items, r.choice.index(r.started), item}
	branch.assign(&r.choice.n.Var, item)
	branch.tellItem(r.choice.o, event.ForanyItem, r.choice.n)
	c := &contender{frame: branch, output: &restarted{frame: branch, list: r.choice.s.Redirects, hedged: true}}
	r.started++
	r.open++
	failed := c.holdOutput(r.f)
	r.start(func() {
		defer func() { r.done <- c }()
		if failed != nil {
			c.err = branch.announceFailure(newFailure(systemOr(KindRedirect, failed), r.choice.s.Pos, failed.Error()))
			return
		}
		c.err = c.output.run(ctx, branch, durable.Step{}, &r.choice.n.Body)
		if c.output.current != nil {
			c.err = c.output.current.holdsAll(c.err)
		}
	})
}

// awaitNext returns when it is time for the next alternative, or a winner is known.
func (r *race) awaitNext(ctx context.Context, after time.Duration) {
	late := make(chan struct{})
	timer := r.f.run.clock.AfterFunc(r.f.run.clock.Now()+after, func() { close(late) })
	defer timer.Stop()
	for r.open > 0 && r.winner == nil {
		r.f.run.World.Await(backoff.Never, func() bool { return r.hasEnded() || isClosed(late) || ctx.Err() != nil })
		select {
		case c := <-r.done:
			r.noteEnd(c)
		case <-late:
			return
		case <-ctx.Done():
			return
		}
	}
}

// hasEnded reports whether a contender has ended.
func (r *race) hasEnded() bool { return len(r.done) > 0 }

// isClosed reports whether a signal was given: its channel is closed then.
func isClosed(signal <-chan struct{}) bool {
	select {
	case <-signal:
		return true
	default:
		return false
	}
}

// noteEnd notes how a contender ended.
func (r *race) noteEnd(c *contender) {
	r.open--
	if r.winner == nil && !leavesAnother(c.err) && (asFailure(c.err) == nil || asFailure(c.err).giveup) {
		r.winner = c
		return
	}
	if r.winner == nil {
		r.last, r.choice.item = c.err, c.frame.item()
		r.noteCut(asFailure(c.err))
	}
	c.output.discard()
	if c.held != nil {
		c.held.Drop()
	}
	c.frame.leaveFork()
}
