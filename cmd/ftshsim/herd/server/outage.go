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
			s.vacateSlot()
			s.abandonRequest(uint32(n), mode)
		case state == lost && s.Slowdown.on(): // it was in the pace that ends here
			s.releaseNumber(uint32(n))
		}
	}
	s.pace.clear()
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

// idle measures the time during which nothing is served.
type idle struct {
	busy  bool
	since time.Duration
	total time.Duration
}

func (i *idle) startIdle(now time.Duration) { i.busy, i.since = false, now }

func (i *idle) stopIdle(now time.Duration) {
	i.total = i.idleUntil(now)
	i.busy = true
}

func (i *idle) idleUntil(now time.Duration) time.Duration {
	if i.busy {
		return i.total
	}
	return i.total + now - i.since
}
