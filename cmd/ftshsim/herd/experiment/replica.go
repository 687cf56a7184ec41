package experiment

import (
	"slices"
	"time"

	"ftsh/cmd/ftshsim/herd"
	"ftsh/cmd/ftshsim/herd/crowd"
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
	discipline discipline
	sim        *herd.Sim
	counts     map[string]*Line // of transfers, collisions and deferrals so far
}

func (e *replicas) studies() []study {
	return []study{{part: "fetches", names: disciplines[aloha:], along: alone(""), of: e.episode}}
}

func (e *replicas) episode(d, _ int, sim *herd.Sim) episode {
	w := &fetching{e, aloha + discipline(d), sim, map[string]*Line{"transfers": {}, "collisions": {}, "deferrals": {}}}
	for _, line := range w.counts {
		line.addPoint(0, 0)
	}
	var servers []server.Spec
	for i := range e.Servers {
		spec := server.Spec{Slots: 1, Queue: server.Unlimited, Response: e.Fetch,
			Programs: []server.Program{{Name: "flag", Response: spread.Always(e.Flag), Local: e.Aside && i >= e.Holes}}}
		if i < e.Holes {
			spec.Outages = []server.Outage{{To: herd.Horizon, Mode: server.Hang}}
		}
		servers = append(servers, spec)
	}
	return episode{clients: crowd.Config{Clients: e.Clients, Attempt: w.fetch, Layers: e.layers(w.discipline, e.Limit)},
		servers: servers, until: e.Limit, measure: w.measure}
}

// fetch asks the servers, a forany in random order, and reports whether one gave the file. Ethernet asks for the flag
// first.
func (w *fetching) fetch(c *crowd.Client) bool {
	count := func(what string) {
		line := w.counts[what]
		line.addPoint(w.sim.Now().Seconds(), float64(len(line.X)))
	}
	for _, host := range w.sim.Dice().Perm(w.Servers) {
		switch {
		case w.discipline == ethernet && !c.Ask(host, "flag", w.sim.Now()+w.Listen):
			count("deferrals")
		case c.Ask(host, "", w.sim.Now()+w.Patience):
			count("transfers")
			return true
		default:
			count("collisions")
		}
	}
	return false
}

// measure adds what there was. The longest gap is the longest time between two transfers, from the beginning to the
// end.
func (w *fetching) measure(t *measure.Tally, one *run) {
	requests, idle, gap, last, limit := 0.0, 0.0, 0.0, 0.0, w.Limit.Seconds()
	for what, line := range w.counts {
		one.values[what], one.curves[what+" so far"] = float64(len(line.X)-1), *line
		requests += one.values[what]
	}
	for _, s := range t.PerServer[min(w.Holes, w.Servers):] {
		idle += s.Idle.Seconds()
	}
	for _, at := range append(slices.Clone(w.counts["transfers"].X), limit) {
		gap, last = max(gap, at-last), at
	}
	one.values["longest gap"], one.values["load"] = gap, requests/one.values["transfers"]
	one.values["idle"] = 100 * idle / limit / float64(max(w.Servers-w.Holes, 1))
}
