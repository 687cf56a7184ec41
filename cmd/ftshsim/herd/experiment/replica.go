package experiment

import (
	"context"
	"slices"
	"time"

	"ftsh/backoff"
	"ftsh/cmd/ftshsim/herd"
	"ftsh/cmd/ftshsim/herd/server"
	"ftsh/cmd/ftshsim/herd/spread"
)

// replicas are servers with the same file, one request at a time each. Some
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
	replicas
	discipline discipline
	sim        *herd.Sim
	servers    []*server.Server
	clients    []fetcher
	transfers  []time.Duration // when each ended
	collisions []time.Duration
	deferrals  []time.Duration
	idle       time.Duration // of the servers that work, together
	events     uint64
}

// fetcher is a client. Ethernet's fetches are of the flag first.
type fetcher struct {
	loop  backoff.Loop
	hosts []int // that are left to try, in this attempt
	tag   uint32
	flags bool // the request under way is for the flag
	done  int
}

// What of the events. The upper bits of fetcherHangsUp are the request's tag;
// the servers' events follow each other.
const (
	fetcherTries uint32 = iota
	fetcherHangsUp
	replicaServers
	replicaKindBits = 16
)

// simulateFetching simulates the clients until the limit.
func (r replicas) simulateFetching(ctx context.Context, d discipline, seed uint64) *fetching {
	w := &fetching{replicas: r, discipline: d, sim: herd.New(seed), clients: make([]fetcher, r.Clients)}
	for i := range r.Servers {
		spec := server.Spec{Slots: 1, Queue: server.Unlimited, Response: r.Fetch,
			Programs: []server.Program{{Name: "flag", Response: spread.Always(r.Flag), Local: r.Aside && i >= r.Holes}}}
		if i < r.Holes {
			spec.Outages = []server.Outage{{To: herd.Horizon, Mode: server.Hang}}
		}
		w.servers = append(w.servers, server.New(w.sim, spec, replicaServers+uint32(i)*server.Kinds, w.takeAnswer))
	}
	for who := range w.clients {
		w.beginFile(uint32(who))
	}
	_ = w.sim.Run(ctx, w, r.Limit)
	for _, s := range w.servers[r.Holes:] {
		w.idle += s.Idle()
	}
	w.events = w.sim.Events()
	return w
}

// Happen implements [herd.World].
func (w *fetching) Happen(e herd.Event) {
	switch kind := e.What & (1<<replicaKindBits - 1); kind {
	case fetcherTries:
		w.beginAttempt(e.Who)
	case fetcherHangsUp:
		w.hangUp(e.Who, e.What>>replicaKindBits)
	default:
		w.servers[(kind-replicaServers)/server.Kinds].Happen(e)
	}
}

// beginFile begins the try for the next file.
func (w *fetching) beginFile(who uint32) {
	w.clients[who].loop = backoff.NewLoop(w.discipline.tryPlan(w.Limit, w.backoffOf()), w.sim.Dice())
	w.sim.After(time.Microsecond, herd.Event{Who: who, What: fetcherTries}) // or transfers of no length would never end
}

// beginAttempt begins an attempt: a forany over the servers in random order.
func (w *fetching) beginAttempt(who uint32) {
	c := &w.clients[who]
	if c.loop.Begin(w.sim.Now()) != "" {
		return
	}
	c.hosts = w.sim.Dice().Perm(len(w.servers))
	w.askNext(who)
}

// askNext asks the next server, or ends the attempt.
func (w *fetching) askNext(who uint32) {
	c := &w.clients[who]
	if len(c.hosts) == 0 {
		if at, stop := c.loop.Failed(w.sim.Now(), 0); stop == "" {
			w.sim.At(at, herd.Event{Who: who, What: fetcherTries})
		}
		return
	}
	if w.discipline == ethernet {
		w.sendRequest(who, "flag", w.Listen)
		return
	}
	w.sendRequest(who, "", w.Patience)
}

// sendRequest sends a request to the client's present server.
func (w *fetching) sendRequest(who uint32, program string, patience time.Duration) {
	c := &w.clients[who]
	c.tag = (c.tag + 1) & (1<<replicaKindBits - 1)
	c.flags = program != ""
	w.sim.After(patience, herd.Event{Who: who, What: fetcherHangsUp | c.tag<<replicaKindBits})
	w.servers[c.hosts[0]].Send(server.Request{Who: who, Tag: c.tag, Program: program})
}

// takeAnswer takes in what a server says.
func (w *fetching) takeAnswer(a server.Answer) {
	c := &w.clients[a.Who]
	switch {
	case a.Tag != c.tag:
	case c.flags:
		w.sendRequest(a.Who, "", w.Patience)
	default:
		c.tag++
		c.done++
		w.transfers = append(w.transfers, w.sim.Now())
		w.beginFile(a.Who)
	}
}

// hangUp is the end of a client's patience with a server.
func (w *fetching) hangUp(who, tag uint32) {
	c := &w.clients[who]
	if c.tag != tag {
		return
	}
	c.tag++
	if c.flags {
		w.deferrals = append(w.deferrals, w.sim.Now())
	} else {
		w.collisions = append(w.collisions, w.sim.Now())
	}
	c.hosts = c.hosts[1:]
	w.askNext(who)
}

// longestGap is the longest time between two transfers, the beginning counted as one.
func (w *fetching) longestGap() time.Duration {
	longest, last := time.Duration(0), time.Duration(0)
	for _, at := range slices.Concat(w.transfers, []time.Duration{w.Limit}) {
		longest, last = max(longest, at-last), at
	}
	return longest
}
