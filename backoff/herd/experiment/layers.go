package experiment

import (
	"context"
	"fmt"
	"slices"
	"time"

	"ftsh/backoff"
	"ftsh/backoff/herd"
	"ftsh/backoff/herd/crowd"
	"ftsh/backoff/herd/server"
	"ftsh/backoff/shared"
)

// layers is a server behind programs that call each other and all try again,
// and what can be done about the load that makes.
type layers struct {
	variants []string
	rate     float64 // pieces of work begun per second
	layers   int
	attempts int
	tries    tries
	timeout  time.Duration
	limit    time.Duration
	slots    int
	response server.Spread
	queue    int
	refusal  time.Duration
	from     time.Duration
	length   time.Duration // of the outage
	watch    time.Duration // after it
	mode     string

	share    float64       // of a retry budget
	window   time.Duration // of a retry budget
	tokens   float64
	ratio    float64
	failures int
	within   time.Duration
	probe    time.Duration
	k        float64
	memory   time.Duration // of the throttle
	after    time.Duration
}

// Layers is retries on several layers, and what keeps them in check.
func Layers() *Preset {
	e := &layers{
		rate: 500, layers: 3, attempts: 4, tries: tries{backoff.Full, 50 * time.Millisecond, time.Second, 2},
		timeout: time.Second, limit: 30 * time.Second,
		slots: 30, response: server.Exponential(50 * time.Millisecond), queue: 400, refusal: 500 * time.Microsecond,
		from: 30 * time.Second, length: 30 * time.Second, watch: time.Minute, mode: "fail",
		share: 0.1, window: 10 * time.Second, tokens: 10, ratio: 0.1,
		failures: 20, within: time.Second, probe: time.Second, k: 2, memory: 2 * time.Minute, after: 10 * time.Second,
	}
	for _, v := range variants {
		e.variants = append(e.variants, v.name)
	}
	about := "Programs call each other, and each tries again when the next one fails. In an outage the attempts of all layers\n" +
		"multiply. Counted is the load: requests that reach the server for each piece of work begun meanwhile. The variants:\n"
	for _, v := range variants {
		about += fmt.Sprintf("\n  %-9s %s", v.name, v.about)
	}
	return &Preset{
		Name: "layers", Seeds: 2, Title: "retries on three layers, and budgets, breakers and throttles against them (Google SRE, gRPC, Finagle)",
		About: about, Parameters: e.parameters(), run: e.report,
	}
}

func (e *layers) parameters() []Parameter {
	var names []string
	for _, v := range variants {
		names = append(names, v.name)
	}
	return append(append([]Parameter{
		{"variants", "to compare", List(&e.variants, func(s *string) Value { return Choice(s, names...) })},
		{"rate", "pieces of work begun per second", Real(&e.rate, 0.1, 1e6)},
		{"layers", "programs that try again, one calling the next", Whole(&e.layers, 1, 8)},
		{"attempts", "of each layer", Whole(&e.attempts, 1, 100)},
		{"timeout", "of a request", Time(&e.timeout, time.Millisecond, time.Hour)},
		{"limit", "of the try of each layer", Time(&e.limit, time.Millisecond, 24*time.Hour)},
	}, e.tries.parameters()...), []Parameter{
		{"slots", "requests that the server works on at once", Whole(&e.slots, 1, 1_000_000)},
		{"response", "how long it takes for one", Spread(&e.response)},
		{"queue", "requests that may wait for that", Whole(&e.queue, 0, 10_000_000)},
		{"refusal", "what refusing one costs, in time of a slot", Time(&e.refusal, 0, time.Hour)},
		{"at", "beginning of the outage", Time(&e.from, time.Second, 24*time.Hour)},
		{"outage", "its length", Time(&e.length, time.Second, 24*time.Hour)},
		{"mode", "of the outage: refuse and fail answer with errors, at once or after the usual time; hang never answers, freeze is SIGSTOP", mode(&e.mode)},
		{"watch", "how long it goes on after the outage", Time(&e.watch, time.Second, 24*time.Hour)},
		{"share", "of retries that a budget allows, 0 to 1", Real(&e.share, 0, 1)},
		{"window", "over which a budget counts", Time(&e.window, time.Millisecond, 24*time.Hour)},
		{"tokens", "of a full token bucket", Real(&e.tokens, 1, 1e6)},
		{"ratio", "of a token that a success gives back", Real(&e.ratio, 0, 1e6)},
		{"failures", "that open a breaker", Whole(&e.failures, 1, 100_000)},
		{"within", "time in which they must come", Time(&e.within, time.Millisecond, 24*time.Hour)},
		{"probe", "least time between probes of an open breaker", Time(&e.probe, time.Millisecond, 24*time.Hour)},
		{"k", "K of the throttle", Real(&e.k, 1, 1e6)},
		{"memory", "of the throttle", Time(&e.memory, time.Second, 24*time.Hour)},
		{"after", "Retry-After of the server's errors", Time(&e.after, time.Second, 24*time.Hour)},
	}...)
}

// variant is a way to deal with an outage.
type variant struct {
	name, about string
	published   func(*layers) float64 // the load in a full outage; nil: none was published
	change      func(e *layers, config *crowd.Config, spec *server.Spec)
}

// variants change layers that all make all attempts.
var variants = []variant{
	{"once", "nobody tries again", func(*layers) float64 { return 1 }, func(e *layers, c *crowd.Config, _ *server.Spec) { c.Layers = nil }},
	{"one", "one layer only", func(e *layers) float64 { return float64(e.attempts) }, func(e *layers, c *crowd.Config, _ *server.Spec) { c.Layers = c.Layers[:1] }},
	{"all", "all layers", func(e *layers) float64 { return power(e.attempts, e.layers) }, func(*layers, *crowd.Config, *server.Spec) {}},
	{"budget", "one layer, with a retry budget", func(e *layers) float64 { return 1 + e.share }, func(e *layers, c *crowd.Config, _ *server.Spec) {
		c.Layers = c.Layers[:1]
		e.budget(&c.Layers[0])
	}},
	{"budgets", "all layers, each with a budget", nil, func(e *layers, c *crowd.Config, _ *server.Spec) {
		for i := range c.Layers {
			e.budget(&c.Layers[i])
		}
	}},
	{"bucket", "all layers, each with the token bucket of gRPC", nil, func(e *layers, c *crowd.Config, _ *server.Spec) {
		for i := range c.Layers {
			c.Layers[i].Bucket = crowd.Bucket{Size: e.tokens, Ratio: e.ratio}
		}
	}},
	{"breaker", "all layers, a circuit breaker before the server", nil, func(e *layers, c *crowd.Config, _ *server.Spec) {
		last(c).Rules = shared.Rules{Failures: e.failures, Within: e.within, Probe: e.probe}
	}},
	{"throttle", "all layers, client throttling before the server", nil, func(e *layers, c *crowd.Config, _ *server.Spec) {
		last(c).Throttle = crowd.Throttle{K: e.k, Window: e.memory}
	}},
	{"after", "all layers, the server's errors carry Retry-After", nil, func(e *layers, _ *crowd.Config, s *server.Spec) { s.After = e.after }},
}

func last(c *crowd.Config) *crowd.Layer { return &c.Layers[len(c.Layers)-1] }

func power(base, exponent int) float64 {
	product := 1.0
	for range exponent {
		product *= float64(base)
	}
	return product
}

// budget gives a layer one whose retries are that share of the first attempts.
func (e *layers) budget(l *crowd.Layer) {
	l.Rules = shared.Rules{Budgeted: true, Percent: 100 * e.share / (1 + e.share), PerMinute: -1, Window: e.window}
}

// run simulates one variant.
func (e *layers) run(ctx context.Context, v variant, seed uint64) *episode {
	config := crowd.Config{Rate: e.rate, Timeout: e.timeout, Every: 200 * time.Millisecond}
	for range e.layers {
		config.Layers = append(config.Layers, crowd.Layer{Limit: e.limit, Attempts: e.attempts, Backoff: e.tries.backoff()})
	}
	outage := server.Outage{From: e.from, To: e.from + e.length}
	outage.Mode, _ = server.ParseMode(e.mode)
	spec := server.Spec{Slots: e.slots, Response: e.response, Queue: e.queue, Refusal: e.refusal, Outages: []server.Outage{outage}}
	v.change(e, &config, &spec)
	return experience(ctx, seed, config, spec, outage.To+e.watch)
}

// chosen is the variants to compare.
func (e *layers) chosen() []variant {
	var list []variant
	for _, name := range e.variants {
		list = append(list, variants[slices.IndexFunc(variants, func(v variant) bool { return v.name == name })])
	}
	return list
}

// report runs the variants.
func (e *layers) report(ctx context.Context, runs herd.Runs) *Report {
	list := e.chosen()
	results := herd.Each(ctx, runs, len(list), func(ctx context.Context, point int, seed uint64) *episode {
		return e.run(ctx, list[point], seed)
	})
	r := &Report{Events: events(results)}
	t := Table{Name: "load", Title: fmt.Sprintf("an outage of %s, %v pieces of work a second", Brief(e.length), e.rate), Labels: []string{"variant"},
		Columns: []Column{{Name: "load in the outage"}, {Name: "load", Published: true}, {Name: "recovery", Unit: "s"}, {Name: "done", Unit: "%"}, {Name: "wasted", Unit: "%"}, {Name: "idle", Unit: "%"}, {Name: "p99", Unit: "s"}}}
	sent := Figure{Name: "load", Title: "requests that reach the server", X: Axis{Label: "time (s)"}, Y: Axis{Label: "requests per second", Log: true}}
	done := Figure{Name: "done", Title: "work done", X: Axis{Label: "time (s)"}, Y: Axis{Label: "pieces of work per second"}}
	for i, v := range list {
		load := sample(results[i], func(w *episode) float64 { return w.LoadBetween(w.From+e.length/3, w.To) })
		published := herd.Sample(nil)
		if v.published != nil {
			published = herd.Sample{v.published(e)}
			r.Comparisons = append(r.Comparisons, Comparison{"load in a full outage, " + v.about, published[0], load})
		}
		t.Rows = append(t.Rows, Row{[]string{v.name}, append([]herd.Sample{load, published}, measures(results[i])...)})
		sent.Lines = append(sent.Lines, rates(v.name, results[i], func(e *episode) *herd.Series { return &e.Sent }))
		done.Lines = append(done.Lines, rates(v.name, results[i], func(e *episode) *herd.Series { return &e.Finished }))
	}
	r.Tables, r.Figures = append(r.Tables, t), append(r.Figures, sent, done)
	return r
}

// measures is the columns of the table after the load.
func measures(list []*episode) []herd.Sample {
	return []herd.Sample{
		sample(list, func(e *episode) float64 { return e.Settled(e.From, e.To, window) }),
		sample(list, func(e *episode) float64 { return 100 * float64(e.Done) / float64(e.Begun) }),
		sample(list, func(e *episode) float64 { return 100 * e.Waste() }),
		sample(list, func(e *episode) float64 { return 100 * e.Idle.Seconds() / e.Until.Seconds() }),
		sample(list, func(e *episode) float64 { return e.Took.Percentile(99).Seconds() }),
	}
}
