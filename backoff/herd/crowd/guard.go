package crowd

import (
	"math/rand/v2"
	"time"
)

// lets tells whether an attempt may reach the next layer.
func (l *Layer) lets(now time.Duration, dice *rand.Rand) bool {
	if l.Throttle != nil {
		if p := l.Throttle.Rejects(now); p > 0 && dice.Float64() < p {
			return false
		}
	}
	if l.Breaker != nil {
		ok, _ := l.Breaker.Allows(now)
		return ok
	}
	return true
}

// attempts notes that one is made.
func (l *Layer) attempts(now time.Duration, retry bool) {
	if l.Budget != nil {
		l.Budget.Attempt(now, retry)
	}
}

// notes takes in how an attempt went. One that was rejected here says nothing
// about what lies behind.
func (l *Layer) notes(now time.Duration, ok, rejected bool) {
	if l.Throttle != nil {
		l.Throttle.Note(now, ok)
	}
	if rejected {
		return
	}
	if l.Bucket != nil {
		l.Bucket.Note(ok)
	}
	if l.Breaker != nil {
		l.Breaker.Note(now, ok)
	}
}

// repeats tells whether a retry is allowed.
func (l *Layer) repeats(now time.Duration) bool {
	return (l.Budget == nil || l.Budget.Allows(now)) && (l.Bucket == nil || l.Bucket.Allows())
}
