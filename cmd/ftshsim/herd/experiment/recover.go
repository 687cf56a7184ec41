package experiment

import (
	"context"
	"time"

	"ftsh/backoff"
	"ftsh/cmd/ftshsim/herd"
	"ftsh/cmd/ftshsim/herd/crowd"
	"ftsh/cmd/ftshsim/herd/measure"
	"ftsh/cmd/ftshsim/herd/parameter"
	"ftsh/cmd/ftshsim/herd/server"
	"ftsh/cmd/ftshsim/herd/spread"
)

// recovery tries what Thain 2009 says about the choice of T, F and M, in three
// parts: many clients, outages, and what the cap does.
type recovery struct {
	Parts []string `choice:"clients outages step" help:"to run"`
	tries
	Think    spread.Time      `default:"exponential 1s" help:"pause of a client after a piece of work"`
	Slots    int              `default:"10" range:"1 1000000" help:"requests that the server works on at once,"`
	_        struct{}         `help:"others are refused"`
	Response spread.Time      `default:"exponential 100ms" help:"how long it takes for one"`
	Refusal  time.Duration    `default:"10ms" range:"0s 1h" help:"what refusing one costs, in time of a slot"`
	Clients  []int            `default:"10,20,50,100,200,500,1000,2000" range:"1 1000000" help:"numbers of clients"`
	_        struct{}         `help:"(clients)"`
	Policies []backoff.Policy `default:"fixed,exact,ethernet,full" help:"to compare (clients)"`
	Limit    time.Duration    `default:"1m" range:"1s 24h" help:"length of a run (clients)"`
	Few      int              `default:"50" range:"1 1000000" help:"number of clients (outages)"`
	Outages  []time.Duration  `default:"10s,30s,100s,5m" range:"1ms 8760h" help:"lengths (outages)"`
	OtherT   []time.Duration  `long:"first" default:"100ms,10s" range:"1ms 8760h" help:"other T (outages)"`
	OtherF   []float64        `long:"factor" default:"1.5,4" range:"1 1000" help:"other F (outages)"`
	OtherM   []time.Duration  `long:"cap" default:"10s,1m,5m" range:"1ms 8760h" help:"other M (outages)"`
	Herd     int              `default:"1000" range:"1 1000000" help:"number of clients (step)"`
	Step     time.Duration    `default:"1s" range:"1ms 1h" help:"T (step)"`
	Caps     []int            `default:"1,2,4,16" range:"1 1000000" help:"M as multiples of T (step)"`
	Steps    []backoff.Policy `default:"thain,ethernet,full" help:"policies (step)"`
}

// recoverPreset makes the experiment on the choice of T, F and M, after Thain 2009.
func recoverPreset() *Preset {
	e := &recovery{}
	return &Preset{
		Name: "recover", Seeds: 5, Title: "choosing T, F and M: many clients, outages, and the cap (Thain 2009)",
		About: "Three parts. clients: saying no costs a server time, " +
			"so that clients with fixed waits leave it none for its work as\n" +
			"their number grows, while exponential waits hold. " +
			"outages: how long after an outage until nine tenths of the work\n" +
			"is done again, for one change of T, F or M at a time. step: all clients fail together; capped after the random\n" +
			"factor (thain) they come again together, for ever, where ethernet and full stay spread out.",
		Assumed: "Nothing is fitted. The source gives the formula and says in words what comes out; " +
			"the server (--slots, --response,\n" +
			"--refusal), the clients and the outages were chosen here, before anything was compared.",
		Parameters: parameter.Of(e), run: e.makeReport,
	}
}

// makeReport runs the parts.
func (e *recovery) makeReport(ctx context.Context, runs herd.Runs) *Report {
	r := &Report{}
	parts := map[string]func(context.Context, herd.Runs, *Report){
		"clients": e.sweepPolicies, "outages": e.compareChoices, "step": e.compareSteps}
	told := runs.Progress
	for i, part := range e.Parts {
		if told != nil {
			runs.Progress = func(done, all int) { told(i*all+done, len(e.Parts)*all) }
		}
		parts[part](ctx, runs, r)
	}
	return r
}

// serverSpec is the server, without outages.
func (e *recovery) serverSpec() server.Spec {
	return server.Spec{Slots: e.Slots, Response: e.Response, Refusal: e.Refusal}
}

// sweepPolicies is the first part: the work done against the number of clients.
func (e *recovery) sweepPolicies(ctx context.Context, runs herd.Runs, r *Report) {
	results := herd.Each(ctx, runs, len(e.Policies)*len(e.Clients),
		func(ctx context.Context, point int, seed uint64) *episode {
			b := e.tries
			b.Policy = e.Policies[point/len(e.Clients)]
			return experience(ctx, seed, crowd.Config{
				Clients: e.Clients[point%len(e.Clients)], Start: 10 * time.Second, Think: e.Think,
				Layers: []crowd.Layer{{Backoff: b.backoffOf()}},
			}, e.serverSpec(), e.Limit)
		})
	r.Events += sumEvents(results)
	names := policyNames(e.Policies)
	clients := Axis{Label: "clients", Log: true}
	for _, m := range []struct {
		name, title string
		y           Axis
		measure     func(*episode) float64
	}{
		{"throughput", "work done per second", Axis{Label: "pieces of work per second"}, (*episode).throughput},
		{"load", "requests per piece of work", Axis{Label: "requests per piece of work", Log: true},
			func(w *episode) float64 { return w.Load() }},
		{"fairness", "fairness among clients", Axis{Label: "Jain's index"},
			func(w *episode) float64 { return measure.Fairness(w.PerClient) }},
	} {
		matrix := matrix{m.name, m.title, clients, m.y, names, e.Clients, func(row, column int) measure.Sample {
			return sampleOf(results[row*len(e.Clients)+column], m.measure)
		}}
		matrix.putInto(r, "policy")
	}
	e.compareClaims(r, results)
}

// compareClaims compares with what is said of fixed and exponential waits.
func (e *recovery) compareClaims(r *Report, results [][]*episode) {
	for i, p := range e.Policies {
		published, known := map[backoff.Policy]float64{backoff.Fixed: 0, backoff.Ethernet: 100}[p]
		if !known {
			continue
		}
		row := results[i*len(e.Clients) : (i+1)*len(e.Clients)]
		most := 0.0
		for _, list := range row {
			most = max(most, sampleOf(list, (*episode).throughput).Mean())
		}
		share := sampleOf(row[len(row)-1], func(w *episode) float64 { return 100 * w.throughput() / most })
		what := "Thain 2009: work done with the most clients, in % of the best, " + p.String()
		r.Comparisons = append(r.Comparisons, Comparison{what, published, share})
	}
}

// throughput is the work done per second.
func (e *episode) throughput() float64 { return float64(e.Done) / e.Until.Seconds() }
