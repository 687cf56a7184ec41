package server

import "time"

// goDown is the beginning of an outage.
func (s *Server) goDown(mode Mode) {
	if mode != Refuse && mode != Hang {
		return
	}
	for s.line.n > 0 {
		n, _ := s.nextInLine()
		s.abandonRequest(n, mode)
	}
	for n := range s.requests {
		switch state := s.requests[n].state; {
		case state == inSlot:
			s.busy.changeBy(s.sim.Now(), -1)
			s.abandonRequest(uint32(n), mode)
		case state == lost && s.Slowdown.on(): // it was in the pace that ends here
			s.releaseNumber(uint32(n))
		}
	}
	s.pace.lines = [gridLines]line{}
	s.debt = 0
}

// abandonRequest is the end of a request whose server has gone down: an error for
// its client, or nothing at all.
func (s *Server) abandonRequest(n uint32, mode Mode) {
	s.hangUp(n)
	r := &s.requests[n]
	a := Answer{Request: r.Request, Turned: true}
	if r.state == inSlot {
		a.Served = s.sim.Now() - r.started
	}
	if r.state == inSlot && !s.Slowdown.on() && r.call == nil {
		r.state = lost // its end is still among the events
	} else {
		s.releaseNumber(n)
	}
	if mode == Refuse {
		s.reply(a)
	} else {
		s.lost += a.Served
	}
}

// comeBack is the end of an outage.
func (s *Server) comeBack() {
	s.admitWaiting()
	s.keepPace()
}

// Brownout is a time during which a server works more slowly.
type Brownout struct {
	From, To time.Duration
	Share    float64 // of its speed that is left, above 0 and up to 1
}

// speedAt is the share of its speed that a server has at that time.
func (s *Spec) speedAt(now time.Duration) float64 {
	for _, b := range s.Brownouts {
		if now >= b.From && now < b.To {
			return b.Share
		}
	}
	return 1
}

// workLasts returns how long some work takes that begins then: longer as far as a brown-out covers it.
func (s *Spec) workLasts(begin, work time.Duration) time.Duration {
	now := begin
	for _, b := range s.Brownouts {
		if b.To <= now {
			continue
		}
		before := max(b.From-now, 0)
		within := time.Duration(float64(b.To-now-before) * b.Share)
		switch {
		case work <= before:
			return now + work - begin
		case work <= before+within:
			return now + before + time.Duration(float64(work-before)/b.Share) - begin
		}
		now, work = b.To, work-before-within
	}
	return now + work - begin
}
