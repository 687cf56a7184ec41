package jobs

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"ftsh/backoff"
	"ftsh/interp/jobs/batch"
)

// Crowd is the branches of a forall: jobs of theirs that become ready within a second with the same
// options are submitted as one array. Safe for concurrent use.
type Crowd struct {
	mu     sync.Mutex
	open   int // branches that may have a job soon: they run, or their job is under way
	groups map[gathering]*group
}

// A gathering holds what jobs of one array must have in common.
type gathering struct {
	cluster *Cluster
	options string
}

// group is jobs that will go in together.
type group struct {
	entrants []*entrant
	timer    backoff.Timer
}

// entrant is a job of a group.
type entrant struct {
	r      *running
	ctx    context.Context
	placed chan placing    // has room for one
	group  context.Context // of the request for it and others: ends when none of them is wanted; set when that is made
}

// A placing says what became of an entrant's submission.
type placing struct {
	refused *Result
	err     error
	number  string
	at      time.Duration
}

// gatherTime is the time that the first job of a group waits for others.
const gatherTime = time.Second

// Add tells of branches that begin or go on, or with a negative number of some that have ended or can have
// no job before something else has ended. When no more jobs can come those that are ready go in.
// A nil Crowd is of what is no branch.
func (c *Crowd) Add(branches int) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open += branches
	c.submitIfWhole()
}

// submit submits a job together with others.
func (c *Crowd) submit(ctx context.Context, r *running) (refused *Result, err error) {
	e := &entrant{r: r, ctx: ctx, placed: make(chan placing, 1)}
	c.join(e)
	var p placing
	select {
	case p = <-e.placed:
	case <-ctx.Done():
		if c.leave(e) {
			return nil, context.Cause(ctx)
		}
		// A request may be under way. What it comes to should be known before the job is cancelled.
		late, stop := ofRequest(ctx, r.clock(), r.cluster.soon())
		defer stop()
		select {
		case p = <-e.placed:
		case <-late.Done():
			if e.group.Err() == nil { // others want it
				return nil, context.Cause(ctx)
			}
			p = <-e.placed // it is being ended, which leaves no process behind
		}
	}
	if p.refused != nil || p.err != nil {
		return p.refused, p.err
	}
	r.current.number, r.current.submitted = p.number, p.at
	return nil, context.Cause(ctx)
}

// join has a job wait for others.
func (c *Crowd) join(e *entrant) {
	key := gathering{e.r.cluster, strings.Join(e.r.job.Options, "\x00")}
	c.mu.Lock()
	defer c.mu.Unlock()
	g := c.groups[key]
	if g == nil {
		g = &group{}
		g.timer = e.r.clock().AfterFunc(e.r.clock().Now()+gatherTime, func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.close(key, g)
		})
		if c.groups == nil {
			c.groups = map[gathering]*group{}
		}
		c.groups[key] = g
	}
	g.entrants = append(g.entrants, e)
	c.open--
	if len(g.entrants) >= e.r.cluster.mostTasks() {
		c.close(key, g)
	}
	c.submitIfWhole()
}

// leave takes a job out of the group that it waits in; false: that has gone in.
func (c *Crowd) leave(e *entrant) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, g := range c.groups {
		for i, other := range g.entrants {
			if other == e {
				g.entrants = append(g.entrants[:i], g.entrants[i+1:]...)
				c.open++
				return true
			}
		}
	}
	return false
}

// submitIfWhole submits all groups if no more jobs can come.
func (c *Crowd) submitIfWhole() {
	for c.open <= 0 && len(c.groups) > 0 {
		for key, g := range c.groups {
			c.close(key, g)
		}
	}
}

// close submits a group, if that has not been done.
func (c *Crowd) close(key gathering, g *group) {
	if c.groups[key] != g {
		return
	}
	g.timer.Stop()
	delete(c.groups, key)
	c.open += len(g.entrants)
	if len(g.entrants) > 0 {
		key.cluster.submitGroup(g.entrants)
	}
}

// submitGroup begins to submit jobs, for as long as any of them is wanted.
func (c *Cluster) submitGroup(entrants []*entrant) {
	ctx, stop := whileAnyWaits(entrants)
	for _, e := range entrants {
		e.group = ctx
	}
	go func() {
		defer stop()
		c.submitAll(ctx, entrants)
	}()
}

// submitAll submits jobs as arrays of what the site allows.
func (c *Cluster) submitAll(ctx context.Context, entrants []*entrant) {
	for len(entrants) > 0 {
		n := min(len(entrants), c.mostTasks())
		c.submitTogether(ctx, entrants[:n])
		entrants = entrants[n:]
	}
}

// whileAnyWaits returns a context that is cancelled when all entrants' are.
func whileAnyWaits(entrants []*entrant) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	var waiting atomic.Int64
	waiting.Store(int64(len(entrants)))
	var stops []func() bool
	for _, e := range entrants {
		stops = append(stops, context.AfterFunc(e.ctx, func() {
			if waiting.Add(-1) == 0 {
				cancel(context.Cause(e.ctx))
			}
		}))
	}
	return ctx, func() {
		for _, stop := range stops {
			stop()
		}
		cancel(nil)
	}
}

// submitTogether submits jobs as one array; as smaller ones where that is more than the site takes.
func (c *Cluster) submitTogether(ctx context.Context, entrants []*entrant) {
	jobs := make([]*running, 0, len(entrants))
	for _, e := range entrants {
		jobs = append(jobs, e.r)
	}
	b, err := newBundle(c, jobs)
	if err != nil {
		result := shortOf("cannot write to the folder of a job: ", err)
		for _, e := range entrants {
			e.placed <- placing{refused: &result}
		}
		return
	}
	answer, err := b.submit(ctx)
	if half := len(entrants) / 2; err == nil && half > 0 {
		switch {
		case answer.Most > 0:
			c.tasks.Store(int64(min(answer.Most, len(entrants)-1)))
			c.submitAll(ctx, entrants)
			return
		case answer.Receipt == batch.Full:
			c.submitTogether(ctx, entrants[:half])
			c.submitTogether(ctx, entrants[half:])
			return
		}
	}
	for i, e := range entrants {
		p := placing{err: err, number: b.number(answer.Number, i), at: c.Clock.Now()}
		if err == nil && answer.Receipt != batch.Accepted {
			refused := failed(batch.Mistake, "", answer.Message)
			p.refused = &refused
		}
		e.placed <- p
	}
}

// mostTasks returns the limit on the jobs of an array, as far as that is known.
func (c *Cluster) mostTasks() int {
	if n := int(c.tasks.Load()); n > 0 {
		return n
	}
	return max(1, c.System.Array().Most)
}
