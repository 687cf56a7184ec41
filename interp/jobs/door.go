package jobs

import (
	"context"
	"errors"
	"sync"
	"time"

	"ftsh/backoff"
	"ftsh/interp/jobs/batch"
)

// A Door is where a cluster is opened by the first who uses it. All others wait for that, each as long as its own
// context lasts. The zero value is ready. Safe for concurrent use.
type Door struct {
	mu      sync.Mutex
	turn    chan struct{} // has room for one: who opens it
	cluster *Cluster
	silent  silence
}

// Cluster returns the cluster once it is open; nil before.
func (d *Door) Cluster() *Cluster {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.cluster
}

// turns returns the channel that has room for one who opens the cluster.
func (d *Door) turns() chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.turn == nil {
		d.turn = make(chan struct{}, 1)
	}
	return d.turn
}

// lastMoment is how long the answer to another is awaited after a limit: that may have cut off both.
const lastMoment = 300 * time.Millisecond

// Open opens the cluster, whose name is asked for if c has none; see Locate.
func (d *Door) Open(ctx context.Context, c Config) (*Cluster, error) {
	late, stop := backoff.WithGrace(ctx, c.Clock, lastMoment, errSlow)
	defer stop()
	turns := d.turns()
	select {
	case turns <- struct{}{}:
		defer func() { <-turns }()
	case <-late.Done():
		return nil, d.unopened(ctx, c.Clock)
	}
	cluster := d.Cluster()
	if cluster != nil {
		return cluster, nil
	}
	var err error
	if c.Cluster == "" {
		if c.Cluster, err = d.Locate(ctx, c); err != nil {
			return nil, err
		}
	}
	if cluster, err = open(c); err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.cluster = cluster
	return cluster, nil
}

// Locate asks a batch system for the address of its cluster until it has answered. Once ctx has ended the error says
// what was said, or for how long nothing was.
func (d *Door) Locate(ctx context.Context, c Config) (address string, err error) {
	for began := c.Clock.Now(); ctx.Err() == nil; {
		d.silent.owes(c.Clock.Now())
		request, done := backoff.WithDeadline(ctx, c.Clock, c.Clock.Now()+requestLimit, errSlow)
		address, err := c.System.Address(request)
		done()
		unanswered, later := errors.AsType[*batch.Unanswered](err)
		if !later {
			return address, err
		}
		d.silent.failed(unanswered.Said)
		if ctx.Err() == nil && c.Waits != nil {
			c.Waits(d.silent.text(c.Clock.Now(), 0))
		}
		_ = backoff.Sleep(ctx, c.Clock, nextRequest(began, c.Clock.Now()))
	}
	return "", d.unopened(ctx, c.Clock)
}

// unopened says why nobody knows the cluster once ctx has ended: nobody had asked for it before, or what was said.
func (d *Door) unopened(ctx context.Context, clock backoff.Clock) error {
	if said := d.silent.text(clock.Now(), 0); said != "" {
		return errors.New(said)
	}
	return context.Cause(ctx)
}
