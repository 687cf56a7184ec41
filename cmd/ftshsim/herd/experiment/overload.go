package experiment

import (
	"math"
	"time"

	"ftsh/backoff"
	"ftsh/cmd/ftshsim/herd"
	"ftsh/cmd/ftshsim/herd/crowd"
	"ftsh/cmd/ftshsim/herd/measure"
	"ftsh/cmd/ftshsim/herd/server"
	"ftsh/cmd/ftshsim/herd/spread"
)

// overload is the server and the clients of smira 2013, and an outage.
type overload struct {
	Clients  int              `default:"1000" range:"1 1000000" help:"clients"`
	Think    spread.Time      `default:"exponential 10s" help:"pause of a client after an answer"`
	Timeout  time.Duration    `default:"2s" range:"1ms 1h" help:"after which a client hangs up"`
	Policies []backoff.Policy `default:"fixed,normal" help:"to compare"`
	waits
	Jitter  float64       `default:"0.1" range:"0 1000" help:"J of the policy normal"`
	Base    time.Duration `default:"100ms" range:"1ms 1h" help:"delay of the server with few requests"`
	Limit   int           `long:"concurrency" default:"30" range:"0 1000000" help:"requests from which on the delay grows"`
	Growth  float64       `long:"factor" default:"1.05" range:"1 1000" help:"by which it grows"`
	Per     int           `default:"15" range:"1 1000000" help:"requests that make it grow once"`
	Backlog int           `default:"128" range:"1 1000000" help:"connections that wait while the server stands still"`
	Length  time.Duration `long:"outage" default:"30s" range:"0s 24h" help:"its length"`
	At      time.Duration `default:"1m" range:"10s 24h" help:"its beginning"`
	Mode    server.Mode   `default:"freeze" help:"of the outage: freeze is SIGSTOP,"`
	_       struct{}      `help:"refuse and fail answer with errors, hang never answers"`
	Watch   time.Duration `default:"5m" range:"1m 24h" help:"how long it goes on after the outage"`
}

func newOverload() *overload {
	return &overload{waits: waits{Initial: 100 * time.Millisecond, Max: 5 * time.Minute, Factor: math.E}}
}

func (e *overload) studies() []study {
	o := server.Outage{From: e.At, To: e.At + e.Length, Mode: e.Mode}
	slowdown := server.Slowdown{Limit: e.Limit, Factor: e.Growth, Per: e.Per, Every: 50 * time.Millisecond}
	return []study{{part: "aftermath", names: namesOf(e.Policies), along: alone(""),
		of: func(policy, _ int, _ *herd.Sim) episode {
			b := e.with(e.Policies[policy])
			b.Jitter = trueZero(e.Jitter)
			return episode{clients: crowd.Config{Clients: e.Clients, Start: 10 * time.Second, Think: e.Think,
				Timeout: e.Timeout, Layers: []crowd.Layer{{Backoff: b}}},
				servers: []server.Spec{{Response: spread.Always(e.Base), Slowdown: slowdown, Backlog: e.Backlog,
					Outages: []server.Outage{o}}}, until: o.To + e.Watch}
		},
		before: func(g *grid) {
			most := e.Limit // requests of which the answers come in time
			for most < 1<<24 && slowdown.Delay(e.Base, most+1) < e.Timeout {
				most++
			}
			g.Comparisons = append(g.Comparisons, Comparison{
				article + "most requests in flight with which answers come in time", 951, measure.Sample{float64(most)}})
		},
		after: tellOpen}}
}

// article begins what is said of comparisons with it.
const article = "smira 2013: "

// tellOpen adds what the article says as a table, and of which policies too little is done for a percentile.
func tellOpen(g *grid) {
	t := Table{Name: "published", Title: "beside the article's", Labels: []string{"quantity"},
		Columns: []Column{{Name: "ours"}, {Name: "ours", Published: true}}}
	for _, c := range g.Comparisons {
		t.Rows = append(t.Rows, Row{Labels: []string{c.What[len(article):]}, Values: []measure.Sample{c.Ours, {c.Published}}})
	}
	g.Tables = append(g.Tables, t)
	for p, name := range g.names {
		done, begun, open := 0.0, 0.0, false
		for _, one := range g.point(p, 0) {
			done, begun = done+one.values["done"], begun+one.values["begun"]
			open = open || math.IsInf(one.values["p99"], 1)
		}
		if open {
			g.Note("Done, in all runs with %s: %.0f of %.0f pieces of work. Percentiles beyond that are not reached.",
				name, done, begun)
		}
	}
}
