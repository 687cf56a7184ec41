// Package server is a simulated server: how long it takes, how much it can do
// at once, when it is out of order, and what it does to those who ask too
// much of it. A [Spec] has all that can be said of a server; a [Server] is one of a simulation, which answers
// each [Request] that is sent to it, in virtual time.
package server

import (
	"slices"
	"time"

	"ftsh/cmd/ftshsim/herd"
)

// Request asks a server for some work. Tag comes back with the answer, so that the
// client can tell what it still waits for.
type Request struct {
	Who, Tag uint32
	From     uint32 // the number of the server that sends it for its request Who, plus 1; 0: a client does
	Program  string // "" is any
}

// Answer is a server's answer to a Request.
type Answer struct {
	Request
	OK      bool          // it is no error
	Turned  bool          // away: it was refused, or the server went down
	Limited bool          // turned away by the limit
	After   time.Duration // Retry-After, counted from now; 0: none
	Served  time.Duration // the server's time that it took
}

// Server is a simulated server. All of its methods are called in the event
// loop of its simulation.
type Server struct {
	Spec
	Waits func(Request) bool // reports whether the client still waits; nil: always
	// sends a request to another server, for one with Calls; the answer goes to Called
	Forward        func(to int, r Request)
	HangUp         func(to int, r Request) // tells another server that what Forward sent is no longer waited for
	sim            *herd.Sim
	kind           uint32 // events with this What and the following are the server's
	reply          func(Answer)
	requests       []request // by number
	free           []uint32
	waiting        line
	busy           level              // requests being served
	line           level              // requests that wait for a slot
	served, unseen int                // see [Use]
	lost           time.Duration      // slot-time of requests that nobody will be told of
	numbers        map[Request]uint32 // of requests whose clients may hang up; nil: that changes nothing
	debt           time.Duration      // that refusals have cost and requests have not yet waited for
	pace           pace
	window         time.Duration // of the Limit: its beginning
	let            int           // in within it
	tags           uint32        // of the last request to another server
}

// request is one that is with the server.
type request struct {
	Answer   // as far as it is known; Served is how long serving it takes, negative: not known yet
	state    state
	drops    uint8         // connections that were dropped
	started  time.Duration // when it got its slot
	patience time.Duration // until when it waits for a slot, where that has an end
	call     *calling      // nil: its own work is not done
}

// state says how far a request is.
type state uint8

const (
	gone   state = iota // answered or forgotten, the number is free
	away                // it does not concern the server, or is not let in yet
	queued              // waiting for a slot
	inSlot              // being served
	lost                // it was being served when the server went down; an event still refers to it
)

// Events of a server, counted from its kind.
const (
	served  uint32 = iota // Who: a request
	outage                // Who: its number; it begins
	restore               // Who: the number of an outage; it ends
	arrive                // Who: a request, after its connection was dropped
	look                  // a millisecond of a server with a Slowdown has passed
	due                   // Who: a request that calls another server
	tired                 // Who: a request that has waited for a slot as long as it may
	events
)

// Kinds says how many values of What a server uses, from the kind it is given.
const Kinds = events

// New opens a server in a simulation. Events with What from kind up to
// kind+Kinds must be handed to its Happen; answers are handed to reply, at the
// time at which they reach the client.
func New(sim *herd.Sim, spec Spec, kind uint32, reply func(Answer)) *Server {
	s := &Server{Spec: spec, sim: sim, kind: kind, reply: reply}
	if s.Backlog == 0 {
		s.Backlog = 128
	}
	if s.Trip == 0 {
		s.Trip = time.Millisecond
	}
	if s.HangupRemoves {
		s.numbers = map[Request]uint32{}
	}
	for i, o := range spec.Outages {
		s.setEvent(o.From, uint32(i), outage)
		s.setEvent(o.To, uint32(i), restore)
	}
	return s
}

func (s *Server) setEvent(at time.Duration, who, what uint32) {
	s.sim.At(at, herd.Event{Who: who, What: s.kind + what})
}

// InFlight is the number of requests in the server: being served, or waiting
// for that.
func (s *Server) InFlight() int { return s.busy.n + s.line.n }

// Serving calls do with each request being served, and for how long it has been.
func (s *Server) Serving(do func(r Request, served time.Duration)) {
	for i := range s.requests {
		if r := &s.requests[i]; r.state == inSlot {
			do(r.Request, s.sim.Now()-r.started)
		}
	}
}

// Happen takes the events of the server.
func (s *Server) Happen(e herd.Event) {
	switch n := e.Who; e.What - s.kind {
	case served:
		s.finishRequest(n)
	case outage:
		s.goDown(s.Outages[n].Mode)
	case restore:
		s.admitWaiting()
		s.keepPace()
	case arrive: // the kernel of a client that has closed its connection sends nothing more
		if s.Waits != nil && !s.Waits(s.requests[n].Request) {
			s.releaseNumber(n)
			return
		}
		s.letIn(n)
	case look:
		s.leaveGrid()
	case due:
		s.waitOver(n)
	case tired:
		s.turnAway(n)
	}
}

// Send gives the server a request.
func (s *Server) Send(r Request) {
	n := s.newNumber()
	q := &s.requests[n]
	*q = request{Answer: Answer{Request: r, Served: -1}, state: away}
	if s.numbers != nil {
		s.numbers[r] = n
	}
	happens := func(of float64) bool { return of > 0 && s.sim.Dice().Float64() < of }
	own := slices.IndexFunc(s.Programs, func(p Program) bool { return p.Name == r.Program })
	if own < 0 {
		q.OK = !happens(s.Failure)
		s.letIn(n)
		return
	}
	p := &s.Programs[own]
	q.OK, q.Served = !happens(p.Failure), p.Response.Draw(s.sim.Dice())
	if !p.Local {
		s.letIn(n)
		return
	}
	s.setEvent(s.sim.Now()+q.Served, n, served)
	q.Served = 0 // of the server's time
}

func (s *Server) letIn(n uint32) {
	now, r := s.sim.Now(), &s.requests[n]
	switch down := s.outageAt(now).Mode; {
	case down == Hang:
		s.releaseNumber(n) // never answered
	case down == Refuse, s.restarting(now):
		s.refuseRequest(n, 0)
	case down == Freeze && s.line.n >= s.Backlog:
		// The connection is dropped. The client's kernel tries again after 1 s, 2 s more, 4 s more and so on.
		s.setEvent(now+time.Second<<r.drops, n, arrive)
		r.drops = min(r.drops+1, 6)
	case down == Freeze:
		s.waitInLine(n)
	case s.isFull(now):
		s.refuseRequest(n, s.Refusal)
		r.Limited, r.After = true, s.window+s.Limit.Per-now-s.Trip // until the next window, from when it hears of it
	case s.Slots == 0 || s.busy.n < s.Slots:
		s.serveRequest(n)
	case s.Queue == Unlimited || s.line.n < s.Queue:
		s.waitInLine(n)
	default:
		s.refuseRequest(n, s.Refusal)
	}
}

// isFull reports whether the limit lets no more in, and counts one if it does.
func (s *Server) isFull(now time.Duration) bool {
	if s.Limit.Per == 0 {
		return false
	}
	if window := now.Truncate(s.Limit.Per); window != s.window {
		s.window, s.let = window, 0
	}
	if s.let >= s.Limit.Requests {
		return true
	}
	s.let++
	return false
}

func (s *Server) waitInLine(n uint32) {
	s.requests[n].state = queued
	s.waiting.push(n)
	s.line.changeBy(s.sim.Now(), 1)
	if s.Waiting > 0 {
		s.tireAt(n, s.sim.Now()+s.Waiting)
	}
}

func (s *Server) serveRequest(n uint32) {
	now, r := s.sim.Now(), &s.requests[n]
	r.state, r.started = inSlot, now
	s.busy.changeBy(now, 1)
	s.served++
	if s.Seen > 0 && s.busy.n > s.Seen+1+s.Seen/10 { // a little more is chance
		s.unseen++
	}
	if s.outageAt(now).Mode == Fail {
		r.OK = false
	}
	if s.Slowdown.on() {
		s.enterGrid(n)
		return
	}
	if r.Served < 0 {
		r.Served = s.Response.Draw(s.sim.Dice())
	}
	s.setEvent(now+s.workLasts(now, r.Served), n, served)
}

// finishRequest answers a request, unless it was lost, the server stands still, or the
// time that refusing others took has to be made up for.
func (s *Server) finishRequest(n uint32) {
	r, now := &s.requests[n], s.sim.Now()
	switch down := s.outageAt(now); {
	case r.state == lost:
		s.releaseNumber(n)
	case r.state == away:
		s.answerRequest(n)
	case down.Mode == Freeze:
		s.setEvent(down.To+now-down.From, n, served)
	case s.debt > 0:
		s.setEvent(now+s.debt, n, served)
		s.debt = 0
	default:
		s.proceedWith(n)
	}
}

// leaveSlot frees the slot of a request and answers it.
func (s *Server) leaveSlot(n uint32) {
	r := &s.requests[n]
	if r.Served = s.sim.Now() - r.started; !r.OK {
		r.After = s.After
	}
	s.busy.changeBy(s.sim.Now(), -1)
	s.admitWaiting() // before the client hears of it, and sends the next request past the queue
	s.answerRequest(n)
}

// admitWaiting serves those who wait, as far as there are slots.
func (s *Server) admitWaiting() {
	for s.line.n > 0 && (s.Slots == 0 || s.busy.n < s.Slots) {
		n := s.nextInLine()
		if s.HangupRemoves && s.Waits != nil && !s.Waits(s.requests[n].Request) {
			s.releaseNumber(n)
			continue
		}
		s.serveRequest(n)
	}
}

// refuseRequest says no at once, which takes the server some of its time, and the
// answer some time to arrive.
func (s *Server) refuseRequest(n uint32, cost time.Duration) {
	s.debt += cost
	r := &s.requests[n]
	r.state, r.OK, r.Turned, r.Served, r.After = away, false, true, cost, s.After
	s.setEvent(s.sim.Now()+s.Trip, n, served)
}

// answerRequest hands its answer to the client and forgets the request.
func (s *Server) answerRequest(n uint32) {
	a := s.requests[n].Answer
	s.releaseNumber(n)
	s.reply(a)
}

func (s *Server) newNumber() uint32 {
	if n := len(s.free); n > 0 {
		number := s.free[n-1]
		s.free = s.free[:n-1]
		return number
	}
	s.requests = append(s.requests, request{})
	return uint32(len(s.requests) - 1)
}

func (s *Server) releaseNumber(n uint32) {
	if s.numbers != nil {
		delete(s.numbers, s.requests[n].Request)
	}
	s.requests[n].state = gone
	s.free = append(s.free, n)
}
