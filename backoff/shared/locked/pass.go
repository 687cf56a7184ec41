package locked

import (
	"context"
	"time"

	"ftsh/backoff"
)

// Request is what somebody wants who is about to make an attempt.
type Request struct {
	Rules    Rules
	Retry    bool          // it is not the first attempt of its try
	Deadline time.Duration // on the clock: where the floor is later, there is no point in waiting
	Told     func(Wait)    // called when a wait begins and when its cause changes; may be nil
}

// Pass is the permission to make one attempt.
type Pass struct {
	resource *Resource
	rules    Rules
	retry    bool
	slot     int             // none: it has none
	ctx      context.Context // of Enter
}

const none = -1

// Enter waits until an attempt may begin. The error is the cause with which ctx was
// cancelled, [ErrTooLate], or that of a file that cannot be used. After a Pass
// was given, [Pass.Leave] has to be called.
func (r *Resource) Enter(ctx context.Context, q Request) (*Pass, error) {
	p := &Pass{resource: r, rules: q.Rules, retry: q.Retry, slot: none, ctx: ctx}
	told := announcer(q.Told)
	if q.Retry && q.Rules.Budgeted {
		if err := r.stand(ctx, &stander{line: retries, rules: q.Rules, gate: r.budgetGate, told: told}); err != nil {
			return nil, err
		}
	}
	err := r.stand(ctx, &stander{line: ready, rules: q.Rules, gate: p.readyGate(q), told: told})
	if err != nil && q.Retry && q.Rules.Budgeted {
		p.withdraw()
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

// announcer calls told when the cause of a wait has changed.
func announcer(told func(Wait)) func(Wait) {
	if told == nil {
		return func(Wait) {}
	}
	last, begun := Turn, false
	return func(w Wait) {
		if !begun || w.For != last {
			told(w)
		}
		last, begun = w.For, true
	}
}

// budgetGate lets a retry through that the budget allows.
func (r *Resource) budgetGate(s *state, now time.Duration) (Wait, bool, error) {
	if !s.affords(now) {
		return Wait{For: Budget, Until: s.budget().Next(now)}, false, nil
	}
	s.attempt(now, true, 1)
	return Wait{}, true, nil
}

// readyGate lets an attempt through for which there is a slot, unless the breaker or
// the floor keeps it back.
func (p *Pass) readyGate(q Request) gate {
	return func(s *state, now time.Duration) (Wait, bool, error) {
		switch {
		case now < s.floor && s.floor >= q.Deadline:
			return Wait{}, false, ErrTooLate
		case now < s.floor:
			return Wait{For: Floor, Until: s.floor}, false, nil
		case !s.passable(now):
			return Wait{For: Breaker, Until: s.probe}, false, nil
		}
		if got, err := p.take(); !got {
			return Wait{For: Slot, Until: backoff.Never}, false, err
		}
		s.let(now)
		if !q.Retry || !q.Rules.Budgeted {
			s.attempt(now, q.Retry, 1)
		}
		return Wait{}, true, nil
	}
}

// take takes a slot, if there is a free one, or none are counted.
func (p *Pass) take() (bool, error) {
	r := p.resource
	r.mu.Lock()
	defer r.mu.Unlock()
	for slot := range p.rules.Slots {
		if r.slots[slot] {
			continue
		}
		got, err := lock(r.file.slots, slotsAt+int64(slot))
		if err != nil {
			return false, err
		}
		if got {
			r.slots[slot] = true
			p.slot = slot
			if r.keep != nil && r.release == nil {
				r.release = r.keep(r.file.slots)
			}
			break
		}
	}
	if p.rules.Slots > 0 && p.slot == none {
		return false, nil
	}
	r.passes++
	return true, nil
}

// Ending is how an attempt went, as far as it concerns the resource.
type Ending uint8

// The endings.
const (
	Succeeded Ending = iota
	Failed
	Undecided // it says nothing about the resource: it was cancelled, or the caller's own mistake
	Deferred  // it was not made after all
)

// Leave ends an attempt, and gives the slot free. No attempt of anybody starts before
// floor then, a time on the clock; 0: none. It returns the floor that holds for all,
// and waits for nobody but a moment, once the context of Enter is cancelled.
func (p *Pass) Leave(how Ending, floor time.Duration) (Change, time.Duration) {
	r := p.resource
	r.mu.Lock()
	if p.slot != none {
		delete(r.slots, p.slot)
		unlock(r.file.slots, slotsAt+int64(p.slot))
	}
	r.mu.Unlock()
	defer p.gone()
	s, now := r.briefly(p.ctx)
	if s == nil {
		r.hint()
		return Unchanged, floor
	}
	s.rules = p.rules
	change := Unchanged
	switch how {
	case Succeeded, Failed:
		change = s.note(now, how == Succeeded)
	case Deferred:
		s.attempt(now, p.retry, -1)
	}
	s.floor = max(s.floor, floor)
	_ = r.leave(s, now, r.rings(s, now, ready)...)
	return change, s.floor
}

// gone notes that an attempt is no longer under way.
func (p *Pass) gone() {
	p.resource.mu.Lock()
	p.resource.passes--
	p.resource.mu.Unlock()
}

// withdraw takes back a retry that was counted and then not made.
func (p *Pass) withdraw() {
	r := p.resource
	if s, now := r.briefly(p.ctx); s != nil {
		s.rules = p.rules
		s.attempt(now, true, -1)
		_ = r.leave(s, now, r.rings(s, now, ready)...)
	}
}
