package shared

import "time"

// Breaker stops all attempts after so many failures within so long, but for
// one probe per interval; the first success lets all attempts through again.
type Breaker struct {
	Failures int             // at least 1
	Within   time.Duration   // in which they must come
	Probe    time.Duration   // the least time between probes
	Recent   []time.Duration // state: the last failures, at most as many as Failures
	Open     bool            // state
	Next     time.Duration   // state: when it is open, the earliest next probe
}

// Allows tells whether an attempt may start now, and if not, when to ask again.
// If the breaker is open, a yes is for the caller alone: the attempt is the probe.
func (b *Breaker) Allows(now time.Duration) (ok bool, again time.Duration) {
	switch {
	case !b.Open:
		return true, now
	case now < b.Next:
		return false, b.Next
	}
	b.Next = now + b.Probe
	return true, now
}

// Note notes how an attempt ended.
func (b *Breaker) Note(now time.Duration, ok bool) {
	if ok {
		b.Recent, b.Open = b.Recent[:0], false
		return
	}
	if len(b.Recent) >= b.Failures {
		b.Recent = append(b.Recent[:0], b.Recent[len(b.Recent)-b.Failures+1:]...)
	}
	b.Recent = append(b.Recent, now)
	if !b.Open && len(b.Recent) == b.Failures && now-b.Recent[0] <= b.Within {
		b.Open, b.Next = true, now+b.Probe
	}
}

// Throttle rejects attempts without asking the server, the more of them the
// more the server has rejected: with probability max(0, (requests − K·accepts) /
// (requests + 1)) over the window.
type Throttle struct {
	K      float64       // 2: about as many requests reach the server as it accepts, twice over
	Window time.Duration // 2 min
	Counts Window        // state: requests, and accepts among them
}

// Rejects is the probability with which the next request is to be rejected
// here. A request that is rejected counts too: see [Throttle.Note].
func (t *Throttle) Rejects(now time.Duration) float64 {
	requests, accepts := t.Counts.sums(now, t.Window)
	return max(0, (requests-t.K*accepts)/(requests+1))
}

// Note counts a request that was rejected here or has been answered: accepted
// tells whether the server took it.
func (t *Throttle) Note(now time.Duration, accepted bool) {
	accepts := 0.0
	if accepted {
		accepts = 1
	}
	t.Counts.add(now, t.Window, 1, accepts)
}
