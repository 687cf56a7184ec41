package crowd

import (
	"math"
	"time"

	"ftsh/backoff/herd"
)

// Tally is what was counted.
type Tally struct {
	Begun     int // pieces of work
	Done      int
	GivenUp   int
	Requests  int           // sent to the server
	Rejected  int           // attempts that a breaker or throttle kept from it
	Late      int           // answers that came after the client had hung up
	Wasted    time.Duration // the server's time for errors, refusals and late answers
	Useful    time.Duration // the server's time for the rest
	Idle      time.Duration // while the server had nothing to do
	Until     time.Duration // when the simulation ended
	PerClient []uint32      // pieces of work done; empty with a Rate

	Sent, Finished, Lost herd.Series    // requests, work done, work given up, by interval
	InFlight             herd.Series    // the most requests in the server
	Took                 herd.Histogram // from the beginning of a piece of work until it was done
}

// Load is the load multiplier: how many requests reached the server for each
// piece of work that was begun.
func (t *Tally) Load() float64 { return float64(t.Requests) / float64(t.Begun) }

// Recovery is how long after a moment the work done per interval is back at
// nine tenths of what it was before the outage that ended then, and stays there
// on average for window; NaN if that never happens. before is the time in
// which an outage had not begun yet.
func (t *Tally) Recovery(before, end, window time.Duration) float64 {
	every := t.Finished.Every
	usual := t.Finished.Between(before/2, before) / float64(before-before/2)
	for at := end; at+window <= t.Until; at += every {
		if t.Finished.Between(at, at+window) >= 0.9*usual*float64(window) {
			return (at - end).Seconds()
		}
	}
	return math.NaN()
}
