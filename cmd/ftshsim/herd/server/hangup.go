package server

import "time"

// Left says that the sender of a request no longer waits for the answer.
func (s *Server) Left(r Request) {
	n, known := s.numbers[r]
	if !known || s.outageAt(s.sim.Now()).Mode == Freeze {
		return
	}
	switch q := &s.requests[n]; q.state {
	case queued:
		s.leaveLine(n)
	case inSlot:
		s.lost += s.sim.Now() - q.started
		s.busy.changeBy(s.sim.Now(), -1)
		if q.call == nil { // an event, or the pace, still refers to it
			s.forgetRequest(n)
		} else {
			s.hangUp(n)
			s.releaseNumber(n)
		}
		s.admitWaiting()
	}
}

// forgetRequest leaves the number of a request to what still refers to it.
func (s *Server) forgetRequest(n uint32) {
	delete(s.numbers, s.requests[n].Request)
	s.requests[n].state = lost
}

// hangUp leaves the server that a request waits for.
func (s *Server) hangUp(n uint32) {
	if c := s.requests[n].call; c != nil && c.tag != 0 && s.HangUp != nil {
		s.HangUp(s.Calls[c.number].To, Request{Who: n, Tag: c.tag})
	}
}

// nextInLine takes the first of the line.
func (s *Server) nextInLine() uint32 {
	n := s.waiting.pop()
	for s.requests[n].state == lost {
		s.releaseNumber(n)
		n = s.waiting.pop()
	}
	s.line.changeBy(s.sim.Now(), -1)
	return n
}

// leaveLine takes a request out of the line; its number stands there until its turn comes.
func (s *Server) leaveLine(n uint32) {
	s.line.changeBy(s.sim.Now(), -1)
	s.forgetRequest(n)
}

// tireAt has a request turned away at that time, if it still waits for a slot.
func (s *Server) tireAt(n uint32, at time.Duration) {
	s.requests[n].patience = at
	s.setEvent(at, n, tired)
}

// turnAway turns a request away that has waited too long; one that stood still with its server, when that goes on.
func (s *Server) turnAway(n uint32) {
	r, now := s.requests[n], s.sim.Now()
	if r.state != queued || r.patience != now {
		return
	}
	if down := s.outageAt(now); down.Mode == Freeze {
		s.tireAt(n, down.To)
		return
	}
	s.leaveLine(n)
	again := s.newNumber()
	s.requests[again] = r
	if s.numbers != nil {
		s.numbers[r.Request] = again
	}
	s.refuseRequest(again, s.Refusal)
}

// goDown is the beginning of an outage.
func (s *Server) goDown(mode Mode) {
	if mode != Refuse && mode != Hang {
		return
	}
	for s.line.n > 0 {
		s.abandonRequest(s.nextInLine(), mode)
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
