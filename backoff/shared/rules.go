package shared

import (
	"errors"
	"time"
)

// Rules holds the settings of a resource in a script. The zero Rules let everybody through.
type Rules struct {
	Slots     int32         // how many attempts at once, at most MaxSlots; 0: any number
	Budgeted  bool          // there is a budget
	Percent   float64       // of all attempts, which retries may be at most
	PerMinute float64       // retries in any minute that the budget allows besides; 0: 60, less: none
	Window    time.Duration // over which the budget counts attempts; 0: 10 minutes
	Failures  int32         // that open the breaker, at most MaxFailures; 0: there is no breaker
	Within    time.Duration // in which they must come
	Probe     time.Duration // between the probes of an open breaker
}

// The most that rules may say, so that a state stays small and a look at all
// slots short.
const (
	MaxSlots    = 1000
	MaxFailures = 400
)

// Cause tells what a visit waits for.
type Cause uint8

// The causes.
const (
	ForTurn    Cause = iota // others stand before it
	ForBudget               // there are too many retries
	ForBreaker              // it is open, and this is not the time for a probe
	ForSlot                 // all are taken
	forFloor                // a server has asked for time (retryafter)
)

// String is the cause in a word: turn, budget, breaker, slot, retryafter.
func (c Cause) String() string {
	return [...]string{"turn", "budget", "breaker", "slot", "retryafter"}[c]
}

// Wait is a wait that begins, or goes on.
type Wait struct {
	For    Cause
	Until  time.Duration // at the latest, if that is known; else backoff.Never
	Before int           // how many stand before it in the line, at most
	Again  time.Duration // when it has to look again, if nobody wakes it before
}

// Ending tells how an attempt went, as far as it concerns the resource.
type Ending uint8

// The endings.
const (
	Succeeded Ending = iota
	Failed
	Undecided // it says nothing about the resource: it was cancelled, or the caller's own mistake
	Deferred  // it was not made after all
)

// Change tells what the end of an attempt has changed.
type Change struct {
	Opened, Closed bool          // the breaker
	Floor          time.Duration // no attempt of anybody starts before that; 0: there is none
}

// ErrTooLate says that no attempt may be made before the deadline: the floor is later.
var ErrTooLate = errors.New("no attempt may be made before the limit")
