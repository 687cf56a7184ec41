package experiment

import (
	"context"
	"math"
	"time"

	"ftsh/backoff"
	"ftsh/backoff/herd"
	"ftsh/backoff/herd/crowd"
	"ftsh/backoff/herd/server"
)

// overload is the server and the clients of smira 2013, and an outage.
type overload struct {
	clients  int
	think    server.Spread
	timeout  time.Duration
	policies []backoff.Policy
	backoff  tries
	jitter   float64
	base     time.Duration // the server's delay while few requests are in flight
	slowdown server.Slowdown
	backlog  int
	outage   server.Outage
	length   time.Duration // of the outage
	watch    time.Duration // after it
	mode     string
}

// Overload is the outage of smira 2013.
func Overload() *Preset {
	e := &overload{
		clients: 1000, think: server.Exponential(10 * time.Second), timeout: 2 * time.Second,
		policies: []backoff.Policy{backoff.Fixed, backoff.Normal},
		backoff:  tries{initial: 100 * time.Millisecond, max: 5 * time.Minute, factor: math.E}, jitter: 0.1,
		base: 100 * time.Millisecond, slowdown: server.Slowdown{Limit: 30, Factor: 1.05, Per: 15, Every: 50 * time.Millisecond},
		backlog: 128, outage: server.Outage{From: time.Minute}, length: 30 * time.Second, watch: 5 * time.Minute, mode: "freeze",
	}
	return &Preset{
		Name: "overload", Seeds: 5, Title: "an outage of 30 s, and whether the server ever recovers (smira 2013)",
		About: "The more requests the server has, the longer each takes; clients hang up after 2 s, but what they asked for is still\n" +
			"worked on. After an outage all try at once. With fixed waits the server answers everybody too late, for ever; with\n" +
			"exponential ones (normal is the article's policy) it gets the time to catch up.",
		Parameters: e.parameters(), run: e.report,
	}
}

func (e *overload) parameters() []Parameter {
	return []Parameter{
		{"clients", "clients", Whole(&e.clients, 1, 1_000_000)},
		{"think", "pause of a client after an answer", Spread(&e.think)},
		{"timeout", "after which a client hangs up", Time(&e.timeout, time.Millisecond, time.Hour)},
		{"policies", "to compare", List(&e.policies, Policy)},
		{"from", "first wait T", Time(&e.backoff.initial, 0, forever)},
		{"to", "cap M of the waits", Time(&e.backoff.max, 0, forever)},
		{"by", "factor F", Real(&e.backoff.factor, 0, 1000)},
		{"jitter", "J of the policy normal", Real(&e.jitter, 0, 1000)},
		{"base", "delay of the server with few requests", Time(&e.base, time.Millisecond, time.Hour)},
		{"concurrency", "requests from which on the delay grows", Whole(&e.slowdown.Limit, 0, 1_000_000)},
		{"factor", "by which it grows", Real(&e.slowdown.Factor, 1, 1000)},
		{"per", "requests that make it grow once", Whole(&e.slowdown.Per, 1, 1_000_000)},
		{"backlog", "connections that wait while the server stands still", Whole(&e.backlog, 1, 1_000_000)},
		{"outage", "its length", Time(&e.length, 0, 24*time.Hour)},
		{"at", "its beginning", Time(&e.outage.From, 10*time.Second, 24*time.Hour)},
		{"mode", "of the outage: freeze is SIGSTOP, refuse and fail answer with errors, hang never answers", mode(&e.mode)},
		{"watch", "how long it goes on after the outage", Time(&e.watch, time.Minute, 24*time.Hour)},
	}
}

// run simulates one policy.
func (e *overload) run(ctx context.Context, policy backoff.Policy, seed uint64) *episode {
	o := e.outage
	o.To = o.From + e.length
	o.Mode, _ = server.ParseMode(e.mode)
	b := e.backoff
	b.policy = policy
	waits := b.backoff()
	waits.Jitter = zero(e.jitter)
	return experience(ctx, seed, crowd.Config{
		Clients: e.clients, Start: 10 * time.Second, Think: e.think, Timeout: e.timeout, Layers: []crowd.Layer{{Backoff: waits}},
	}, server.Spec{
		Response: server.Always(e.base), Slowdown: e.slowdown, Backlog: e.backlog, Outages: []server.Outage{o},
	}, o.To+e.watch)
}

// most is how many requests may be in the server if answers are to come before
// clients hang up.
func (e *overload) most() int {
	c := e.slowdown.Limit
	for c < 1<<24 && e.slowdown.Delay(e.base, c+1) < e.timeout {
		c++
	}
	return c
}

// report runs all policies.
func (e *overload) report(ctx context.Context, runs herd.Runs) *Report {
	results := herd.Each(ctx, runs, len(e.policies), func(ctx context.Context, point int, seed uint64) *episode {
		return e.run(ctx, e.policies[point], seed)
	})
	names := policyNames(e.policies)
	r := &Report{Events: events(results)}
	r.Tables = append(r.Tables, quantities(Table{Name: "aftermath", Title: "after an outage of " + Brief(e.length)}, names, aftermath, results))
	done := Figure{Name: "done", Title: "answers in time", X: Axis{Label: "time (s)"}, Y: Axis{Label: "answers per second"}}
	flight := Figure{Name: "in-flight", Title: "requests in the server", X: Axis{Label: "time (s)"}, Y: Axis{Label: "requests in flight"}}
	for i, name := range names {
		done.Lines = append(done.Lines, rates(name, results[i], func(e *episode) *herd.Series { return &e.Finished }))
		flight.Lines = append(flight.Lines, rates(name, results[i], func(e *episode) *herd.Series { return &e.InFlight }))
	}
	r.Figures = append(r.Figures, done, flight)
	e.compare(r, results)
	return r
}

// compare puts beside ours what the article says: that fixed waits never
// recover and exponential ones do, and where the point of no return is.
func (e *overload) compare(r *Report, results [][]*episode) {
	t := Table{Name: "published", Title: "beside the article's", Labels: []string{"quantity"}, Columns: []Column{{Name: "ours"}, {Name: "ours", Published: true}}}
	add := func(what string, published float64, ours herd.Sample) {
		t.Rows = append(t.Rows, Row{[]string{what}, []herd.Sample{ours, {published}}})
		r.Comparisons = append(r.Comparisons, Comparison{"smira 2013: " + what, published, ours})
	}
	add("most requests in flight with which answers come in time", 951, herd.Sample{float64(e.most())})
	for i, p := range e.policies {
		if published, known := map[backoff.Policy]float64{backoff.Fixed: 0, backoff.Normal: 100}[p]; known {
			add("runs that recover, "+p.String()+" (%)", published, sample(results[i], func(e *episode) float64 { return 100 * e.recovered() }))
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
