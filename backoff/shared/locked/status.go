package locked

import (
	"context"
	"time"

	"ftsh/backoff"
	"ftsh/backoff/shared"
)

// Status is the state of a resource at one moment, for people.
type Status struct {
	Name     string
	Rules    shared.Rules  // of who used it last
	Used     bool          // anybody has since the machine was started
	Taken    int           // slots
	Waiting  int           // for a slot, the breaker or the floor
	Retrying int           // who waits for the budget
	Attempts float64       // of the last ten minutes
	Retries  float64       // among them
	Left     float64       // retries that the budget allows now
	Recent   int           // failures that the breaker still counts
	Open     time.Duration // how long the breaker has been open; 0: it is closed
	Probe    time.Duration // from now until the next probe
	Floor    time.Duration // from now until attempts may start (retryafter); 0: there is no floor
}

// Look gives the state of a resource. It changes nothing.
func (f *Folder) Look(ctx context.Context, name string) (Status, error) {
	status := Status{Name: name}
	err := f.withState(ctx, name, func(r *Resource, s *state, now time.Duration) error {
		status.fillFrom(s, now)
		status.Taken = countLocked(r.file.slots, slotsAt, slotsAt+shared.MaxSlots)
		if s.heir {
			removed, _ := r.takenInRemoved()
			status.Taken += removed
		}
		status.Waiting = countLocked(r.file.fd, readyAt, readyAt+1<<59)
		status.Retrying = countLocked(r.file.fd, retriesAt, retriesAt+1<<59)
		r.unlockState()
		return nil
	})
	return status, err
}

// Reset forgets what a resource has counted: retries, failures, an open breaker, a
// floor. Slots and who waits stay as they are, and the first in line looks again.
func (f *Folder) Reset(ctx context.Context, name string) error {
	return f.withState(ctx, name, func(r *Resource, s *state, now time.Duration) error {
		return r.leaveState(s, now, s.Forget(now, tickets{r})...)
	})
}

// withState opens a resource that there is and hands over its locked state, for do to give back.
func (f *Folder) withState(ctx context.Context, name string,
	do func(r *Resource, s *state, now time.Duration) error) error {
	r := f.resource(name)
	if err := r.openFile(0); err != nil {
		return err
	}
	defer r.Close()
	s, now, err := r.enterState(ctx, true)
	if err != nil {
		return err
	}
	return do(r, s, now)
}

// fillFrom tells what stands in the state.
func (st *Status) fillFrom(s *state, now time.Duration) {
	st.Rules, st.Used = s.Rules, s.written > 0
	st.Attempts, st.Retries, st.Left = s.Admission.Attempts(now)
	for _, at := range s.Breaker.Recent {
		if now-at <= s.Rules.Within {
			st.Recent++
		}
	}
	if s.Breaker.Open && s.Rules.Failures > 0 {
		st.Open, st.Probe = max(now-s.Breaker.Since, 1), max(0, s.Breaker.Next-now)
	}
	st.Floor = max(0, s.Floor-now)
}

// Brief limits the time of a look at a resource, where a shell was stopped in
// the wrong moment.
func Brief(clock backoff.Clock) (context.Context, context.CancelFunc) {
	return backoff.WithDeadline(context.Background(), clock, clock.Now()+time.Second, errStopped)
}
