package experiment

import (
	"math"
	"time"

	"ftsh/backoff"
	"ftsh/cmd/ftshsim/herd/crowd"
	"ftsh/cmd/ftshsim/herd/measure"
	"ftsh/cmd/ftshsim/herd/parameter"
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

// aftermath holds what is worth knowing of an episode.
var aftermath = []quantity{
	{key: "recovery", unit: "s after the outage"},
	{key: "done before", name: "work done before the outage", unit: "/s"},
	{key: "done last", name: "work done in the last minute", unit: "/s"},
	{key: "done share", name: "done of what was begun", unit: "%"},
	{key: "per success", name: "requests per piece of work done"},
	{key: "load", unit: "requests per piece of work"},
	{key: "wasted", unit: "% of the server's work", why: "the server did no work"},
	{key: "idle", unit: "% of the time"},
	{key: "most", name: "most requests in the server, its backlog included"},
	{key: "median", name: "a piece of work takes, median", unit: "s"},
	{key: "p99", name: "99th percentile", unit: "s"},
	{key: "fairness", why: noAnswers},
}

// noAnswers is why there may be no fairness.
const noAnswers = "nobody had an answer"

func (e *overload) studies() []study {
	o := server.Outage{From: e.At, To: e.At + e.Length, Mode: e.Mode}
	slowdown := server.Slowdown{Limit: e.Limit, Factor: e.Growth, Per: e.Per, Every: 50 * time.Millisecond}
	return []study{{names: namesOf(e.Policies), along: alone,
		run: episodes(func(policy, _ int) episode {
			b := e.with(e.Policies[policy])
			b.Jitter = trueZero(e.Jitter)
			return episode{crowd.Config{Clients: e.Clients, Start: 10 * time.Second, Think: e.Think, Timeout: e.Timeout,
				Layers: []crowd.Layer{{Backoff: b}}},
				server.Spec{Response: spread.Always(e.Base), Slowdown: slowdown, Backlog: e.Backlog,
					Outages: []server.Outage{o}},
				o.To + e.Watch}
		}),
		show: func(g *grid) {
			g.tabulate(Table{Name: "aftermath", Title: "after an outage of " + parameter.Brief(e.Length),
				Labels: []string{"quantity"}}, rowsOf(aftermath), points(nil, g.names, nil))
			g.drawRates("done", Figure{Name: "done", Title: "answers in time", Y: Axis{Label: "answers per second"}})
			g.drawRates("in flight", Figure{Name: "in-flight", Title: "requests in the server",
				Y: Axis{Label: "requests in flight"}})
			most := e.Limit // requests of which the answers come in time
			for most < 1<<24 && slowdown.Delay(e.Base, most+1) < e.Timeout {
				most++
			}
			e.compareArticle(g, float64(most))
			for p, name := range g.names { // too little may be done for a percentile
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
		}}}
}

// compareArticle puts beside ours what the article says: where the point of no return is, and that fixed waits never
// recover and exponential ones do.
func (e *overload) compareArticle(g *grid, most float64) {
	const source = "smira 2013: "
	g.Comparisons = append(g.Comparisons, Comparison{
		source + "most requests in flight with which answers come in time", 951, measure.Sample{most}})
	for p, name := range g.names {
		if recovers, said := map[string]float64{"fixed": 0, "normal": 100}[name]; said {
			g.compare(source+"runs that recover, "+name+" (%)", recovers, p, 0, "recovered")
		}
	}
	t := Table{Name: "published", Title: "beside the article's", Labels: []string{"quantity"},
		Columns: []Column{{Name: "ours"}, {Name: "ours", Published: true}}}
	for _, c := range g.Comparisons {
		t.Rows = append(t.Rows, Row{Labels: []string{c.What[len(source):]}, Values: []measure.Sample{c.Ours, {c.Published}}})
	}
	g.Tables = append(g.Tables, t)
}
