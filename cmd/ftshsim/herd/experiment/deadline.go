package experiment

import (
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
	name string
	spec server.Spec
}{
	{"cheap", server.Spec{Slots: 8, Queue: 100, Response: spread.Exponential(200 * time.Millisecond)}},
	{"slow", server.Spec{Slots: 2, Queue: 100, Response: spread.Exponential(time.Second),
		Refusal: 100 * time.Millisecond}},
}

// lasts are when the last attempt before the time limit starts.
var lasts = []struct {
	name string
	last backoff.Last
}{{"in the first half", backoff.Last{To: 0.5}}, {"late", backoff.Last{}}}

// studies are each server, with each rule and cap and all outages.
func (e *deadline) studies() (list []study) {
	var names []string
	var layers []crowd.Layer
	for _, rule := range lasts {
		for _, share := range e.Shares {
			name, longest := rule.name+", 1h", time.Hour
			if share > 0 {
				name, longest = fmt.Sprintf("%s, limit/%d", rule.name, share), max(e.Limit/time.Duration(share), 1)
			}
			names = append(names, name)
			layers = append(layers, crowd.Layer{Limit: e.Limit, Cut: true, Last: rule.last,
				Backoff: backoff.Backoff{Policy: e.Policy, Max: longest}})
		}
	}
	for n, c := range capacities {
		list = append(list, study{part: c.name, names: names, along: numbersOf("%d %%", e.Outages),
			of: func(n, outage int, _ *herd.Sim) episode {
				spec := c.spec
				spec.Outages = []server.Outage{{To: max(e.Limit*time.Duration(e.Outages[outage])/100, 1)}}
				return episode{clients: crowd.Config{Clients: e.Clients, Start: e.Start, Once: true, Layers: layers[n : n+1]},
					servers: []server.Spec{spec}, until: e.Start + e.Limit + time.Second}
			},
			after: func(g *grid) {
				through := &g.Tables[len(g.Tables)-2]
				through.Rows = append(through.Rows, e.most(c.spec))
				if n == len(capacities)-1 {
					g.Note("The last row of a table is what the server could do in what is left of the limit after the outage.")
				}
			}})
	}
	return list
}

// most is what a server could do after each outage.
func (e *deadline) most(spec server.Spec) Row {
	row := Row{Labels: []string{"at most"}}
	for _, percent := range e.Outages {
		left := e.Start + e.Limit - e.Limit*time.Duration(percent)/100
		rate := float64(spec.Slots) / spec.Response.Mean().Seconds()
		row.Values = append(row.Values, measure.Sample{min(100, 100*rate*left.Seconds()/float64(e.Clients))})
	}
	return row
}
