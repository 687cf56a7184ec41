package simulate

import (
	"context"
	"slices"
	"time"

	"ftsh/backoff"
	"ftsh/backoff/herd"
	"ftsh/backoff/shared"
	"ftsh/backoff/shared/locked"
	"ftsh/interp"
)

// resource is what the clients of a machine share by its name: what the files of
// shared/locked are for shells. Nothing has to be locked here; the order in which
// attempts are let through is the same.
type resource struct {
	sim     *simulation
	budget  shared.Budget
	breaker shared.Breaker
	floor   time.Duration // no attempt before that
	inside  int           // attempts under way
	ready   []*ticket     // who waits for a slot, the breaker, the floor
	retries []*ticket     // who waits for the budget, before that
}

// ticket is a place in a line.
type ticket struct {
	client *client
	rung   bool // it should look again
}

// named returns the resource of that name on the machine of a client.
func (s *simulation) named(machine int, name string) *resource {
	key := shareKey{machine, name}
	if s.shared[key] == nil {
		if s.shared == nil {
			s.shared = map[shareKey]*resource{}
		}
		s.shared[key] = &resource{sim: s, budget: shared.Budget{Floor: 10, Window: 10 * time.Minute}}
	}
	return s.shared[key]
}

type shareKey struct {
	machine int
	name    string
}

// gate is the way of one client to a resource.
type gate struct {
	*resource
	client *client
}

// pass is an attempt by way of a resource.
type pass struct {
	*resource
	rules locked.Rules
	retry bool
}

// obey takes over what a script says of the resource.
func (r *resource) obey(rules locked.Rules) {
	r.budget.Share = rules.Percent / 100
	r.breaker.Failures, r.breaker.Within, r.breaker.Probe = rules.Failures, rules.Within, rules.Probe
}

// Enter implements [interp.Gate].
func (g gate) Enter(ctx context.Context, q locked.Request) (interp.Pass, error) {
	counted := q.Retry && q.Rules.Budgeted
	if counted {
		err := g.stand(ctx, q, &g.retries, func(now time.Duration) (locked.Wait, bool, error) {
			if !g.budget.Allows(now) {
				return locked.Wait{For: locked.Budget, Until: g.budget.Next(now)}, false, nil
			}
			g.budget.Attempt(now, true)
			return locked.Wait{}, true, nil
		})
		if err != nil {
			return nil, err
		}
	}
	err := g.stand(ctx, q, &g.ready, func(now time.Duration) (locked.Wait, bool, error) { return g.lets(now, q) })
	if err != nil {
		if counted {
			g.budget.Withdraw(g.sim.time(), true)
		}
		return nil, err
	}
	return &pass{g.resource, q.Rules, q.Retry}, nil
}

// lets tells whether an attempt may begin, or what it waits for.
func (r *resource) lets(now time.Duration, q locked.Request) (locked.Wait, bool, error) {
	switch {
	case now < r.floor && r.floor >= q.Deadline:
		return locked.Wait{}, false, locked.ErrTooLate
	case now < r.floor:
		return locked.Wait{For: locked.Floor, Until: r.floor}, false, nil
	case q.Rules.Failures > 0 && r.breaker.Open && now < r.breaker.Next:
		return locked.Wait{For: locked.Breaker, Until: r.breaker.Next}, false, nil
	case q.Rules.Slots > 0 && r.inside >= q.Rules.Slots:
		return locked.Wait{For: locked.Slot, Until: backoff.Never}, false, nil
	}
	if q.Rules.Failures > 0 {
		r.breaker.Allows(now) // which then may be the probe
	}
	if !q.Retry || !q.Rules.Budgeted {
		r.budget.Attempt(now, q.Retry)
	}
	r.inside++
	return locked.Wait{}, true, nil
}

// stand waits in a line until lets lets the first one through.
func (g gate) stand(ctx context.Context, q locked.Request, line *[]*ticket, lets func(time.Duration) (locked.Wait, bool, error)) error {
	own := &ticket{client: g.client}
	*line = append(*line, own)
	defer func() {
		*line = slices.DeleteFunc(*line, func(t *ticket) bool { return t == own })
		g.ring(*line)
	}()
	last, told := locked.Turn, false
	for {
		wait := locked.Wait{For: locked.Turn, Until: backoff.Never, Before: slices.Index(*line, own)}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if (*line)[0] == own {
			g.obey(q.Rules)
			var through bool
			var err error
			if wait, through, err = lets(g.sim.time()); err != nil || through {
				return err
			}
		}
		if q.Told != nil && (!told || wait.For != last) {
			q.Told(wait)
		}
		last, told = wait.For, true
		g.client.Until(wait.Until, func() bool { return own.rung || ctx.Err() != nil })
		own.rung = false
	}
}

// ring has the first of a line look again.
func (r *resource) ring(line []*ticket) {
	if len(line) > 0 {
		line[0].rung = true
		r.sim.At(r.sim.time(), herd.Event{Who: line[0].client.client, What: stir})
	}
}

// Leave implements [interp.Pass].
func (p *pass) Leave(how locked.Ending, floor time.Duration) (locked.Change, time.Duration) {
	now, change := p.sim.time(), locked.Unchanged
	p.obey(p.rules)
	p.inside--
	switch how {
	case locked.Succeeded, locked.Failed:
		change = p.note(now, how == locked.Succeeded)
	case locked.Deferred:
		p.budget.Withdraw(now, p.retry)
	}
	p.floor = max(p.floor, floor)
	p.ring(p.ready)
	p.ring(p.retries)
	return change, p.floor
}

// note tells the breaker how an attempt ended.
func (p *pass) note(now time.Duration, ok bool) locked.Change {
	if p.rules.Failures == 0 {
		return locked.Unchanged
	}
	before := p.breaker.Open
	p.breaker.Note(now, ok)
	switch {
	case p.breaker.Open && !before:
		return locked.Opened
	case before && !p.breaker.Open:
		return locked.Closed
	}
	return locked.Unchanged
}
