// Package herd runs many clients in virtual time: what becomes of a server when
// thousands of them try again?
//
// A [Sim] is a clock, a queue of events and dice; it is the backoff.Clock that
// the shell's own retry code runs on. What goes on in it is a [Process], a coroutine that reads
// as what it does, such as a client of an experiment; or, where there are too many for that, events of
// which a [World] says what they do. [Each] runs a simulation with many
// seeds on all processors, and measure.Sample says how sure the result is.
//
// # Invariants
//
//   - The same seed gives the same result, bit for bit, however many processors
//     there are and in whatever order the seeds run.
//   - Events happen in the order of their times, and those of the same time in
//     the order in which they were set.
//
// # Rooms below
//
//   - server: a simulated server, its capacity, moods and outages.
//   - crowd: clients of one server that do pieces of work and try again.
//   - measure: what is counted of a crowd, and what is made of it.
//   - parameter: what can be changed about an experiment, from the fields of a struct.
//   - experiment: the experiments of the sources, and what a report of one is.
//   - picture: plots, as SVG, PNG or characters.
package herd

import (
	"context"
	"iter"
	"math/rand/v2"
	"time"

	"ftsh/backoff"
)

// Event is something that happens to someone. What the numbers mean is up to
// the [World].
type Event struct {
	Who, What uint32
}

// World takes the events of a simulation.
type World interface {
	// Happen is called at the time of each event, one after the other.
	Happen(Event)
}

// Horizon is the time after which nothing happens: events set for later are
// dropped. It is 73 years away.
const Horizon = backoff.Never / 4

// Sim is a simulation under way: a clock, events and dice. It is a
// [backoff.Clock], so that what runs in the shell also runs here, but it belongs
// to one goroutine, and a function handed to AfterFunc runs inside [Sim.Run].
type Sim struct {
	now      time.Duration
	queue    queue
	happened uint64
	dice     *rand.Rand
	stops    []func() // end the processes
}

// New returns a simulation at time 0. All that is random in it follows from
// the seed.
func New(seed uint64) *Sim {
	return &Sim{dice: rand.New(rand.NewPCG(seed, 0x66747368))}
}

// Now is the time in the simulation.
func (s *Sim) Now() time.Duration { return s.now }

// Dice is the only source of randomness of a simulation.
func (s *Sim) Dice() *rand.Rand { return s.dice }

// Events counts the events that have happened.
func (s *Sim) Events() uint64 { return s.happened }

// At has an event happen at that time, or now if it has passed. Events of the
// same time happen in the order of these calls.
func (s *Sim) At(at time.Duration, e Event) {
	if at < Horizon {
		s.queue.push(entry{at: max(at, s.now), Event: e})
	}
}

// interval says how many events happen between looks at the context.
const interval = 1 << 14

// Run lets events happen, up to and at the time given, and sets the clock to
// it. When ctx is cancelled it stops early, at the time of the last event, and
// returns context.Cause(ctx).
func (s *Sim) Run(ctx context.Context, world World, until time.Duration) error {
	for s.queue.peek() <= until {
		if s.happened%interval == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		e := s.queue.pop()
		s.now = e.at
		s.happened++
		if e.function == nil {
			world.Happen(e.Event)
		} else if run := e.function.run; e.function.Stop() {
			run()
		}
	}
	s.now = max(s.now, until)
	return context.Cause(ctx)
}

// function holds what AfterFunc was given; it is its own [backoff.Timer].
type function struct{ run func() }

// Stop implements [backoff.Timer].
func (f *function) Stop() bool {
	waiting := f.run != nil
	f.run = nil
	return waiting
}

// AfterFunc has f run at that time.
func (s *Sim) AfterFunc(at time.Duration, f func()) backoff.Timer {
	timer := &function{f}
	if at < Horizon {
		s.queue.push(entry{at: max(at, s.now), function: timer})
	}
	return timer
}

// entry is an event that waits for its time.
type entry struct {
	at     time.Duration
	number uint64 // of those pushed
	Event
	function *function // instead of an Event; nil: the Event
}

// before reports whether an event happens before another: those of the same time in the order in which they came.
func (e *entry) before(other *entry) bool {
	if e.at != other.at {
		return e.at < other.at
	}
	return e.number < other.number
}

// queue is a heap of events: the next one is first, and none is before the one that stands at half of its place.
type queue struct {
	heap   []entry
	pushed uint64
}

func (q *queue) push(e entry) {
	q.pushed++
	e.number = q.pushed
	place := len(q.heap)
	q.heap = append(q.heap, e)
	for place > 0 {
		above := (place - 1) / 2
		if !e.before(&q.heap[above]) {
			break
		}
		q.heap[place] = q.heap[above]
		place = above
	}
	q.heap[place] = e
}

// pop takes the next event out. There must be one.
func (q *queue) pop() entry {
	next, last := q.heap[0], q.heap[len(q.heap)-1]
	q.heap = q.heap[:len(q.heap)-1]
	place := 0
	for below := 1; below < len(q.heap); below = 2*place + 1 {
		if below+1 < len(q.heap) && q.heap[below+1].before(&q.heap[below]) {
			below++
		}
		if last.before(&q.heap[below]) {
			break
		}
		q.heap[place] = q.heap[below]
		place = below
	}
	if len(q.heap) > 0 {
		q.heap[place] = last
	}
	return next
}

// peek is the time of the next event, [backoff.Never] if there is none.
func (q *queue) peek() time.Duration {
	if len(q.heap) == 0 {
		return backoff.Never
	}
	return q.heap[0].at
}

// Process is something that goes on in a simulation, step by step: a coroutine, which waits while others go on.
type Process struct {
	sim   *Sim
	told  bool                // what it was resumed with
	next  func()              // lets it go on
	yield func(struct{}) bool // lets it wait for that; false: the simulation has ended
}

// ended is the panic that ends a process which still waits at the end.
type ended struct{}

// Go runs a process until it first waits. [Sim.Close] ends those that are left at the end.
func (s *Sim) Go(body func(p *Process)) {
	p := &Process{sim: s}
	next, stop := iter.Pull(func(yield func(struct{}) bool) {
		defer func() {
			if reason := recover(); reason != nil && reason != any(ended{}) {
				panic(reason)
			}
		}()
		p.yield = yield
		body(p)
	})
	p.next = func() { next() }
	s.stops = append(s.stops, stop)
	next()
}

// Close ends all processes.
func (s *Sim) Close() {
	for _, stop := range s.stops {
		stop()
	}
}

// Wait waits until somebody resumes the process, and returns what that tells.
func (p *Process) Wait() bool {
	if !p.yield(struct{}{}) {
		panic(ended{})
	}
	return p.told
}

// Resume lets a process go on that waits, until it waits again.
func (p *Process) Resume(tell bool) {
	p.told = tell
	p.next()
}

// Sleep waits for that time.
func (p *Process) Sleep(d time.Duration) { p.SleepUntil(p.sim.now + d) }

// SleepUntil waits until that time.
func (p *Process) SleepUntil(at time.Duration) {
	p.sim.AfterFunc(at, p.next)
	p.Wait()
}

// SleepWithin waits for a random time.
func (p *Process) SleepWithin(most time.Duration) {
	p.Sleep(time.Duration(p.sim.dice.Float64() * float64(most)))
}
