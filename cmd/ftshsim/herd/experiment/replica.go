package experiment

import (
	"context"
	"slices"
	"time"

	"ftsh/cmd/ftshsim/herd"
	"ftsh/cmd/ftshsim/herd/measure"
	"ftsh/cmd/ftshsim/herd/server"
	"ftsh/cmd/ftshsim/herd/spread"
)

// replicas is figures 6 and 7 of Thain and Livny 2003: servers with the same file, one request at a time each. Some
// are black holes: they accept and never answer.
type replicas struct {
	Clients  int           `default:"3" range:"1 10000" help:"clients"`
	Servers  int           `default:"3" range:"1 1000" help:"servers"`
	Holes    int           `default:"1" range:"0 1000" help:"black holes among them"`
	Limit    time.Duration `default:"15m" range:"1s 24h" help:"length of a run, and limit of the outer try"`
	Fetch    spread.Time   `default:"uniform 9500ms 10500ms" help:"length of a transfer"`
	Patience time.Duration `default:"1m" range:"1ms 24h" help:"limit of the inner try around a transfer"`
	Flag     time.Duration `default:"10ms" range:"0s 1h" help:"time that a server takes for the flag"`
	Listen   time.Duration `default:"5s" range:"1ms 24h" help:"how long ethernet waits for the flag"`
	Aside    bool          `default:"true" help:"a server that is busy with a transfer sends the flag meanwhile"`
	tries
}

// fetching is a simulation of them.
type fetching struct {
	*replicas
	machine
	servers []*server.Server
	clients []fetcher
	counts  map[string]*Line // of transfers, collisions and deferrals so far
}

// fetcher is a client. Ethernet's asks for the flag first.
type fetcher struct {
	*herd.Process
	tag  uint32 // of the request under way
	done int
}

func (e *replicas) simulate(ctx context.Context, d discipline, seed uint64) run {
	w := &fetching{replicas: e, machine: newMachine(d, seed), clients: make([]fetcher, e.Clients),
		counts: map[string]*Line{"transfers": {}, "collisions": {}, "deferrals": {}}}
	defer w.Close()
	for _, line := range w.counts {
		line.addPoint(0, 0)
	}
	for i := range e.Servers {
		spec := server.Spec{Slots: 1, Queue: server.Unlimited, Response: e.Fetch,
			Programs: []server.Program{{Name: "flag", Response: spread.Always(e.Flag), Local: e.Aside && i >= e.Holes}}}
		if i < e.Holes {
			spec.Outages = []server.Outage{{To: herd.Horizon, Mode: server.Hang}}
		}
		w.servers = append(w.servers, server.New(w.Sim, spec, uint32(i)*server.Kinds,
			func(a server.Answer) { w.settle(a.Who, a.Tag, true) }))
	}
	for who := range w.clients {
		w.Go(func(p *herd.Process) {
			w.clients[who].Process = p
			// with a little pause, or transfers of no length would never end
			w.try(p, e.plan(d, e.Limit), time.Microsecond, &w.clients[who].done, func() bool { return w.fetch(uint32(who)) })
		})
	}
	_ = w.Run(ctx, w, e.Limit)
	return w.measured()
}

// Happen implements [herd.World].
func (w *fetching) Happen(e herd.Event) { w.servers[e.What/server.Kinds].Happen(e) }

// fetch asks the servers, a forany in random order, and reports whether one gave the file.
func (w *fetching) fetch(who uint32) bool {
	count := func(what string) {
		line := w.counts[what]
		line.addPoint(w.Now().Seconds(), float64(len(line.X)))
	}
	for _, host := range w.Dice().Perm(len(w.servers)) {
		switch {
		case w.discipline == ethernet && !w.ask(who, host, "flag", w.Listen):
			count("deferrals")
		case w.ask(who, host, "", w.Patience):
			count("transfers")
			return true
		default:
			count("collisions")
		}
	}
	return false
}

// ask sends a request, and reports whether the server answers while the client waits for that.
func (w *fetching) ask(who uint32, host int, program string, patience time.Duration) bool {
	c := &w.clients[who]
	c.tag++
	tag := c.tag
	w.AfterFunc(w.Now()+patience, func() { w.settle(who, tag, false) })
	w.servers[host].Send(server.Request{Who: who, Tag: tag, Program: program})
	return c.Wait()
}

// settle tells a client whether a request was answered, if it still waits for that.
func (w *fetching) settle(who, tag uint32, answered bool) {
	if c := &w.clients[who]; c.tag == tag {
		c.tag++
		c.Resume(answered)
	}
}

// measured is what there was. The longest gap is the longest time between two transfers, from the beginning to the end.
func (w *fetching) measured() run {
	idle, gap, last, limit := 0.0, 0.0, 0.0, w.Limit.Seconds()
	for _, s := range w.servers[min(w.Holes, len(w.servers)):] {
		idle += s.Use().Idle.Seconds()
	}
	for _, at := range append(slices.Clone(w.counts["transfers"].X), limit) {
		gap, last = max(gap, at-last), at
	}
	var shares []int
	for _, c := range w.clients {
		shares = append(shares, c.done)
	}
	one := run{events: w.Events(), curves: map[string]Line{}, values: map[string]float64{"longest gap": gap,
		"fairness": measure.Fairness(shares), "idle": 100 * idle / limit / float64(max(w.Servers-w.Holes, 1))}}
	requests := 0.0
	for what, line := range w.counts {
		one.values[what], one.curves[what] = float64(len(line.X)-1), *line
		requests += one.values[what]
	}
	one.values["load"] = requests / one.values["transfers"]
	return one
}

func (e *replicas) studies() []study {
	return []study{{part: "fetches", names: disciplines[aloha:], along: alone,
		run: func(ctx context.Context, d, _ int, seed uint64) run {
			return e.simulate(ctx, aloha+discipline(d), seed)
		}}}
}
