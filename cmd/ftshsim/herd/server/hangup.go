package server

import (
	"time"

	"ftsh/cmd/ftshsim/herd"
)

// Left says that the sender of a request no longer waits for the answer.
func (s *Server) Left(r Request) {
	n, known := s.numbers[r]
	if down := s.outageAt(s.sim.Now()); !known || down != nil && down.Mode == Freeze {
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
	r := &s.requests[n]
	if c := r.call; c != nil && c.tag != 0 && s.HangUp != nil {
		s.HangUp(s.Calls[c.number].To, Request{Who: n, Tag: c.tag})
	}
}

// nextInLine takes the first of the line; left: its client has gone, and the server does not serve those.
func (s *Server) nextInLine() (n uint32, left bool) {
	n = s.waiting.pop()
	for s.requests[n].state == lost {
		s.releaseNumber(n)
		n = s.waiting.pop()
	}
	s.line.changeBy(s.sim.Now(), -1)
	return n, s.HangupRemoves && s.Waits != nil && !s.Waits(s.requests[n].Request)
}

// leaveLine takes a request out of the line; its number stands there until its turn comes.
func (s *Server) leaveLine(n uint32) {
	s.line.changeBy(s.sim.Now(), -1)
	s.forgetRequest(n)
}

// tireAt has a request turned away at that time, if it still waits for a slot.
func (s *Server) tireAt(n uint32, at time.Duration) {
	s.requests[n].patience = at
	s.sim.At(at, herd.Event{Who: n, What: s.kind + tired})
}

// turnAway turns a request away that has waited too long; one that stood still with its server, when that goes on.
func (s *Server) turnAway(n uint32) {
	r, now := s.requests[n], s.sim.Now()
	if r.state != queued || r.patience != now {
		return
	}
	if down := s.outageAt(now); down != nil && down.Mode == Freeze {
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
