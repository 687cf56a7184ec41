package experiment

import (
	"context"
	"math"
	"time"

	"ftsh/backoff"
	"ftsh/cmd/ftshsim/herd"
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

// serverSlowdown returns the rule by which the server gets slower.
func (e *overload) serverSlowdown() server.Slowdown {
	return server.Slowdown{Limit: e.Limit, Factor: e.Growth, Per: e.Per, Every: 50 * time.Millisecond}
}

// overloadPreset is the outage of smira 2013.
func overloadPreset() *Preset {
	e := &overload{waits: waits{Initial: 100 * time.Millisecond, Max: 5 * time.Minute, Factor: math.E}}
	return &Preset{
		Name: "overload", Seeds: 5, Title: "an outage of 30 s, and whether the server ever recovers (smira 2013)",
		About: "The more requests the server has, the longer each takes; " +
			"clients hang up after 2 s, but what they asked for is still\n" +
			"worked on. After an outage all try at once. With fixed waits the server answers " +
			"everybody too late, for ever; with\n" +
			"exponential ones (normal is the article's policy) it gets the time to catch up.",
		Assumed: "Nothing is fitted: all numbers are those of the article. " +
			"What it does not tell is the server's backlog, 128 here.",
		Parameters: parameter.Of(e), run: e.makeReport,
	}
}

// simulatePolicy simulates one policy.
func (e *overload) simulatePolicy(ctx context.Context, policy backoff.Policy, seed uint64) *episode {
	o := server.Outage{From: e.At, To: e.At + e.Length, Mode: e.Mode}
	b := e.backoffWith(policy)
	b.Jitter = trueZero(e.Jitter)
	return experience(ctx, seed, crowd.Config{
		Clients: e.Clients, Start: 10 * time.Second, Think: e.Think, Timeout: e.Timeout, Layers: []crowd.Layer{{Backoff: b}},
	}, server.Spec{
		Response: spread.Always(e.Base), Slowdown: e.serverSlowdown(), Backlog: e.Backlog, Outages: []server.Outage{o},
	}, o.To+e.Watch)
}

// mostInTime returns how many requests may be in the server if answers are to come before
// clients hang up.
func (e *overload) mostInTime() int {
	c, slowdown := e.Limit, e.serverSlowdown()
	for c < 1<<24 && slowdown.Delay(e.Base, c+1) < e.Timeout {
		c++
	}
	return c
}

// makeReport runs all policies.
func (e *overload) makeReport(ctx context.Context, runs herd.Runs) *Report {
	results := herd.Each(ctx, runs, len(e.Policies), func(ctx context.Context, point int, seed uint64) *episode {
		return e.simulatePolicy(ctx, e.Policies[point], seed)
	})
	names := policyNames(e.Policies)
	r := &Report{Events: sumEvents(results)}
	title := "after an outage of " + parameter.Brief(e.Length)
	r.Tables = append(r.Tables, quantities(Table{Name: "aftermath", Title: title}, names, aftermath, results))
	done := Figure{Name: "done", Title: "answers in time",
		X: Axis{Label: "time (s)"}, Y: Axis{Label: "answers per second"}}
	flight := Figure{Name: "in-flight", Title: "requests in the server",
		X: Axis{Label: "time (s)"}, Y: Axis{Label: "requests in flight"}}
	for i, name := range names {
		done.Lines = append(done.Lines,
			averageRates(name, results[i], func(e *episode) *measure.Series { return &e.Finished }))
		flight.Lines = append(flight.Lines,
			averageRates(name, results[i], func(e *episode) *measure.Series { return &e.InFlight }))
	}
	r.Figures = append(r.Figures, done, flight)
	e.compareArticle(r, results)
	for i, name := range names {
		done, begun, open := 0, 0, false
		for _, one := range results[i] {
			done, begun, open = done+one.Done, begun+one.Begun, open || math.IsInf(one.Percentile(99), 1)
		}
		if open {
			r.Note("Done, in all runs with %s: %d of %d pieces of work. Percentiles beyond that are not reached.",
				name, done, begun)
		}
	}
	return r
}

// compareArticle puts beside ours what the article says: that fixed waits never
// recover and exponential ones do, and where the point of no return is.
func (e *overload) compareArticle(r *Report, results [][]*episode) {
	t := Table{Name: "published", Title: "beside the article's", Labels: []string{"quantity"},
		Columns: []Column{{Name: "ours"}, {Name: "ours", Published: true}}}
	add := func(what string, published float64, ours measure.Sample) {
		t.Rows = append(t.Rows, Row{Labels: []string{what}, Values: []measure.Sample{ours, {published}}})
		r.Comparisons = append(r.Comparisons, Comparison{"smira 2013: " + what, published, ours})
	}
	add("most requests in flight with which answers come in time", 951, measure.Sample{float64(e.mostInTime())})
	for i, p := range e.Policies {
		if published, known := map[backoff.Policy]float64{backoff.Fixed: 0, backoff.Normal: 100}[p]; known {
			ours := sampleOf(results[i], func(e *episode) float64 { return 100 * e.recovered() })
			add("runs that recover, "+p.String()+" (%)", published, ours)
		}
	}
	r.Tables = append(r.Tables, t)
}

func policyNames(list []backoff.Policy) []string {
	var names []string
	for _, p := range list {
		names = append(names, p.String())
	}
	return names
}
