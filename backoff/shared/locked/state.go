package locked

import (
	"time"

	"ftsh/backoff/shared"
)

// Rules is what a script says of a resource. The zero Rules let everybody through.
type Rules struct {
	Slots    int           // how many attempts at once; 0: any number
	Budgeted bool          // there is a budget
	Percent  float64       // of all attempts, which retries may be at most
	Failures int           // that open the breaker, at most MostFailures; 0: there is none
	Within   time.Duration // in which they must come
	Probe    time.Duration // between the probes of an open breaker
}

// The most that rules may say, so that a state stays small and a look at all
// slots short.
const (
	MostSlots    = 1000
	MostFailures = 400
)

// What a budget counts over, and how many retries it always allows.
const (
	budgetWindow = 10 * time.Minute
	budgetFloor  = 10
)

// lines is how many lines there are to wait in.
const lines = 2

const (
	ready   = iota // for a slot, the breaker, the floor
	retries        // for the budget, before that
)

// state is what all users of a resource know together, but for what locks tell.
type state struct {
	written time.Duration // when
	rules   Rules         // of who used it last
	line    [lines]counter
	counts  shared.Window   // attempts, and retries among them
	recent  []time.Duration // the last failures
	open    bool            // the breaker
	opened  time.Duration   // since when it is
	probe   time.Duration   // then the next probe may be made
	ramp    int             // 0, or the breaker has closed while others waited: 1, and 1 for each who may go
	floor   time.Duration   // no attempt before that (retryafter)
}

// counter numbers the tickets of a line.
type counter struct {
	next int64 // the next to be given
	head int64 // all before it are used up
}

// budget is the state as the pure function takes it.
func (s *state) budget() *shared.Budget {
	return &shared.Budget{Share: s.rules.Percent / 100, Floor: budgetFloor, Window: budgetWindow, Counts: s.counts}
}

// breaker is the state as the pure function takes it.
func (s *state) breaker() *shared.Breaker {
	return &shared.Breaker{
		Failures: s.rules.Failures, Within: s.rules.Within, Probe: s.rules.Probe,
		Recent: s.recent, Open: s.open, Next: s.probe,
	}
}

// attempt counts an attempt that begins; n is -1 for one that was not made after all.
func (s *state) attempt(now time.Duration, retry bool, n int) {
	b := s.budget()
	if n < 0 {
		b.Withdraw(now, retry)
	} else {
		b.Attempt(now, retry)
	}
	s.counts = b.Counts
}

// affords tells whether the budget allows a retry.
func (s *state) affords(now time.Duration) bool {
	b := s.budget()
	ok := !s.rules.Budgeted || b.Allows(now)
	s.counts = b.Counts
	return ok
}

// When the breaker closes, a crowd may stand before it. All at once they could do to the
// service what opened it; so each success lets two more go. Where no success comes, because attempts take
// long or who made them was killed, one goes per interval, as a probe does.
const perSuccess = 2

// passable tells whether the breaker lets an attempt through now.
func (s *state) passable(now time.Duration) bool {
	kept := s.open || s.ramp == 1
	return s.rules.Failures == 0 || !kept || now >= s.probe
}

// let takes note of an attempt that the breaker lets through: perhaps it is the probe.
func (s *state) let(now time.Duration) {
	switch {
	case s.rules.Failures == 0:
	case s.ramp > 1 && !s.open:
		s.ramp--
	case s.ramp == 1 && !s.open:
		s.probe = now + s.rules.Probe
	default:
		b := s.breaker()
		b.Allows(now)
		s.probe = b.Next
	}
}

// calm ends the time of a crowd: nobody stands before the breaker any more.
func (s *state) calm() { s.ramp = 0 }

// Change is what an attempt did to the breaker.
type Change uint8

// The changes of a breaker.
const (
	Unchanged Change = iota
	Opened
	Closed
)

// note tells the breaker how an attempt ended.
func (s *state) note(now time.Duration, ok bool) Change {
	if s.rules.Failures == 0 {
		return Unchanged
	}
	before := s.open
	b := s.breaker()
	b.Note(now, ok)
	s.recent, s.open = b.Recent, b.Open
	switch {
	case s.open && !before:
		s.opened, s.probe, s.ramp = now, b.Next, 0
		return Opened
	case before && !s.open:
		s.ramp = 1 + perSuccess
		return Closed
	case ok && s.ramp > 0:
		s.ramp += perSuccess
	}
	return Unchanged
}
