package server

import "time"

// goDown is the beginning of an outage.
func (s *Server) goDown(mode Mode) {
	if mode != Refuse && mode != Hang {
		return
	}
	for s.line.n > 0 {
		n, _ := s.next()
		s.abandon(n, mode)
	}
	for n := range s.requests {
		switch state := s.requests[n].state; {
		case state == inSlot:
			s.vacate()
			s.abandon(uint32(n), mode)
		case state == lost && s.Slowdown.on(): // it was in the pace that ends here
			s.release(uint32(n))
		}
	}
	s.pace.clear()
	s.debt = 0
}

// abandon is the end of a request whose server has gone down: an error for
// its client, or nothing at all.
func (s *Server) abandon(n uint32, mode Mode) {
	s.hangUp(n)
	r := &s.requests[n]
	a := Answer{Request: r.Request, Turned: true}
	if r.state == inSlot {
		a.Served = s.sim.Now() - r.started
	}
	if r.state == inSlot && !s.Slowdown.on() && r.call == nil {
		r.state = lost // its end is still among the events
	} else {
		s.release(n)
	}
	if mode == Refuse {
		s.reply(a)
	} else {
		s.lost += a.Served
	}
}

// comeBack is the end of an outage.
func (s *Server) comeBack() {
	s.admit()
	s.keepPace()
}

// idle measures the time during which nothing is served.
type idle struct {
	busy  bool
	since time.Duration
	total time.Duration
}

func (i *idle) start(now time.Duration) { i.busy, i.since = false, now }

func (i *idle) stop(now time.Duration) {
	i.total = i.until(now)
	i.busy = true
}

func (i *idle) until(now time.Duration) time.Duration {
	if i.busy {
		return i.total
	}
	return i.total + now - i.since
}
