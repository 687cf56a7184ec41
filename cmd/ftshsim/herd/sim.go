package herd

import (
	"context"
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

// After has an event happen after that time.
func (s *Sim) After(d time.Duration, e Event) {
	if d < Horizon {
		s.At(s.now+d, e)
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
