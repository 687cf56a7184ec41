package server

import "time"

// Use says how much a server was used.
type Use struct {
	Slots   float64 // seconds that requests were being served, added up over all of them
	Line    float64 // seconds that requests waited for that, added up likewise
	Longest int     // the most that waited at once
	Served  int     // requests that had a slot
	Unseen  int     // of those, that had it while well more than [Spec.Seen] were taken
}

// Use returns the use up to now.
func (s *Server) Use() Use {
	s.busy.changeBy(s.sim.Now(), 0)
	s.line.changeBy(s.sim.Now(), 0)
	return Use{s.busy.sum, s.line.sum, s.line.most, s.served, s.unseen}
}

// Idle is for how long no request was being served, up to now.
func (s *Server) Idle() time.Duration {
	s.busy.changeBy(s.sim.Now(), 0)
	return s.busy.none
}

// level is a number that changes over time.
type level struct {
	n, most int
	since   time.Duration
	sum     float64       // of the number times seconds, up to since
	none    time.Duration // for how long it was 0, up to then
}

// changeBy makes it larger or smaller.
func (l *level) changeBy(now time.Duration, by int) {
	l.sum += float64(l.n) * (now - l.since).Seconds()
	if l.n == 0 {
		l.none += now - l.since
	}
	l.since = now
	l.n += by
	l.most = max(l.most, l.n)
}

// Rate says how many requests a server lets in within each window of that length; the first
// begins at time 0. Further ones are told when the next begins. The zero Rate is no limit.
type Rate struct {
	Requests int           // within Per
	Per      time.Duration // the length of a window; 0: there is no limit
}

// limiter counts the requests of the present window.
type limiter struct {
	window time.Duration // its beginning
	let    int
}

// isFull reports whether no more are let in, and counts one if it is.
func (s *Server) isFull(now time.Duration) bool {
	if s.Limit.Per == 0 {
		return false
	}
	if window := now.Truncate(s.Limit.Per); window != s.limiter.window {
		s.limiter = limiter{window: window}
	}
	if s.limiter.let >= s.Limit.Requests {
		return true
	}
	s.limiter.let++
	return false
}

// refuseUntilWindow turns a request away until the next window.
func (s *Server) refuseUntilWindow(n uint32, now time.Duration) {
	s.refuseRequest(n, s.Refusal)
	r := &s.requests[n]
	r.Limited, r.After = true, s.limiter.window+s.Limit.Per-now-s.Trip // from when it arrives at the client
}
