package herd

import (
	"iter"
	"time"
)

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
