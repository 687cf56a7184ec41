package experiment

import (
	"context"
	"fmt"
	"slices"
	"strconv"
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

// report runs the parts.
func (e *recovery) report(ctx context.Context, runs herd.Runs, r *Report) {
	parts := map[string]func(context.Context, herd.Runs, *Report){
		"clients": e.sweepPolicies, "outages": e.compareChoices, "step": e.compareSteps}
	for i, part := range e.Parts {
		parts[part](ctx, asPart(runs, i, len(e.Parts)), r)
	}
}

// serverSpec is the server, without outages.
func (e *recovery) serverSpec() server.Spec {
	return server.Spec{Slots: e.Slots, Response: e.Response, Refusal: e.Refusal}
}

// sweepPolicies is the first part: the work done against the number of clients, and what is said of fixed and
// exponential waits.
func (e *recovery) sweepPolicies(ctx context.Context, runs herd.Runs, r *Report) {
	g := r.simulate(ctx, runs, policyNames(e.Policies), numbersOf("%d", e.Clients),
		func(ctx context.Context, p, n int, seed uint64) run {
			return episode(ctx, seed, crowd.Config{
				Clients: e.Clients[n], Start: 10 * time.Second, Think: e.Think,
				Layers: []crowd.Layer{{Backoff: e.backoffWith(e.Policies[p])}},
			}, e.serverSpec(), e.Limit)
		})
	for _, m := range []struct {
		key, title string
		y          Axis
	}{
		{"throughput", "work done per second", Axis{Label: "pieces of work per second"}},
		{"load", "requests per piece of work", Axis{Label: "requests per piece of work", Log: true}},
		{"fairness", "fairness among clients", Axis{Label: "Jain's index"}},
	} {
		g.tabulateNames("policy", m.key, Table{Name: m.key, Title: m.title + ", by number of clients"})
		g.draw(Figure{Name: m.key, Title: m.title, X: Axis{Label: "clients", Log: true}, Y: m.y}, m.key, nil)
	}
	last := len(e.Clients) - 1
	said := ofPolicy(g.names, map[backoff.Policy]float64{backoff.Fixed: 0, backoff.Ethernet: 100})
	for p, name := range g.names {
		most := 0.0
		for n := range e.Clients {
			most = max(most, g.sample(p, n, "throughput").Mean())
		}
		for _, one := range g.point(p, last) {
			one.values["of the best"] = 100 * one.values["throughput"] / most
		}
		q := quantity{key: "of the best", published: said, said: func(int, int) string {
			return "Thain 2009: work done with the most clients, in % of the best, " + name
		}}
		g.compare(&q, p, last)
	}
}

// choices are the backoff, and all changes of one number of it, with their names.
func (e *recovery) choices() (list []tries, names []string) {
	add := func(name string, set func(*tries)) {
		changed := e.tries
		set(&changed)
		list, names = append(list, changed), append(names, name)
	}
	add(fmt.Sprintf("T %s, F %v, M %s", parameter.Brief(e.Initial), e.Factor, parameter.Brief(e.Max)), func(*tries) {})
	for _, d := range e.OtherT {
		add("T "+parameter.Brief(d), func(t *tries) { t.Initial = d })
	}
	for _, f := range e.OtherF {
		add("F "+strconv.FormatFloat(f, 'g', -1, 64), func(t *tries) { t.Factor = f })
	}
	for _, d := range e.OtherM {
		add("M "+parameter.Brief(d), func(t *tries) { t.Max = d })
	}
	return list, names
}

// before says how long the second part goes on before an outage.
const before = time.Minute

// compareChoices is the second part: the time to recover against the length of the
// outage, for each choice of T, F and M.
func (e *recovery) compareChoices(ctx context.Context, runs herd.Runs, r *Report) {
	list, names := e.choices()
	var lengths numbers
	for _, d := range e.Outages {
		lengths.names, lengths.at = append(lengths.names, parameter.Brief(d)), append(lengths.at, d.Seconds())
	}
	g := r.simulate(ctx, runs, names, lengths, func(ctx context.Context, choice, n int, seed uint64) run {
		spec := e.serverSpec()
		spec.Outages = []server.Outage{{From: before, To: before + e.Outages[n], Mode: server.Refuse}}
		return episode(ctx, seed, crowd.Config{
			Clients: e.Few, Think: e.Think, Layers: []crowd.Layer{{Backoff: list[choice].backoffOf()}},
		}, spec, before+4*e.Outages[n]+time.Minute)
	})
	g.tabulateNames("backoff", "recovery", Table{Name: "recovery",
		Title: "recovery after an outage (s), by its length, one number changed at a time"})
	g.draw(Figure{Name: "recovery", Title: "recovery after an outage", X: Axis{Label: "length of the outage (s)",
		Log: true},
		Y: Axis{Label: "recovery (s)", Log: true}}, "recovery", nil)
	twice := quantity{key: "extension", published: func(int, int) float64 { return 2 }, said: func(_, n int) string {
		return "Thain 2009: outage and recovery, as a multiple of an outage of " + lengths.names[n]
	}}
	for n := range e.Outages {
		g.compare(&twice, 0, n)
	}
}

// A client at the cap comes once per M, that is once in so many intervals; so
// many M pass before anybody looks, and so many are looked at.
const (
	intervals = 100
	settling  = 20
	looked    = 5
)

// compareSteps is the third part: in step, or not.
func (e *recovery) compareSteps(ctx context.Context, runs herd.Runs, r *Report) {
	g := r.simulate(ctx, runs, policyNames(e.Steps), numbersOf("M %d·T", e.Caps),
		func(ctx context.Context, p, n int, seed uint64) run {
			waits := backoff.Backoff{Policy: e.Steps[p], Initial: e.Step, Factor: trueZero(e.Factor)}
			waits.Max = e.Step * time.Duration(e.Caps[n])
			until := (settling + looked) * waits.Max
			one := episode(ctx, seed, crowd.Config{
				Clients: e.Herd, Every: waits.Max / intervals, Layers: []crowd.Layer{{Backoff: waits}},
			}, server.Spec{Outages: []server.Outage{{To: until + time.Second}}}, until)
			e.measureRhythm(&one)
			return one
		})
	g.tabulateNames("policy", "step", Table{Name: "step", Title: fmt.Sprintf(
		"%d clients at the cap: the most requests in a hundredth of M, as a multiple of the average", e.Herd)})
	g.tabulateNames("policy", "silence", Table{Name: "silence", Title: "hundredths of M without any request (%)"})
	shown := max(slices.Index(e.Caps, 2), 0)
	f := Figure{Name: "step", Title: fmt.Sprintf("requests at the cap, M %d·T", e.Caps[shown]),
		X: Axis{Label: "time (M)"}, Y: Axis{Label: "requests in a hundredth of M"}}
	for p, name := range g.names {
		line := g.first(p, shown, "rhythm")
		line.Name = name
		f.Lines = append(f.Lines, line)
	}
	r.Figures = append(r.Figures, f)
	if n, p := slices.Index(e.Caps, 1), slices.Index(e.Steps, backoff.Thain); n >= 0 && p >= 0 {
		r.Comparisons = append(r.Comparisons, Comparison{
			"Thain 2009, capped after the random factor: % of the clients that come in the same hundredth of M", 100,
			g.sample(p, n, "at once")})
	}
}

// measureRhythm adds how uneven the requests are in the last intervals.
func (e *recovery) measureRhythm(one *run) {
	sent := one.series["sent"].Values
	last := sent[max(0, len(sent)-looked*intervals):]
	sum, most, empty, rhythm := 0.0, 0.0, 0.0, Line{}
	for n, v := range last {
		sum, most = sum+v, max(most, v)
		if v == 0 {
			empty++
		}
		rhythm.addPoint(float64(n)/intervals, measure.Sample{v})
	}
	one.values["step"] = most / (sum / float64(len(last)))
	one.values["silence"] = 100 * empty / float64(len(last))
	one.values["at once"] = 100 * most / float64(e.Herd)
	one.curves = map[string]Line{"rhythm": rhythm}
}
