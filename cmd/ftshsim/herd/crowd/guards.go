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
}

// Throttle rejects attempts without asking the server, the more of them the
// more the server has rejected: with probability max(0, (requests − K·accepts) /
// (requests + 1)) over the window. (Site Reliability Engineering, Google 2016, chapter 21,
// Handling Overload.) The zero Throttle rejects nothing.
type Throttle struct {
	K      float64       // 2: about as many requests reach the server as it accepts, twice over
	Window time.Duration // 2 min
}

// guards is what all clients share in a layer.
type guards struct {
	*Layer
	admission         shared.Admission
	gone              float64       // tokens of the Bucket
	requests, accepts shared.Window // of the Throttle; those that it rejects are among the requests
}

// letsAttempt reports whether an attempt may reach the next layer.
func (g *guards) letsAttempt(now time.Duration, retry bool, dice *rand.Rand) bool {
	if g.Rules.Budgeted {
		g.admission.Count(now, retry)
	}
	if t := g.Throttle; t.K > 0 {
		requests, accepts := g.requests.Sum(now, t.Window), g.accepts.Sum(now, t.Window)
		if p := (requests - t.K*accepts) / (requests + 1); p > 0 && dice.Float64() < p {
			return false
		}
	}
	return g.admission.Admits(now)
}

// noteOutcome takes in how an attempt went. One that was rejected here says nothing about what lies behind.
func (g *guards) noteOutcome(now time.Duration, ok, rejected bool) {
	if g.Throttle.K > 0 {
		g.requests.Add(now, g.Throttle.Window, 1)
		if ok {
			g.accepts.Add(now, g.Throttle.Window, 1)
		}
	}
	switch {
	case rejected:
		return
	case ok:
		g.gone = max(0, g.gone-g.Bucket.Ratio)
	default:
		g.gone = min(g.Bucket.Size, g.gone+1)
	}
	g.admission.End(now, ok)
}

// allowsRetry reports whether the budget and the bucket have something left.
func (g *guards) allowsRetry(now time.Duration) bool {
	return g.admission.Affords(now) && (g.Bucket.Size == 0 || g.gone < g.Bucket.Size/2)
}
