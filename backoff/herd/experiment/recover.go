package experiment

import (
	"context"
	"time"

	"ftsh/backoff"
	"ftsh/backoff/herd"
	"ftsh/backoff/herd/crowd"
	"ftsh/backoff/herd/server"
)

// recovery is what Thain 2009 says about the choice of T, F and M, in three
// parts: many clients, outages, and what the cap does.
type recovery struct {
	parts    []string
	tries    tries // of the first part; the base of the second
	think    server.Spread
	slots    int
	response server.Spread
	refusal  time.Duration

	clients  []int
	policies []backoff.Policy
	limit    time.Duration // of a run of the first part

	few     int // clients of the second part
	outages []time.Duration
	t, m    []time.Duration
	f       []float64

	herd  int // clients of the third part
	step  time.Duration
	caps  []int // M, as multiples of T
	steps []backoff.Policy
}

// The parts.
const (
	sweepPart  = "clients"
	outagePart = "outages"
	stepPart   = "step"
)

// Recover is how to choose T, F and M, after Thain 2009.
func Recover() *Preset {
	e := &recovery{
		parts: []string{sweepPart, outagePart, stepPart},
		tries: tries{backoff.Ethernet, time.Second, time.Hour, 2}, think: server.Exponential(time.Second),
		slots: 10, response: server.Exponential(100 * time.Millisecond), refusal: 10 * time.Millisecond,
		clients: []int{10, 20, 50, 100, 200, 500, 1000, 2000}, limit: time.Minute,
		policies: []backoff.Policy{backoff.Fixed, backoff.Exact, backoff.Ethernet, backoff.Full},
		few:      50, outages: []time.Duration{10 * time.Second, 30 * time.Second, 100 * time.Second, 5 * time.Minute},
		t: []time.Duration{100 * time.Millisecond, 10 * time.Second}, f: []float64{1.5, 4}, m: []time.Duration{10 * time.Second, time.Minute, 5 * time.Minute},
		herd: 1000, step: time.Second, caps: []int{1, 2, 4, 16}, steps: []backoff.Policy{backoff.Thain, backoff.Ethernet, backoff.Full},
	}
	return &Preset{
		Name: "recover", Seeds: 5, Title: "choosing T, F and M: many clients, outages, and the cap (Thain 2009)",
		About: "Three parts. clients: saying no costs a server time, so that clients with fixed waits leave it none for its work as\n" +
			"their number grows, while exponential waits hold. outages: how long after an outage until nine tenths of the work\n" +
			"is done again, for one change of T, F or M at a time. step: all clients fail together; capped after the random\n" +
			"factor (thain) they come again together, for ever, where ethernet and full stay spread out.",
		Parameters: e.parameters(), run: e.report,
	}
}

func (e *recovery) parameters() []Parameter {
	duration := func(d *time.Duration) Value { return Time(d, time.Millisecond, forever) }
	policies := func(list *[]backoff.Policy) Value { return List(list, Policy) }
	return append(append([]Parameter{
		{"parts", "to run", List(&e.parts, func(s *string) Value { return Choice(s, sweepPart, outagePart, stepPart) })},
	}, e.tries.parameters()...), []Parameter{
		{"think", "pause of a client after a piece of work", Spread(&e.think)},
		{"slots", "requests that the server works on at once, others are refused", Whole(&e.slots, 1, 1_000_000)},
		{"response", "how long it takes for one", Spread(&e.response)},
		{"refusal", "what refusing one costs, in time of a slot", Time(&e.refusal, 0, time.Hour)},
		{"clients", "numbers of clients (clients)", List(&e.clients, func(n *int) Value { return Whole(n, 1, 1_000_000) })},
		{"policies", "to compare (clients)", policies(&e.policies)},
		{"limit", "length of a run (clients)", Time(&e.limit, time.Second, 24*time.Hour)},
		{"few", "number of clients (outages)", Whole(&e.few, 1, 1_000_000)},
		{"outages", "lengths (outages)", List(&e.outages, duration)},
		{"first", "other T (outages)", List(&e.t, duration)},
		{"factor", "other F (outages)", List(&e.f, func(f *float64) Value { return Real(f, 1, 1000) })},
		{"cap", "other M (outages)", List(&e.m, duration)},
		{"herd", "number of clients (step)", Whole(&e.herd, 1, 1_000_000)},
		{"step", "T (step)", Time(&e.step, time.Millisecond, time.Hour)},
		{"caps", "M as multiples of T (step)", List(&e.caps, func(n *int) Value { return Whole(n, 1, 1_000_000) })},
		{"steps", "policies (step)", policies(&e.steps)},
	}...)
}

// report runs the parts.
func (e *recovery) report(ctx context.Context, runs herd.Runs) *Report {
	r := &Report{}
	parts := map[string]func(context.Context, herd.Runs, *Report){sweepPart: e.sweep, outagePart: e.choices, stepPart: e.march}
	told := runs.Progress
	for i, part := range e.parts {
		if told != nil {
			runs.Progress = func(done, all int) { told(i*all+done, len(e.parts)*all) }
		}
		parts[part](ctx, runs, r)
	}
	return r
}

// spec is the server, without outages.
func (e *recovery) spec() server.Spec {
	return server.Spec{Slots: e.slots, Response: e.response, Refusal: e.refusal}
}

// sweep is the first part: the work done against the number of clients.
func (e *recovery) sweep(ctx context.Context, runs herd.Runs, r *Report) {
	results := herd.Each(ctx, runs, len(e.policies)*len(e.clients), func(ctx context.Context, point int, seed uint64) *episode {
		b := e.tries
		b.policy = e.policies[point/len(e.clients)]
		return experience(ctx, seed, crowd.Config{
			Clients: e.clients[point%len(e.clients)], Start: 10 * time.Second, Think: e.think, Layers: []crowd.Layer{{Backoff: b.backoff()}},
		}, e.spec(), e.limit)
	})
	r.Events += events(results)
	names := policyNames(e.policies)
	clients := Axis{Label: "clients", Log: true}
	for _, m := range []struct {
		name, title string
		y           Axis
		measure     func(*episode) float64
	}{
		{"throughput", "work done per second", Axis{Label: "pieces of work per second"}, (*episode).throughput},
		{"load", "requests per piece of work", Axis{Label: "requests per piece of work", Log: true}, func(w *episode) float64 { return w.Load() }},
		{"fairness", "fairness among clients", Axis{Label: "Jain's index"}, func(w *episode) float64 { return herd.Fairness(w.PerClient) }},
	} {
		matrix := matrix{m.name, m.title, clients, m.y, names, e.clients, func(row, column int) herd.Sample {
			return sample(results[row*len(e.clients)+column], m.measure)
		}}
		matrix.into(r, "policy")
	}
	e.claims(r, results)
}

// claims compares with what is said of fixed and exponential waits.
func (e *recovery) claims(r *Report, results [][]*episode) {
	for i, p := range e.policies {
		published, known := map[backoff.Policy]float64{backoff.Fixed: 0, backoff.Ethernet: 100}[p]
		if !known {
			continue
		}
		row := results[i*len(e.clients) : (i+1)*len(e.clients)]
		most := 0.0
		for _, list := range row {
			most = max(most, sample(list, (*episode).throughput).Mean())
		}
		share := sample(row[len(row)-1], func(w *episode) float64 { return 100 * w.throughput() / most })
		r.Comparisons = append(r.Comparisons, Comparison{"Thain 2009: work done with the most clients, in % of the best, " + p.String(), published, share})
	}
}

// throughput is the work done per second.
func (e *episode) throughput() float64 { return float64(e.Done) / e.Until.Seconds() }
