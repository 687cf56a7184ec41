package shared

import "time"

// breaker stops all attempts after so many failures within so long, but for
// one probe per interval; the first success lets attempts through again.
//
// When it closes, a crowd may stand before it. All at once they could do to the
// service what opened it; so while anybody waits each success lets two more go.
// Where no success comes, because attempts take long or who made them was
// killed, one goes per interval, as a probe does.
type breaker struct {
	Recent []time.Duration // the last failures, at most as many as open it
	Open   bool
	Since  time.Duration // when it opened
	Next   time.Duration // when it is open, or the ramp has nothing left: the earliest next probe
	Ramp   int32         // 0: there is none; else 1, and 1 more for each attempt that may begin
}

const perSuccess = 2

// admitsAttempt reports whether the breaker lets an attempt begin now.
func (b *breaker) admitsAttempt(now time.Duration, r *Rules) bool {
	restricted := b.Open || b.Ramp == 1
	return r.Failures == 0 || !restricted || now >= b.Next
}

// noteBegin notes an attempt that the breaker has let begin: perhaps it is the probe.
func (b *breaker) noteBegin(now time.Duration, r *Rules) {
	switch {
	case r.Failures == 0:
	case b.Open || b.Ramp == 1:
		b.Next = now + r.Probe
	case b.Ramp > 1:
		b.Ramp--
	}
}

// noteEnd notes how an attempt ended.
func (b *breaker) noteEnd(now time.Duration, r *Rules, ok bool) Change {
	switch {
	case r.Failures == 0:
	case !ok:
		return b.noteFailure(now, r)
	case b.Open:
		b.Recent, b.Open, b.Ramp = b.Recent[:0], false, 1+perSuccess
		return Change{Closed: true}
	default:
		b.Recent = b.Recent[:0]
		if b.Ramp > 0 {
			b.Ramp += perSuccess
		}
	}
	return Change{}
}

// noteFailure notes a failure.
func (b *breaker) noteFailure(now time.Duration, r *Rules) Change {
	if surplus := len(b.Recent) + 1 - int(r.Failures); surplus > 0 {
		b.Recent = append(b.Recent[:0], b.Recent[surplus:]...)
	}
	b.Recent = append(b.Recent, now)
	if b.Open || len(b.Recent) < int(r.Failures) || now-b.Recent[0] > r.Within {
		return Change{}
	}
	b.Open, b.Since, b.Next, b.Ramp = true, now, now+r.Probe, 0
	return Change{Opened: true}
}
