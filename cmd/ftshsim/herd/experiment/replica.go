package experiment

import (
	"context"
	"fmt"
	"math"
	"time"

	"ftsh/cmd/ftshsim/herd"
	"ftsh/cmd/ftshsim/herd/measure"
	"ftsh/cmd/ftshsim/herd/parameter"
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
	servers    []*server.Server
	clients    []fetcher

	transfers, collisions, deferrals []time.Duration // when each ended
}

// fetcher is a client. Ethernet's fetches are of the flag first.
type fetcher struct {
	client
	number uint32
	hosts  []int  // that are left to try, in this attempt
	tag    uint32 // of the request under way
	flags  bool   // it is for the flag
}

// simulate simulates the clients until the limit.
func (e *replicas) simulate(ctx context.Context, d discipline, seed uint64) run {
	w := &fetching{replicas: e, discipline: d, sim: herd.New(seed), clients: make([]fetcher, e.Clients)}
	for i := range e.Servers {
		spec := server.Spec{Slots: 1, Queue: server.Unlimited, Response: e.Fetch,
			Programs: []server.Program{{Name: "flag", Response: spread.Always(e.Flag), Local: e.Aside && i >= e.Holes}}}
		if i < e.Holes {
			spec.Outages = []server.Outage{{To: herd.Horizon, Mode: server.Hang}}
		}
		w.servers = append(w.servers, server.New(w.sim, spec, uint32(i)*server.Kinds, w.takeAnswer))
	}
	for i := range w.clients {
		c := &w.clients[i]
		c.client, c.number = newClient(w.sim, d, e.backoffOf(), e.Limit), uint32(i)
		c.attempt = func() {
			c.hosts = w.sim.Dice().Perm(len(w.servers)) // a forany in random order
			w.askNext(c)
		}
		w.fetchNext(c)
	}
	_ = w.sim.Run(ctx, w, e.Limit)
	return w.measured()
}

// Happen implements [herd.World].
func (w *fetching) Happen(e herd.Event) { w.servers[e.What/server.Kinds].Happen(e) }

// fetchNext begins with the next file, a little later, or transfers of no length would never end.
func (w *fetching) fetchNext(c *fetcher) { w.sim.AfterFunc(w.sim.Now()+time.Microsecond, c.tryAgain) }

// askNext asks the next server, or ends the attempt.
func (w *fetching) askNext(c *fetcher) {
	switch {
	case len(c.hosts) == 0:
		c.fail()
	case w.discipline == ethernet:
		w.send(c, "flag", w.Listen)
	default:
		w.send(c, "", w.Patience)
	}
}

// send sends a request to the client's present server.
func (w *fetching) send(c *fetcher, program string, patience time.Duration) {
	c.tag++
	c.flags = program != ""
	tag := c.tag
	w.sim.AfterFunc(w.sim.Now()+patience, func() { w.hangUp(c, tag) })
	w.servers[c.hosts[0]].Send(server.Request{Who: c.number, Tag: c.tag, Program: program})
}

// takeAnswer takes in what a server says.
func (w *fetching) takeAnswer(a server.Answer) {
	c := &w.clients[a.Who]
	switch {
	case a.Tag != c.tag:
	case c.flags:
		w.send(c, "", w.Patience)
	default:
		c.tag++
		w.transfers = append(w.transfers, w.sim.Now())
		c.beginNext()
		w.fetchNext(c)
	}
}

// hangUp is the end of a client's patience with a server.
func (w *fetching) hangUp(c *fetcher, tag uint32) {
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
	w.askNext(c)
}

// measured is what there was. The longest gap is the longest time between two transfers, from the beginning to the end.
func (w *fetching) measured() run {
	idle, gap, last := time.Duration(0), time.Duration(0), time.Duration(0)
	for _, s := range w.servers[min(w.Holes, len(w.servers)):] {
		idle += s.Idle()
	}
	for _, at := range append(w.transfers[:len(w.transfers):len(w.transfers)], w.Limit) {
		gap, last = max(gap, at-last), at
	}
	var shares []int
	for i := range w.clients {
		shares = append(shares, w.clients[i].done)
	}
	transfers, failures := float64(len(w.transfers)), float64(len(w.collisions)+len(w.deferrals))
	return run{events: w.sim.Events(), values: map[string]float64{
		"transfers": transfers, "collisions": float64(len(w.collisions)), "deferrals": float64(len(w.deferrals)),
		"longest gap": gap.Seconds(), "load": (transfers + failures) / transfers, "fairness": measure.Fairness(shares),
		"idle": 100 * idle.Seconds() / w.Limit.Seconds() / float64(max(w.Servers-w.Holes, 1)),
	}, curves: map[string]Line{"transfers": stepCurve(w.transfers), "collisions": stepCurve(w.collisions),
		"deferrals": stepCurve(w.deferrals)}}
}

// stepCurve is a curve of how many there have been.
func stepCurve(times []time.Duration) (l Line) {
	l.addPoint(0, measure.Sample{0})
	for i, at := range times {
		l.addPoint(at.Seconds(), measure.Sample{float64(i + 1)})
	}
	return l
}

// fetched holds what is measured, and what was published of aloha and of ethernet; 0 where nothing was.
var fetched = []struct {
	key, unit string
	published [2]float64
}{
	{"transfers", "", [2]float64{97, 130}}, {"collisions", "", [2]float64{23, 0}}, {"deferrals", "", [2]float64{0, 60}},
	{"longest gap", "s", [2]float64{60, 22}}, {"idle", "% of the good servers", [2]float64{}},
	{"load", "requests per transfer", [2]float64{}}, {"fairness", "", [2]float64{}},
}

// report runs aloha and ethernet.
func (e *replicas) report(ctx context.Context, runs herd.Runs, r *Report) {
	g := r.simulate(ctx, runs, disciplines[aloha:], alone, func(ctx context.Context, d, _ int, seed uint64) run {
		return e.simulate(ctx, aloha+discipline(d), seed)
	})
	var list []quantity
	for _, f := range fetched {
		list = append(list, quantity{key: f.key, unit: f.unit, published: func(d, _ int) float64 {
			if f.published[d] == 0 {
				return math.NaN()
			}
			return f.published[d]
		}})
	}
	rows := asRows(list)
	g.tabulate(Table{Name: "fetches", Labels: []string{"quantity"},
		Title: fmt.Sprintf("in %s, %d clients, %d servers", parameter.Brief(e.Limit), e.Clients, e.Servers)},
		rows, g.eachName(nil))
	for _, row := range rows {
		row.of.said = func(d, _ int) string { return fmt.Sprintf("figure %d: %s, %s", 6+d, row.labels[0], g.names[d]) }
		for d := range g.names {
			g.compare(row.of, d, 0)
		}
	}
	for d, failures := range []string{"collisions", "deferrals"} { // of the first run: figures 6 and 7
		f := Figure{Name: g.names[d], Title: g.names[d] + ": transfers so far, and failures",
			X: Axis{Label: "time (s)"}, Y: Axis{Label: "number"}}
		for _, key := range []string{"transfers", failures} {
			f.Lines = append(f.Lines, publishedCurve(fmt.Sprintf("fig%d_%s_%s", 6+d, g.names[d], key)), g.first(d, 0, key))
		}
		r.Figures = append(r.Figures, f)
	}
}
