package interp

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ftsh/ast"
	"ftsh/ast/submission"
	"ftsh/backoff"
	"ftsh/interp/durable"
	"ftsh/interp/event"
	"ftsh/interp/expand"
	"ftsh/interp/value"
	"ftsh/interp/world"
)

// runOn runs the group of an `on`.
func (f *frame) runOn(ctx context.Context, s *ast.Stmt, n *ast.On) error {
	if n.Engine == ast.Start {
		return f.onStart(ctx, n)
	}
	if f.run.durable.IsDry() {
		if err := f.lineInDryRun(ctx, s, n); err != nil {
			return err
		}
		return f.groupIn(ctx, durable.On.Only(), &n.Body)
	}
	p, err := f.evaluateSite(ctx, s, n)
	if err != nil {
		return err
	}
	defer p.Close()
	g := f.inside()
	g.jobs.site = p
	return g.groupIn(ctx, durable.On.Only(), &n.Body)
}

// lineInDryRun evaluates the line of an `on` of which no earlier run has come to the group: what it asks for may have
// been under way.
func (f *frame) lineInDryRun(ctx context.Context, s *ast.Stmt, n *ast.On) error {
	if f.place.Within(durable.On.Only()) {
		return nil
	}
	_, _, err := f.siteClauses(ctx, s, n)
	if err == nil && n.Pilots != nil {
		_, err = f.pilots(ctx, n.Pilots)
	}
	return err
}

// evaluateSite evaluates the line of an `on`.
func (f *frame) evaluateSite(ctx context.Context, s *ast.Stmt, n *ast.On) (*site, error) {
	words, limit, err := f.siteClauses(ctx, s, n)
	if err != nil {
		return nil, err
	}
	if _, why := submission.RefuseOption(n.Engine, words); why != "" {
		return nil, f.faultAt(s.Pos, why)
	}
	if n.Limit != nil && limit < 1 {
		return nil, f.faultAt(n.Limit.At(), fmt.Sprintf(".limit. %d: wanted at least 1 job at a time", limit))
	}
	line := world.Line{Engine: n.Engine, Options: words, Limit: int(limit), Awaited: f.place.AwaitedHere()}
	opened, err := f.openSite(ctx, s.Pos, line)
	if err != nil {
		return nil, err
	}
	p := &site{opened, f.try}
	if n.Pilots != nil && !p.IsHere() {
		return p, f.engagePilots(ctx, s.Pos, p, n.Pilots)
	}
	return p, nil
}

// openSite opens where the programs of an `on` run. If jobs of an earlier run are awaited on a cluster that cannot be
// used the script is suspended.
func (f *frame) openSite(ctx context.Context, pos ast.Pos, line world.Line) (opened world.Site, err error) {
	if line.Engine != "here" {
		if line.Environ, err = f.wholeEnvironment(); err != nil {
			return nil, f.failWith(err, pos)
		}
		f.run.World.Prepare()
	}
	line.Waits = func(why string) {
		f.tellEvent(observed{id: f.id, pos: pos}, event.Event{Kind: event.JobWait, Name: line.Engine, Message: why})
	}
	var around world.Site
	if f.jobs.site != nil {
		around = f.jobs.site.Site
	}
	open, leave := ctx, func() {}
	if line.Awaited > 0 { // they must be found also to be ended
		open, leave = backoff.WithGrace(ctx, f.run.clock, f.run.KillTimeout/2, nil)
	}
	opened, err = f.run.World.On(open, around, line)
	leave()
	switch {
	case err == nil:
		return opened, nil
	case errors.Is(err, world.ErrNobody):
		return nil, f.faultAt(pos, "on "+line.Engine+" cannot be used here: "+err.Error())
	case ctx.Err() != nil:
		failure := f.cutOff(ctx, pos)
		if !errors.Is(err, context.Cause(ctx)) {
			failure.addBesides("; " + err.Error())
		}
		return nil, f.announceFailure(failure)
	case f.place.GoesDown():
		return nil, f.suspendScript(fmt.Errorf("on %s: %w", line.Engine, err), pos)
	}
	return nil, f.announceFailure(newFailure(systemOr(KindError, err), pos, "on "+line.Engine+": "+err.Error()))
}

// suspendScript stops the script where it is, to go on later.
func (f *frame) suspendScript(why error, pos ast.Pos) error {
	f.run.durable.Suspend(why)
	return f.cutOff(f.run.durable.Context(), pos)
}

// engagePilots has the programs of a site run by jobs that take them one after another.
func (f *frame) engagePilots(ctx context.Context, pos ast.Pos, p *site, number ast.Expr) error {
	n, err := f.pilots(ctx, number)
	if err != nil {
		return err
	}
	if n < 1 {
		return f.faultAt(number.At(), fmt.Sprintf(".pilots. %d: wanted at least 1", n))
	}
	like, err := f.newJob(pos)
	if err != nil {
		return f.failWith(err, number.At())
	}
	if f.place != nil {
		like.Outlives, like.Resumed, like.Left = true, f.place.Resumed(), f.run.durable.Suspending
		like.Place = f.place.Here()
	}
	p.Engage(int(n), like)
	return nil
}

// pilots evaluates their number, in each run.
func (f *frame) pilots(ctx context.Context, number ast.Expr) (int64, error) {
	f.place.Clause(1)
	n, err := expand.Integer(ctx, f, number)
	return n, f.failWith(err, number.At())
}

// newJob makes a job that runs what the frame's programs would: where they stand, and with their variables.
func (f *frame) newJob(pos ast.Pos) (*world.Job, error) {
	if f.state.dir.Lost != "" {
		return nil, errors.New(f.state.dir.Lost)
	}
	environ, err := f.wholeEnvironment()
	if err != nil {
		return nil, err
	}
	dir := f.state.dir.Current()
	if dir == "" { // far away there is nothing to stand in
		if dir, err = f.directory(); err != nil {
			return nil, err
		}
	}
	origin := world.Origin{Line: int(pos.Line), Number: f.loop.number(), Item: event.VisibleLine(f.shownItem())}
	if pos.Source != nil {
		origin.Script = f.run.Secrets.Text(pos.Source.Name)
	}
	j := f.jobToAwait()
	j.Origin, j.Dir, j.Environ = origin, dir, environ
	return j, nil
}

// jobToAwait makes a job of which nothing is known but who waits for it.
func (f *frame) jobToAwait() *world.Job {
	g := f.inside() // a job may be tended when the call that f is of has returned, and f is another's
	return &world.Job{Crowd: f.jobs.crowd, Attempts: f.jobs.attempts, Until: f.scope.until.at,
		Patience: func() time.Duration { return g.patience(nil) }}
}

// siteClauses evaluates the options and the limit, or takes those that an earlier run has decided.
func (f *frame) siteClauses(ctx context.Context, s *ast.Stmt, n *ast.On) (words []string, limit int64, err error) {
	saved := keep(f, new(*savedSite))
	if *saved != nil {
		for _, word := range (*saved).Options {
			words = append(words, string(word))
		}
		return words, (*saved).Limit, nil
	}
	if words, err = expand.Words(f, nil, n.Options); err != nil {
		return nil, 0, f.failWith(err, s.Pos)
	}
	if n.Limit != nil {
		if limit, err = expand.Integer(ctx, f, n.Limit); err != nil {
			return nil, 0, f.failWith(err, s.Pos)
		}
	}
	*saved = f.saveSite(words, limit)
	return words, limit, nil
}

// A savedSite records the evaluated line of an `on`.
type savedSite struct {
	Options []durable.Text `json:"options,omitempty"`
	Limit   int64          `json:"limit,omitempty"`
}

func (*savedSite) JournalKey() string { return "on" }

// saveSite gives what the line said for the journal; nil: later runs evaluate it again, since it holds what must not
// be there.
func (f *frame) saveSite(words []string, limit int64) *savedSite {
	saved := &savedSite{Limit: limit}
	for _, word := range words {
		if f.run.secret.hides(word) {
			return nil
		}
		saved.Options = append(saved.Options, durable.Text(word))
	}
	return saved
}

// jobSite returns where programs run now; nil: here. What a verify, sense or finally group runs
// stays here, unless the `on` stands in it.
func (f *frame) jobSite() *site {
	p := f.jobs.site
	if p == nil || p.IsHere() {
		return nil
	}
	for t := f.try; t != nil && t != p.try; t = t.outer {
		if t.phase == sensing || t.phase == verifying || t.phase == cleaning {
			return nil
		}
	}
	return p
}

// onStart runs a group `on start`. In a durable script it is no unit, and leaves no records: it must be
// repeatable, and what it sets is for this run only.
func (f *frame) onStart(ctx context.Context, n *ast.On) error {
	if f.run.durable == nil {
		return f.runGroup(ctx, &n.Body)
	}
	g := f.at(nil).inside()
	g.secret = true
	err := g.runGroup(ctx, &n.Body)
	f.state.environ = nil // programs in it did without secrets that it did not set
	if err != nil && f.run.durable.Continued() {
		f.run.durable.Suspend(fmt.Errorf("on start failed: %w", err))
	}
	return err
}

// startOver runs the groups `on start` again that an earlier run has passed. The script then stands where it stood,
// which they may have mounted. If that is not to be found, and they had made or chosen it, it stands where they have
// gone now.
func (f *frame) startOver(ctx context.Context, g *ast.Group, past *durable.Place) error {
	before := f.state.dir.Share()
	defer before.Leave()
	now, last := f.run.variableNamed(pwd), f.run.variableNamed(oldpwd)
	wasNow, wasLast := *f.variableOf(now), *f.variableOf(last)
	if wasNow.value.IsLost() { // a group may begin with it
		f.assign(now, value.String(f.run.Script.Dir))
	}
	if err := f.startAgain(ctx, g, past); err != nil {
		return err
	}
	went := f.state.dir.Share()
	defer went.Leave()
	if f.standInDirectory(before.Share()); f.state.dir.Lost != "" {
		f.restoreDirectory(f.state.kept.path)
	}
	*f.variableOf(now), *f.variableOf(last), f.state.environ = wasNow, wasLast, nil
	if f.state.dir.Lost != "" && f.stoodIn(went) {
		f.standInDirectory(went.Share())
		f.assign(now, value.String(went.Name))
	}
	return nil
}

// startAgain runs the groups `on start` that an earlier run has passed, in their order, in the state that the script
// has now. The place says how far that was in the group; nil: it has passed all of it.
func (f *frame) startAgain(ctx context.Context, g *ast.Group, past *durable.Place) error {
	at := len(g.List)
	if past != nil {
		at = past.First(g)
	}
	for i := range g.List[:min(at+1, len(g.List))] {
		var err error
		switch n := g.List[i].Node.(type) {
		case *ast.On:
			if n.Engine == ast.Start && i < at {
				err = f.onStart(ctx, n)
			}
		case *ast.SourceFile:
			var inside *durable.Place
			if i == at {
				if inside = past.Enter(durable.Source.Only()); !inside.Resumed() {
					continue
				}
			}
			err = f.startAgain(ctx, &n.File.Body, inside)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
