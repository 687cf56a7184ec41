package server

import (
	"time"

	"ftsh/backoff"
)

// Call holds what a server asks of another for each of its own requests, which keep their
// slots meanwhile. A call that fails for good makes the request fail.
type Call struct {
	To       int             // the number of the other
	Attempts int             // at most so many; 0: one
	Each     time.Duration   // an attempt without an answer is given up after that; 0: never
	Backoff  backoff.Backoff // of the waits between attempts
}

// calling says how far a request is with the calls of its server.
type calling struct {
	number int // of the call
	loop   backoff.Loop
	tag    uint32        // of the attempt under way; 0: the next is still to begin
	due    time.Duration // when that is given up, or begins
	late   *Answer       // came while the server stood still
}

// proceedWith goes on with a request whose own work is done.
func (s *Server) proceedWith(n uint32) {
	if !s.requests[n].OK || len(s.Calls) == 0 {
		s.leaveSlot(n)
		return
	}
	s.requests[n].call = &calling{number: -1}
	s.nextCall(n)
}

// nextCall makes the next call of a request, or ends it.
func (s *Server) nextCall(n uint32) {
	c := s.requests[n].call
	if c.number++; c.number == len(s.Calls) {
		s.leaveSlot(n)
		return
	}
	call := s.Calls[c.number]
	c.loop = backoff.NewLoop(backoff.Plan{Deadline: backoff.Never, Attempts: max(call.Attempts, 1),
		Backoff: call.Backoff}, s.sim.Dice())
	s.attemptCall(n)
}

func (s *Server) attemptCall(n uint32) {
	c, now := s.requests[n].call, s.sim.Now()
	_ = c.loop.Begin(now) // Failed has seen to the limit
	s.tags++
	c.tag = s.tags
	call := s.Calls[c.number]
	if c.due = backoff.Never; call.Each > 0 {
		s.wakeAt(n, now+call.Each)
	}
	s.Forward(call.To, Request{Who: n, Tag: c.tag})
}

func (s *Server) wakeAt(n uint32, at time.Duration) {
	s.requests[n].call.due = at
	s.setEvent(at, n, due)
}

// waitOver goes on with a request after a wait: the end of its patience, of a pause, or of an
// outage in which it stood still. Events of what is no longer waited for come, too.
func (s *Server) waitOver(n uint32) {
	r, now := &s.requests[n], s.sim.Now()
	if r.state != inSlot || r.call == nil || r.call.due != now {
		return
	}
	if down := s.outageAt(now); down.Mode == Freeze {
		s.wakeAt(n, down.To)
		return
	}
	switch c := r.call; {
	case c.late != nil:
		late := *c.late
		c.late = nil
		s.callAnswered(n, late)
	case c.tag != 0:
		s.hangUp(n)
		s.callAnswered(n, Answer{})
	default:
		s.attemptCall(n)
	}
}

// Called takes in what another server says; false if nobody waits for that any more.
func (s *Server) Called(a Answer) bool {
	if !s.Calling(a.Request) {
		return false
	}
	c, now := s.requests[a.Who].call, s.sim.Now()
	if down := s.outageAt(now); down.Mode == Freeze {
		c.late = &a
		s.wakeAt(a.Who, down.To)
		return true
	}
	s.callAnswered(a.Who, a)
	return true
}

// Calling reports whether the server still waits for the answer to a request that it made.
func (s *Server) Calling(r Request) bool {
	own := &s.requests[r.Who]
	return own.state == inSlot && own.call != nil && own.call.tag == r.Tag && own.call.late == nil
}

// callAnswered takes in how an attempt of a call went.
func (s *Server) callAnswered(n uint32, a Answer) {
	r, now := &s.requests[n], s.sim.Now()
	c := r.call
	c.tag = 0
	if a.OK {
		s.nextCall(n)
		return
	}
	floor := time.Duration(0)
	if a.After > 0 {
		floor = now + a.After
	}
	at, stop := c.loop.Failed(now, floor)
	if stop != "" {
		r.OK = false
		s.leaveSlot(n)
		return
	}
	s.wakeAt(n, at)
}
