package server

import "time"

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
	r.limited, r.after = true, s.limiter.window+s.Limit.Per-now-s.Trip // from when it arrives at the client
}
