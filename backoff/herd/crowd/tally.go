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

	Started, Finished, Lost herd.Series    // pieces of work begun, done and given up, by interval
	Sent                    herd.Series    // requests
	InFlight                herd.Series    // the most requests in the server
	Took                    herd.Histogram // from the beginning of a piece of work until it was done
}

// Load is the load multiplier: how many requests reached the server for each
// piece of work that was begun.
func (t *Tally) Load() float64 { return float64(t.Requests) / float64(t.Begun) }

// LoadBetween is the load multiplier of that time alone: it counts what was
// sent and what was begun then.
func (t *Tally) LoadBetween(from, to time.Duration) float64 {
	return t.Sent.Between(from, to) / t.Started.Between(from, to)
}

// Waste is the share of the server's working time, 0 to 1, that was of no use.
func (t *Tally) Waste() float64 {
	return float64(t.Wasted) / float64(t.Wasted+t.Useful)
}

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

// Settled is how long after a moment the server gets at most a tenth more requests
// than before the outage that ended then, and the work done is back at nine
// tenths, on average for window; NaN if that never happens.
func (t *Tally) Settled(before, end, window time.Duration) float64 {
	done, sent := t.Finished.Between(before/2, before), t.Sent.Between(before/2, before)
	share := float64(window) / float64(before-before/2)
	for at := end; at+window <= t.Until; at += t.Finished.Every {
		if t.Finished.Between(at, at+window) >= 0.9*done*share && t.Sent.Between(at, at+window) <= 1.1*sent*share {
			return (at - end).Seconds()
		}
	}
	return math.NaN()
}
