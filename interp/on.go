package interp

import (
	"context"
	"fmt"
	"slices"
	"time"

	"ftsh/ast"
	"ftsh/interp/durable"
	"ftsh/interp/expand"
	"ftsh/interp/jobs"
)

// Jobs runs programs as the jobs of a batch system; *[jobs.Cluster] is one.
type Jobs interface {
	// Run runs a job to its end; see [jobs.Cluster.Run].
	Run(ctx context.Context, j *jobs.Job) (jobs.Result, error)
	// Make makes the folder of a job that outlives the shell; see [jobs.Cluster.Make].
	Make(j *jobs.Job) error
}

// jobsWithPilots can have jobs run programs one after another; see [jobs.Cluster.Pilots].
type jobsWithPilots interface {
	Pilots(n int, like *jobs.Job) (jobs Jobs, end func())
}

// A site runs the programs of an `on`. Nil runs them here.
type site struct {
	outer   *site
	engine  string
	jobs    Jobs // nil: here
	options []string
	slots   chan struct{} // of .limit. N; nil: any number
	try     *try          // the innermost one around the statement
	pilots  bool          // jobs are pilots
	end     func()        // ends them; nil: these are another's
}

// runOn runs the group of an `on`.
func (f *frame) runOn(ctx context.Context, s *ast.Stmt, n *ast.On) error {
	if n.Engine == ast.Start {
		return f.onStart(ctx, n)
	}
	p, err := f.evaluateSite(ctx, s, n)
	if err != nil {
		return err
	}
	outer := f.site
	f.site = p
	defer func() {
		f.site = outer
		if p.end != nil {
			p.end()
		}
	}()
	return f.groupIn(ctx, durable.On.Only(), &n.Body)
}

// evaluateSite evaluates the line of an `on`.
func (f *frame) evaluateSite(ctx context.Context, s *ast.Stmt, n *ast.On) (*site, error) {
	words, limit, err := f.siteClauses(ctx, s, n)
	if err != nil {
		return nil, err
	}
	if _, why := ast.RefuseOption(n.Engine, words); why != "" {
		return nil, f.faultAt(s.Pos, why)
	}
	p := &site{outer: f.site, engine: n.Engine, try: f.try}
	if n.Limit != nil {
		if limit < 1 {
			return nil, f.faultAt(n.Limit.At(), fmt.Sprintf(".limit. %d: wanted at least 1 job at a time", limit))
		}
		p.slots = make(chan struct{}, limit)
		f.occupySlots(p.slots)
	}
	if n.Engine == "here" {
		return p, nil
	}
	own := len(words) > 0
	if err := f.openSite(s, p, words); err != nil {
		return nil, err
	}
	if n.Pilots != nil {
		return p, f.engagePilots(ctx, s.Pos, p, n.Pilots)
	}
	if outer := p.outer; !own && outer != nil && outer.engine == p.engine && outer.pilots {
		p.jobs, p.pilots = outer.jobs, true
	}
	return p, nil
}

// engagePilots has the programs of a site run by jobs that take them one after another.
func (f *frame) engagePilots(ctx context.Context, pos ast.Pos, p *site, number ast.Expr) error {
	n, err := expand.Integer(ctx, f, number)
	if err != nil {
		return f.failWith(err, number.At())
	}
	if n < 1 {
		return f.faultAt(number.At(), fmt.Sprintf(".pilots. %d: wanted at least 1", n))
	}
	able, ok := p.jobs.(jobsWithPilots)
	if !ok {
		return f.faultAt(number.At(), ".pilots. cannot be used here: there is nobody to submit them")
	}
	environ, err := f.environment()
	if err != nil {
		return f.failWith(err, number.At())
	}
	dir, err := f.directoryOfJobs()
	if err != nil {
		return f.failWith(err, number.At())
	}
	like := &jobs.Job{
		Origin: f.origin(pos, nil), Options: p.options, Dir: dir, Umask: umask(), Environ: environ,
		Patience: func() time.Duration { return f.patience(nil) }}
	if f.place != nil {
		like.Outlives, like.Resumed, like.Left = true, f.place.Resumed(), f.run.durable.Suspending
		like.Site = f.place.Here()
	}
	p.jobs, p.end = able.Pilots(int(n), like)
	p.pilots = true
	return nil
}

// siteClauses evaluates the options and the limit, or takes those that an earlier run has decided.
func (f *frame) siteClauses(ctx context.Context, s *ast.Stmt, n *ast.On) (words []string, limit int64, err error) {
	if saved, resumed := durable.Decided[savedSite](f.place, keySite); resumed {
		for _, word := range saved.Options {
			words = append(words, string(word))
		}
		return words, saved.Limit, nil
	}
	if words, err = expand.Words(f, nil, n.Options); err != nil {
		return nil, 0, f.failWith(err, s.Pos)
	}
	if n.Limit != nil {
		if limit, err = expand.Integer(ctx, f, n.Limit); err != nil {
			return nil, 0, f.failWith(err, s.Pos)
		}
	}
	f.decideSite(words, limit)
	return words, limit, nil
}

// openSite finds the engine of a site.
func (f *frame) openSite(s *ast.Stmt, p *site, words []string) error {
	if f.run.Jobs == nil {
		return f.faultAt(s.Pos, "on "+p.engine+" cannot be used here: there is nobody to submit jobs")
	}
	for outer := p.outer; outer != nil; outer = outer.outer {
		if outer.engine == p.engine {
			words = slices.Concat(outer.options, words)
			break
		}
	}
	p.options = words
	environ, err := f.environment()
	if err != nil {
		return f.failWith(err, s.Pos)
	}
	if p.jobs, err = f.run.Jobs(p.engine, environ); err != nil {
		if f.place.GoesDown() { // its jobs are awaited
			return f.suspendScript(fmt.Errorf("on %s: %w", p.engine, err), s.Pos)
		}
		return f.announceFailure(newFailure(systemOr(KindError, err), s.Pos, "on "+p.engine+": "+err.Error()))
	}
	return nil
}

// reads reports whether a redirection concerns a descriptor.
func reads(list []*ast.Redirect, fd int) bool {
	return slices.ContainsFunc(list, func(r *ast.Redirect) bool { return redirected(r) == fd })
}

// redirected is the descriptor that a redirection is of.
func redirected(r *ast.Redirect) int {
	switch r.Op {
	case ast.In, ast.DupIn, ast.FromVar, ast.Here, ast.HereTabs:
		return fdOr(r, 0)
	}
	return fdOr(r, 1)
}

// jobSite returns where programs run now; nil: here. What a verify, sense or finally group runs
// stays here, unless the `on` stands in it.
func (f *frame) jobSite() *site {
	p := f.site
	if p == nil || p.jobs == nil {
		return nil
	}
	for t := f.try; t != nil && t != p.try; t = t.outer {
		if t.phase == sensing || t.phase == verifying || t.phase == cleaning {
			return nil
		}
	}
	return p
}

// isProgram reports whether a command's name is that of a program.
func (f *frame) isProgram(name string) bool {
	return f.run.functions[name] == nil && builtin(name) == nil && f.run.Builtins[name] == nil
}

// enterSlots waits until another job may be under way, by all limits around. held is called with a limit that has to be
// waited for.
func (p *site) enterSlots(ctx context.Context, held func(limit int)) (leave func(), err error) {
	var taken []chan struct{}
	leave = func() {
		for _, slots := range taken {
			<-slots
		}
	}
	for ; p != nil; p = p.outer {
		if p.slots == nil {
			continue
		}
		select {
		case p.slots <- struct{}{}:
			taken = append(taken, p.slots)
			continue
		default:
			held(cap(p.slots))
		}
		select {
		case p.slots <- struct{}{}:
			taken = append(taken, p.slots)
		case <-ctx.Done():
			leave()
			return nil, context.Cause(ctx)
		}
	}
	return leave, nil
}
