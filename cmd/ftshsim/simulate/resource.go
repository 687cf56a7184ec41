package simulate

import (
	"context"
	"slices"
	"time"

	"ftsh/backoff/shared"
	"ftsh/cmd/ftshsim/herd"
	"ftsh/interp/world"
)

// resource holds what the clients of a machine share by its name: what a file of
// shared/locked is for shells. Nothing has to be locked here.
type resource struct {
	shared.Admission
	sim     *simulation
	inside  int      // attempts under way
	waiting []*visit // in both lines, each by its tickets
}

type shareKey struct {
	machine int
	name    string
}

// Resource implements [world.World].
func (c *client) Resource(name string, _ func(string) (string, bool)) (world.Gate, error) {
	key := shareKey{int(c.client) % max(c.sim.Machines, 1), name}
	if c.sim.shared[key] == nil {
		c.sim.shared[key] = &resource{sim: c.sim}
	}
	return gate{c.sim.shared[key], c}, nil
}

// First gives the lowest ticket of a line, from that one on and below end.
func (r *resource) First(from shared.Ticket, end int64) (number int64, found bool) {
	for _, v := range r.waiting {
		if t := v.ticket; t.Retry == from.Retry && t.Number >= from.Number && t.Number < end {
			return t.Number, true
		}
	}
	return end, false
}

// wakeClients has clients look again.
func (r *resource) wakeClients(list []shared.Ticket) {
	for _, t := range list {
		if n := slices.IndexFunc(r.waiting, func(v *visit) bool { return v.ticket == t }); n >= 0 {
			r.waiting[n].woken = true
			r.sim.At(r.sim.virtualTime(), herd.Event{Who: r.waiting[n].client.client, What: stir})
		}
	}
}

// gate is the way of one client to a resource.
type gate struct {
	*resource
	client *client
}

// visit is the way of a client to an attempt.
type visit struct {
	gate
	want   shared.Visit
	ticket shared.Ticket // while it is in a line
	woken  bool          // it should look again
}

// Join gives the client a ticket.
func (v *visit) Join(t shared.Ticket) error {
	v.ticket, v.woken = t, false
	v.waiting = append(v.waiting, v)
	return nil
}

// Part takes the ticket back.
func (v *visit) Part(shared.Ticket) {
	n := slices.Index(v.waiting, v)
	v.waiting = slices.Delete(v.waiting, n, n+1)
}

// TakeSlot takes one of so many slots; 0: any number.
func (v *visit) TakeSlot(slots int) (bool, error) {
	if slots > 0 && v.inside >= slots {
		return false, nil
	}
	v.inside++
	return true, nil
}

// Close implements [world.Gate].
func (g gate) Close() {}

// Enter implements [world.Gate].
func (g gate) Enter(ctx context.Context, want shared.Visit) (world.Pass, error) {
	v := &visit{gate: g, want: want}
	for {
		err := context.Cause(ctx)
		var wait *shared.Wait
		if err == nil {
			var wake []shared.Ticket
			wait, wake, err = g.Look(&v.want, g.sim.virtualTime(), v)
			g.wakeClients(wake)
		}
		switch {
		case err != nil:
			g.wakeClients(g.Quit(&v.want, g.sim.virtualTime(), v))
			return nil, err
		case wait == nil:
			return v, nil
		}
		g.client.Await(wait.Again, func() bool { return v.woken || ctx.Err() != nil })
		v.woken = false
	}
}

// Leave implements [world.Pass].
func (v *visit) Leave(how shared.Ending, floor time.Duration) shared.Change {
	v.inside--
	change, wake := v.Admission.Leave(&v.want, how, floor, v.sim.virtualTime(), v)
	v.wakeClients(wake)
	return change
}
