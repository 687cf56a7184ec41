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

func (r *scripts) watchOne(ctx context.Context, c *simulate.Comparison) error {
	if len(c.Variants) > 1 {
		return r.known.refuse(fmt.Errorf("--watch %d: wanted one script, one number of clients and at most one --backoff",
			r.Watch))
	}
	crowd := c.Crowd
	crowd.Script, crowd.Mixed, crowd.Clients = c.Variants[0].Script, c.Variants[0].Mixed, c.Variants[0].Clients
	if r.Watch > crowd.Clients {
		return r.known.refuse(fmt.Errorf("--watch %d: there are %d clients", r.Watch, crowd.Clients))
	}
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
