package locked

import (
	"errors"
	"time"
)

// Cause is what somebody waits for who wants to make an attempt.
type Cause uint8

// The causes.
const (
	Turn    Cause = iota // others stand before it
	Slot                 // all are taken
	Budget               // there are too many retries
	Breaker              // it is open, and this is not the time for a probe
	Floor                // a server has asked for time (retryafter)
)

// String is the cause in a word: turn, slot, budget, breaker, retryafter.
func (c Cause) String() string {
	return [...]string{"turn", "slot", "budget", "breaker", "retryafter"}[c]
}

// Wait is a wait that begins, or goes on for another cause.
type Wait struct {
	For    Cause
	Until  time.Duration // on the clock, at the latest, if that is known; else backoff.Never
	Before int           // how many stand before it in the line, at most
}

// ErrTooLate says that no attempt may be made before the deadline: the floor is later.
var ErrTooLate = errors.New("no attempt may be made before the limit")

var errStopped = errors.New("somebody has its state and does not give it back; was a shell stopped?")
