package experiment

import (
	"context"
	"fmt"
	"time"

	"ftsh/backoff"
	"ftsh/cmd/ftshsim/herd"
	"ftsh/cmd/ftshsim/herd/crowd"
	"ftsh/cmd/ftshsim/herd/measure"
	"ftsh/cmd/ftshsim/herd/server"
	"ftsh/cmd/ftshsim/herd/spread"
)

// deadline is scripts with one piece of work and a time limit each, and an outage that
// takes much of that.
type deadline struct {
	Clients int            `default:"500" range:"1 100000" help:"each runs one try with the limit"`
	Limit   time.Duration  `default:"10m" range:"1s 24h" help:"time limit of the try"`
	Start   time.Duration  `default:"30s" range:"0s 1h" help:"clients start at random moments within"`
	Outages []int          `default:"10,30,50,70,90" range:"0 100" help:"lengths, in % of the limit"`
	Shares  []int          `long:"caps" default:"0,2,4,8,16" range:"0 1000" help:"the cap M of the waits,"`
	_       struct{}       `help:"as the limit divided by this; 0: 1 hour"`
	Policy  backoff.Policy `help:"of the waits"`
}

// capacities are the servers: a cheap and an expensive one.
var capacities = []struct {
	name, title string
	spec        server.Spec
}{
	{"cheap", "40 requests a second; refusing one costs nothing", server.Spec{
		Slots: 8, Queue: 100, Response: spread.Exponential(200 * time.Millisecond)}},
	{"slow", "2 requests a second; refusing one costs a slot 100 ms", server.Spec{
		Slots: 2, Queue: 100, Response: spread.Exponential(time.Second), Refusal: 100 * time.Millisecond}},
}

// setting is when the last attempt before the time limit starts, with a cap of the waits.
type setting struct {
	last backoff.Last
	max  time.Duration
}

// settings are all of them, and their names.
func (e *deadline) settings() (list []setting, names []string) {
	for _, rule := range []struct {
		name string
		last backoff.Last
	}{{"in the first half", backoff.Last{To: 0.5}}, {"late", backoff.Last{}}} {
		for _, share := range e.Shares {
			s, name := setting{rule.last, time.Hour}, rule.name+", 1h"
			if share > 0 {
				s.max, name = max(e.Limit/time.Duration(share), 1), fmt.Sprintf("%s, limit/%d", rule.name, share)
			}
			list, names = append(list, s), append(names, name)
		}
	}
	return list, names
}

// report runs all settings on each server, for all outages.
func (e *deadline) report(ctx context.Context, runs herd.Runs, r *Report) {
	list, names := e.settings()
	for part, c := range capacities {
		g := r.simulate(ctx, asPart(runs, part, len(capacities)), names, numbersOf("%d %%", e.Outages),
			func(ctx context.Context, n, outage int, seed uint64) run {
				spec := c.spec
				spec.Outages = []server.Outage{{To: max(e.Limit*time.Duration(e.Outages[outage])/100, 1)}}
				waits := backoff.Backoff{Policy: e.Policy, Max: list[n].max}
				return episode(ctx, seed, crowd.Config{
					Clients: e.Clients, Start: e.Start, Once: true,
					Layers: []crowd.Layer{{Limit: e.Limit, Cut: true, Backoff: waits, Last: list[n].last}},
				}, spec, e.Start+e.Limit+time.Second)
			})
		most := Row{Labels: []string{"at most"}}
		for _, percent := range e.Outages {
			left := e.Start + e.Limit - e.Limit*time.Duration(percent)/100
			rate := float64(c.spec.Slots) / c.spec.Response.Mean().Seconds()
			most.Values = append(most.Values, measure.Sample{min(100, 100*rate*left.Seconds()/float64(e.Clients))})
		}
		const label = "last attempt, cap"
		g.tabulateNames(label, "done share", Table{Name: c.name, Title: fmt.Sprintf(
			"%% of %d clients that got through, by length of the outage: %s", e.Clients, c.title)}, most)
		g.draw(Figure{Name: c.name, Title: c.title, X: Axis{Label: "outage (% of the limit)"},
			Y: Axis{Label: "got through (%)"}}, "done share", nil)
		g.tabulateNames(label, "load", Table{Name: c.name + " requests", Title: "requests of each client: " + c.title})
	}
	r.Note("The last row of a table is what the server could do in what is left of the limit after the outage.")
}
