package locked

import (
	"context"
	"time"

	"ftsh/backoff/shared"
)

// Pass is the permission to make one attempt.
type Pass struct {
	visit *visit
	ctx   context.Context // of Enter
}

// Enter waits until an attempt may begin. The error is the cause with which ctx was
// cancelled, [shared.ErrTooLate], or that of a file that cannot be used. After a Pass
// was given, [Pass.Leave] has to be called.
func (r *Resource) Enter(ctx context.Context, want shared.Visit) (*Pass, error) {
	for {
		v := &visit{tickets: tickets{r}, want: want}
		err := v.standInLine(ctx)
		if err == nil {
			return &Pass{v, ctx}, nil
		}
		v.abandonVisit(ctx)
		if err != errRemoved {
			return nil, err
		}
		if r, err = r.successor(); err != nil {
			return nil, err
		}
	}
}

// Leave ends an attempt, and frees the slot. No attempt of anybody starts before
// floor then, a time on the clock; 0: none. It waits for nobody but a moment, once the context of Enter is cancelled.
func (p *Pass) Leave(how shared.Ending, floor time.Duration) shared.Change {
	v := p.visit
	v.freeSlot()
	s, now := v.enterBriefly(p.ctx)
	if s == nil { // the first in line looks every second by itself
		return shared.Change{Floor: floor}
	}
	change, wake := s.Leave(&v.want, how, floor, now, v)
	_ = v.leaveState(s, now, wake...)
	return change
}
