package interp

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"ftsh/ast"
	"ftsh/backoff"
	"ftsh/backoff/shared"
	"ftsh/interp/expand"
	"ftsh/interp/world"
)

// gateOf opens the gate of a resource, or returns the one that is open.
func (r *Runner) gateOf(name string) (world.Gate, error) {
	g := &r.gates
	g.mu.Lock()
	defer g.mu.Unlock()
	if gate := g.open[name]; gate != nil {
		return gate, nil
	}
	gate, err := r.World.Resource(name, r.inherited)
	if err != nil {
		return nil, err
	}
	if g.open == nil {
		g.open = map[string]world.Gate{}
	}
	g.open[name] = gate
	return gate, nil
}

// evaluateVia evaluates via: the settings of the resource, as they are now.
func (t *try) evaluateVia(ctx context.Context) error {
	f := t.frame
	name, _ := t.node.Via.Literal()
	if t.outer.senses(name) {
		return f.faultAt(t.node.Via.Pos, "the sense group of "+name+" leads back to a try via "+name+
			", which would go on for ever")
	}
	p := &passage{name: name}
	f.place.Clause(3)
	for i := range f.run.resources[name].Body.List {
		if err := f.resourceSetting(ctx, f.run.resources[name].Body.List[i].Node, p); err != nil {
			return err
		}
	}
	if t.outer.hasSlot(name) {
		p.rules.Slots = 0
	}
	t.header.via = p
	var err error
	if p.gate, err = f.run.gateOf(name); err == nil || isErrno(err) {
		return nil // what the machine refuses now, such as a full disk, each attempt tries again
	}
	return f.announceFailure(newFailure(KindSystem, t.pos, err.Error()))
}

// isErrno reports whether an error comes from a system call.
func isErrno(err error) bool {
	var errno syscall.Errno
	return errors.As(err, &errno)
}

// hasSlot reports whether this or a try around it is in an attempt that has a slot of the
// resource: what waits for another in it would wait for itself.
func (t *try) hasSlot(name string) bool {
	for ; t != nil; t = t.outer {
		if via := t.header.via; via != nil && via.name == name && via.inside {
			return true
		}
	}
	return false
}

// senses reports whether this or a try around it is running the sense group of the resource.
func (t *try) senses(name string) bool {
	for ; t != nil; t = t.outer {
		if via := t.header.via; via != nil && via.name == name && t.phase == sensing {
			return true
		}
	}
	return false
}

// usualProbe is the interval of a breaker that says none.
const usualProbe = 30 * time.Second

// resourceSetting evaluates a setting of a resource.
func (f *frame) resourceSetting(ctx context.Context, node ast.Node, p *passage) (err error) {
	switch n := node.(type) {
	case *ast.Slots:
		p.rules.Slots, err = f.countSetting(ctx, n.Count, "slots", shared.MaxSlots)
	case *ast.Budget:
		return f.budgetSetting(ctx, n, p)
	case *ast.Breaker:
		return f.breakerSetting(ctx, n, p)
	case *ast.Sense:
		p.sense = n
	}
	return err
}

// countSetting evaluates a number from 1 to most.
func (f *frame) countSetting(ctx context.Context, e ast.Expr, what string, most int64) (int32, error) {
	n, err := expand.Integer(ctx, f, e)
	if err == nil && (n < 1 || n > most) {
		err = f.faultAt(e.At(), fmt.Sprintf("%s %d: wanted a number from 1 to %d", what, n, most))
	}
	return int32(n), err
}

// budgetSetting evaluates the settings of a budget.
func (f *frame) budgetSetting(ctx context.Context, n *ast.Budget, p *passage) (err error) {
	p.rules.Budgeted = true
	if p.rules.Percent, err = f.percentSetting(ctx, n.Percent); err != nil || n.AtLeast == nil {
		return err
	}
	rate, err := expand.Decimal(ctx, f, n.AtLeast)
	switch {
	case err != nil:
		return err
	case !(rate >= 0):
		return f.faultAt(n.AtLeast.At(), fmt.Sprintf("at least %v per minute: wanted a number from 0 on", rate))
	case rate == 0:
		rate = -1 // 0 would be what holds where nothing is said
	}
	p.rules.PerMinute = rate
	return nil
}

// percentSetting evaluates a number from 0 to 100.
func (f *frame) percentSetting(ctx context.Context, e ast.Expr) (float64, error) {
	value, err := expand.Decimal(ctx, f, e)
	if err == nil && !(value >= 0 && value <= 100) {
		err = f.faultAt(e.At(), fmt.Sprintf("budget %v: wanted a number from 0 to 100", value))
	}
	return value, err
}

// breakerSetting evaluates the settings of a breaker.
func (f *frame) breakerSetting(ctx context.Context, n *ast.Breaker, p *passage) (err error) {
	if p.rules.Failures, err = f.countSetting(ctx, n.Failures, "failures", shared.MaxFailures); err != nil {
		return err
	}
	p.rules.Probe = usualProbe
	for _, part := range []struct {
		period *ast.Period
		to     *time.Duration
	}{{n.Within, &p.rules.Within}, {n.Probe, &p.rules.Probe}} {
		if err := f.evaluatePeriod(ctx, part.period, part.to); err != nil {
			return err
		}
		if *part.to <= 0 {
			return f.faultAt(part.period.Pos, "a breaker with a time of nothing; wanted a time such as 1 minute")
		}
	}
	return nil
}

// resourceEnding tells how an attempt ended, as far as that says something about the resource: what
// was cancelled from outside, and what the script says no other attempt can mend,
// does not.
func resourceEnding(o backoff.Outcome) shared.Ending {
	switch err := o.Err.(type) {
	case *absence:
		return shared.Succeeded
	case *Exit:
		if err.Status != 0 {
			return shared.Undecided
		}
	}
	if succeeded(o.Err) {
		return shared.Succeeded
	}
	switch o.Stop {
	case backoff.Cancelled, backoff.Giveup, backoff.Rejected:
		return shared.Undecided
	}
	return shared.Failed
}
