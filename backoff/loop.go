package backoff

import (
	"encoding/json"
	"time"
)

// Reason tells why a try made no further attempt: what `${error.reason}`
// shows. It is empty after a success.
type Reason string

// The reasons. The package itself gives Attempts, Deadline and Cancelled; the
// others come from the attempt, in [Outcome].
const (
	Attempts  Reason = "attempts"  // the attempt limit is reached
	Deadline  Reason = "deadline"  // the time limit is reached, or would be before another attempt may start
	Giveup    Reason = "giveup"    // the script gave up
	Rejected  Reason = "rejected"  // only on, except on
	Unknown   Reason = "unknown"   // what the attempt did could not be found out
	Budget    Reason = "budget"    // too many retries of a shared resource
	Breaker   Reason = "breaker"   // a shared resource is out of order
	Cancelled Reason = "cancelled" // from outside the try
)

// Unlimited is the attempt limit of a try that has none.
const Unlimited = -1

// Plan limits and paces a try. Note that the zero Plan makes no
// attempt; that of a bare `try` is {Deadline: Never, Attempts: 1}.
type Plan struct {
	Deadline time.Duration // on the clock; no attempt starts then or later. Never: no time limit
	Limit    time.Duration // the whole time limit, which Deadline ends; 0: none, or not known
	Attempts int           // at most so many; 0: none. Unlimited (or anything negative): no limit
	Every    time.Duration // with HasEvery: attempts start at least so far apart, and there is no backoff
	HasEvery bool          // there is an Every, which may be 0
	Backoff  Backoff       // of the waits between attempts, where there is no Every
	Last     Last          // when the last attempt before Deadline starts, where a wait was too long
}

// Last says when the last attempt before a deadline starts. The zero Last is the rule of
// the language: between 50 and 95 % of what is left, with room for two attempts.
type Last struct {
	From, To float64 // shares of the time left, between which it starts by chance
	Room     int     // so many attempts, as long as the longest so far, are to fit behind its start
}

// withDefault puts the default in for zero.
func (l Last) withDefault() Last {
	if l == (Last{}) {
		return Last{From: 0.5, To: 0.95, Room: 2}
	}
	return l
}

// Loop decides when the attempts of one try start, and when there are no more:
// a state machine without a clock, so that a simulator can run thousands. Call
// [Loop.Begin] when an attempt starts and [Loop.Failed] when it has failed, in
// turn. It is not safe for concurrent use, and allocates nothing.
type Loop struct {
	plan Plan
	dice Dice
	State
}

// State holds what a [Loop] remembers, a third of its size: whoever has a million
// loops of the same plan keeps their states only, and makes a loop of each again. The
// zero State is that of a try that is about to begin.
type State struct {
	waits    waits
	attempts int           // begun, and not deferred
	started  time.Duration // the last of them
	longest  time.Duration // how long the longest of them took
	last     bool          // a wait was shortened: the attempt after it is the last
}

// savedState is a State as JSON: times in nanoseconds.
type savedState struct {
	Made     uint64        `json:"waits,omitempty"`
	Previous time.Duration `json:"wait,omitempty"`
	Attempts int           `json:"attempts,omitempty"`
	Started  time.Duration `json:"started,omitempty"`
	Longest  time.Duration `json:"longest,omitempty"`
	Last     bool          `json:"last,omitempty"`
}

// MarshalJSON writes a State down, for a [Loop] of another process. Its times are on the
// clock of this one: see [State.Shift].
func (s State) MarshalJSON() ([]byte, error) {
	return json.Marshal(savedState{s.waits.made, s.waits.previous, s.attempts, s.started, s.longest, s.last})
}

// UnmarshalJSON reads what MarshalJSON has written.
func (s *State) UnmarshalJSON(text []byte) error {
	var saved savedState
	err := json.Unmarshal(text, &saved)
	*s = State{waits{saved.Made, saved.Previous}, saved.Attempts, saved.Started, saved.Longest, saved.Last}
	return err
}

// Shift is the same State on a clock that shows so much more.
func (s State) Shift(d time.Duration) State {
	s.started += d
	return s
}

// Attempts counts the attempts that were begun, without those that were deferred.
func (s State) Attempts() int { return s.attempts }

// NewLoop returns the loop of a try that is about to begin.
func NewLoop(plan Plan, dice Dice) Loop { return resumeLoop(plan, dice, State{}) }

// resumeLoop returns a loop that goes on from the state in which another of the
// same plan was.
func resumeLoop(plan Plan, dice Dice, state State) Loop {
	return Loop{plan, dice, state}
}

// backoff is that of the plan. The cap of the waits of a try with a time limit, if nobody has set one, is a quarter of
// the limit, at least 2T, at most the default.
func (l *Loop) backoff() Backoff {
	b := l.plan.Backoff
	if b.Max == 0 && l.plan.Limit > 0 {
		b.Max = min(usualMax, max(l.plan.Limit/limitShare, 2*givenOr(b.Initial, usualInitial)))
	}
	return b
}

// Begin notes that an attempt starts now, or returns why none may: Attempts
// or Deadline.
func (l *Loop) Begin(now time.Duration) Reason {
	if stop := l.spentLimit(now); stop != "" {
		return stop
	}
	l.attempts++
	l.started = now
	return ""
}

// Failed decides, when an attempt has failed, at what time the next may start,
// or why there is none. No attempt starts before floor (`Retry-After`, a
// shared resource), a time on the clock; 0 is no floor. Without a time limit
// a floor is at most the backoff's Max away. A time returned is not before
// now, and before the deadline.
func (l *Loop) Failed(now, floor time.Duration) (at time.Duration, stop Reason) {
	l.longest = max(l.longest, now-l.started)
	return l.nextAttempt(now, floor)
}

// nextAttempt is the start of the next attempt, or why there is none.
func (l *Loop) nextAttempt(now, floor time.Duration) (at time.Duration, stop Reason) {
	if stop := l.spentLimit(now); stop != "" {
		return 0, stop
	}
	if l.last {
		return 0, Deadline
	}
	floor = max(now, l.boundedFloor(now, floor))
	if l.plan.HasEvery {
		at = max(floor, addTime(l.started, l.plan.Every))
	} else {
		at = l.afterWait(now, floor)
	}
	if l.hasTimeLimit() && at >= l.plan.Deadline {
		return 0, Deadline
	}
	return at, ""
}

// deferred is Failed for an attempt that was not made after all, see [Outcome].
func (l *Loop) deferred(now, floor time.Duration) (at time.Duration, stop Reason) {
	l.attempts--
	return l.nextAttempt(now, floor)
}

// hasTimeLimit reports whether there is a time limit.
func (l *Loop) hasTimeLimit() bool { return l.plan.Deadline != Never }

// spentLimit tells which limit is reached. The attempt limit is asked first, for a
// try that has used up both has had all it asked for.
func (l *Loop) spentLimit(now time.Duration) Reason {
	switch {
	case l.plan.Attempts >= 0 && l.attempts >= l.plan.Attempts:
		return Attempts
	case now >= l.plan.Deadline: // never, if there is none
		return Deadline
	}
	return ""
}

// boundedFloor keeps a floor from stopping a try without a time limit for good.
func (l *Loop) boundedFloor(now, floor time.Duration) time.Duration {
	if l.hasTimeLimit() {
		return floor
	}
	return min(floor, addTime(now, l.backoff().withDefaults().Max))
}

// afterWait is the time after the next wait. One that would pass the deadline is
// shortened, once; the floor may still move it, even past the deadline.
func (l *Loop) afterWait(now, floor time.Duration) time.Duration {
	at := addTime(now, l.waits.next(l.backoff(), l.dice))
	if l.hasTimeLimit() && at >= l.plan.Deadline {
		l.last = true
		at = l.lastStart(now)
	}
	return max(at, floor)
}

// lastStart is when the last attempt before the deadline starts: late, since an
// outage may end at any moment; at random, so that a herd with one deadline does
// not meet there again; and, as far as can be known, with room for that attempt and
// another. One is taken to need at least 5 % of the limit.
func (l *Loop) lastStart(now time.Duration) time.Duration {
	left := l.plan.Deadline - now
	attempt := max(l.longest, l.plan.Limit/20)
	last := l.plan.Last.withDefault()
	share := last.From + l.dice.Float64()*(last.To-last.From)
	return now + max(0, min(fromNanoseconds(share*float64(left)), left-time.Duration(last.Room)*attempt))
}

// addTime is t+d, and [Never] where that overflows. d is taken as at least 0.
func addTime(t, d time.Duration) time.Duration {
	if d > 0 && t > Never-d {
		return Never
	}
	return t + max(d, 0)
}
