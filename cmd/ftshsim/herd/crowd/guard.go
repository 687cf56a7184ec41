package crowd

import (
	"math/rand/v2"
	"time"

	"ftsh/backoff/shared"
)

// Bucket is the token bucket of gRPC (proposal A6): each failure takes a token, each
// success gives a part of one back, and there are no retries while it is half empty.
// The zero Bucket allows all retries.
type Bucket struct {
	Size  float64 // tokens of a full bucket, say 10
	Ratio float64 // tokens given by a success, say 0.1
	gone  float64 // tokens taken
}

func (b *Bucket) noteOutcome(ok bool) {
	if ok {
		b.gone = max(0, b.gone-b.Ratio)
	} else {
		b.gone = min(b.Size, b.gone+1)
	}
}

// allowsRetry reports whether a retry may be made.
func (b *Bucket) allowsRetry() bool { return b.Size == 0 || b.Size-b.gone > b.Size/2 }

// Throttle rejects attempts without asking the server, the more of them the
// more the server has rejected: with probability max(0, (requests − K·accepts) /
// (requests + 1)) over the window. (Site Reliability Engineering, Google 2016, chapter 21,
// Handling Overload.) The zero Throttle rejects nothing.
type Throttle struct {
	K        float64       // 2: about as many requests reach the server as it accepts, twice over
	Window   time.Duration // 2 min
	requests shared.Window
	accepts  shared.Window
}

// rejectChance is the probability with which the next request is to be rejected here.
// One that is rejected counts, too.
func (t *Throttle) rejectChance(now time.Duration) float64 {
	requests, accepts := t.requests.Sum(now, t.Window), t.accepts.Sum(now, t.Window)
	return max(0, (requests-t.K*accepts)/(requests+1))
}

// noteRequest counts a request that was rejected here or has been answered; accepted: the
// server took it.
func (t *Throttle) noteRequest(now time.Duration, accepted bool) {
	t.requests.Add(now, t.Window, 1)
	if accepted {
		t.accepts.Add(now, t.Window, 1)
	}
}

// guards holds what all clients share in a layer.
type guards struct {
	admission shared.Admission
	bucket    Bucket
	throttle  Throttle
}

// letsAttempt reports whether an attempt may reach the next layer.
func (g *guards) letsAttempt(now time.Duration, dice *rand.Rand) bool {
	if g.throttle.K > 0 {
		if p := g.throttle.rejectChance(now); p > 0 && dice.Float64() < p {
			return false
		}
	}
	return g.admission.Admits(now)
}

// noteAttempt notes that one is made.
func (g *guards) noteAttempt(now time.Duration, retry bool) {
	if g.admission.Rules.Budgeted {
		g.admission.Count(now, retry)
	}
}

// noteOutcome takes in how an attempt went. One that was rejected here says nothing
// about what lies behind.
func (g *guards) noteOutcome(now time.Duration, ok, rejected bool) {
	if g.throttle.K > 0 {
		g.throttle.noteRequest(now, ok)
	}
	if !rejected {
		g.bucket.noteOutcome(ok)
		g.admission.End(now, ok)
	}
}

// allowsRetry reports whether a retry is allowed.
func (g *guards) allowsRetry(now time.Duration) bool {
	return g.admission.Affords(now) && g.bucket.allowsRetry()
}
