package main

import (
	"context"
	"fmt"
	"time"

	"ftsh/cmd/ftshsim/simulate"
	"ftsh/interp/event"
)

// watcher is the log of one client. The seconds are those of the simulation.
type watcher struct {
	*event.Log
	now func() time.Duration
}

// Observe implements [event.Observer].
func (w watcher) Observe(e event.Event) {
	e.Time = time.Unix(0, int64(w.now()))
	w.Log.Observe(e)
}

// checkWatch says why one client of a comparison cannot be shown.
func (r *scripts) checkWatch(c *simulate.Comparison) error {
	switch {
	case r.Watch == 0 || c == nil:
		return nil
	case len(c.Variants) > 1:
		return fmt.Errorf("--watch %d: wanted one script, one number of clients and at most one --backoff", r.Watch)
	case r.Watch > c.Variants[0].Clients:
		return fmt.Errorf("--watch %d: there are %d clients", r.Watch, c.Variants[0].Clients)
	}
	return nil
}

func (r *scripts) watchOne(ctx context.Context, c *simulate.Comparison) error {
	crowd := c.Crowd
	crowd.Script, crowd.Mixed, crowd.Clients = c.Variants[0].Script, c.Variants[0].Mixed, c.Variants[0].Clients
	out := event.OutputTo(1)
	crowd.Observe = func(client int, now func() time.Duration) event.Observer {
		if client+1 != r.Watch {
			return nil
		}
		return watcher{event.NewLog(out, event.Config{Level: event.Structures, Decimal: true, Shell: r.Watch}), now}
	}
	if _, err := simulate.Run(ctx, crowd, r.First); err != nil {
		return &misuse{err, ""}
	}
	return nil
}
