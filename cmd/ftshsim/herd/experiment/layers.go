package experiment

import (
	"context"
	"fmt"
	"slices"
	"time"

	"ftsh/backoff"
	"ftsh/backoff/shared"
	"ftsh/cmd/ftshsim/herd"
	"ftsh/cmd/ftshsim/herd/crowd"
	"ftsh/cmd/ftshsim/herd/measure"
	"ftsh/cmd/ftshsim/herd/parameter"
	"ftsh/cmd/ftshsim/herd/server"
	"ftsh/cmd/ftshsim/herd/spread"
)

// layers is a server behind programs that call each other and all try again,
// and what can be done about the load that makes.
type layers struct {
	Variants []string      `choice:"once one all budget budgets bucket breaker throttle after" help:"to compare"`
	Rate     float64       `default:"500" range:"0.1 1e6" help:"pieces of work begun per second"`
	Layers   int           `default:"3" range:"1 8" help:"programs that try again, one calling the next"`
	Attempts int           `default:"4" range:"1 100" help:"of each layer"`
	Timeout  time.Duration `default:"1s" range:"1ms 1h" help:"of a request"`
	Limit    time.Duration `default:"30s" range:"1ms 24h" help:"of the try of each layer"`
	tries
	Slots    int           `default:"30" range:"1 1000000" help:"requests that the server works on at once"`
	Response spread.Time   `default:"exponential 50ms" help:"how long it takes for one"`
	Queue    int           `default:"400" range:"0 10000000" help:"requests that may wait for that"`
	Refusal  time.Duration `default:"500us" range:"0s 1h" help:"what refusing one costs, in time of a slot"`
	At       time.Duration `default:"30s" range:"1s 24h" help:"beginning of the outage"`
	Length   time.Duration `long:"outage" default:"30s" range:"1s 24h" help:"its length"`
	Mode     server.Mode   `default:"fail" help:"of the outage: refuse and fail answer with errors,"`
	_        struct{}      `help:"at once or after the usual time; hang never answers, freeze is SIGSTOP"`
	Watch    time.Duration `default:"1m" range:"1s 24h" help:"how long it goes on after the outage"`
	Share    float64       `default:"0.1" range:"0 1" help:"of retries that a budget allows, 0 to 1"`
	Window   time.Duration `default:"10s" range:"1ms 24h" help:"over which a budget counts"`
	Tokens   float64       `default:"10" range:"1 1e6" help:"of a full token bucket"`
	Ratio    float64       `default:"0.1" range:"0 1e6" help:"of a token that a success gives back"`
	Failures int           `default:"20" range:"1 100000" help:"that open a breaker"`
	Within   time.Duration `default:"1s" range:"1ms 24h" help:"time in which they must come"`
	Probe    time.Duration `default:"1s" range:"1ms 24h" help:"least time between probes of an open breaker"`
	K        float64       `default:"2" range:"1 1e6" help:"K of the throttle"`
	Memory   time.Duration `default:"2m" range:"1s 24h" help:"of the throttle"`
	After    time.Duration `default:"10s" range:"1s 24h" help:"Retry-After of the server's errors"`
}

// layersPreset is retries on several layers, and what keeps them in check.
func layersPreset() *Preset {
	e := &layers{tries: tries{backoff.Full, waits{Initial: 50 * time.Millisecond, Max: time.Second}}}
	about := "Programs call each other, and each tries again when the next one fails. " +
		"In an outage the attempts of all layers\n" +
		"multiply. Counted is the load: requests that reach the server " +
		"for each piece of work begun meanwhile. Budgets, breakers,\n" +
		"buckets and throttles are one for all clients of a layer, as on one machine; " +
		"real ones are often one per client. The variants:\n"
	for _, v := range variants {
		about += fmt.Sprintf("\n  %-9s %s", v.name, v.about)
	}
	return &Preset{
		Name: "layers", Seeds: 5,
		Title: "retries on three layers, and budgets, breakers and throttles against them (Google SRE, gRPC, Finagle)",
		About: about,
		Assumed: "Printed: 500 requests a second, 4 attempts on 3 layers, the shares, tokens, windows and K. " +
			"Chosen here and not fitted: the\n" +
			"server (--slots, --response, --queue, --refusal), the waits, the outage, and the breaker's numbers.",
		Parameters: parameter.Of(e), run: e.makeReport,
	}
}

// variant is a way to deal with an outage.
type variant struct {
	name, about string
	published   func(*layers) float64 // the load in a full outage; nil: none was published
	change      func(e *layers, config *crowd.Config, spec *server.Spec)
}

// variants change layers that all make all attempts.
var variants = []variant{
	{"once", "nobody tries again", func(*layers) float64 { return 1 },
		func(e *layers, c *crowd.Config, _ *server.Spec) { c.Layers = nil }},
	{"one", "one layer only", func(e *layers) float64 { return float64(e.Attempts) },
		func(e *layers, c *crowd.Config, _ *server.Spec) { c.Layers = c.Layers[:1] }},
	{"all", "all layers", func(e *layers) float64 { return powerOf(e.Attempts, e.Layers) },
		func(*layers, *crowd.Config, *server.Spec) {}},
	{"budget", "one layer, with a retry budget", func(e *layers) float64 { return 1 + e.Share },
		func(e *layers, c *crowd.Config, _ *server.Spec) {
			c.Layers = c.Layers[:1]
			e.setBudget(&c.Layers[0])
		}},
	{"budgets", "all layers, each with a budget", nil, func(e *layers, c *crowd.Config, _ *server.Spec) {
		for i := range c.Layers {
			e.setBudget(&c.Layers[i])
		}
	}},
	{"bucket", "all layers, each with the token bucket of gRPC", nil, func(e *layers, c *crowd.Config, _ *server.Spec) {
		for i := range c.Layers {
			c.Layers[i].Bucket = crowd.Bucket{Size: e.Tokens, Ratio: e.Ratio}
		}
	}},
	{"breaker", "all layers, a circuit breaker before the server", nil, func(e *layers, c *crowd.Config, _ *server.Spec) {
		lastLayer(c).Rules = shared.Rules{Failures: int32(e.Failures), Within: e.Within, Probe: e.Probe}
	}},
	{"throttle", "all layers, client throttling before the server", nil, func(e *layers, c *crowd.Config, _ *server.Spec) {
		lastLayer(c).Throttle = crowd.Throttle{K: e.K, Window: e.Memory}
	}},
	{"after", "all layers, the server's errors carry Retry-After", nil,
		func(e *layers, _ *crowd.Config, s *server.Spec) { s.After = e.After }},
}

func lastLayer(c *crowd.Config) *crowd.Layer { return &c.Layers[len(c.Layers)-1] }

func powerOf(base, exponent int) float64 {
	product := 1.0
	for range exponent {
		product *= float64(base)
	}
	return product
}

// setBudget gives a layer one whose retries are that share of the first attempts.
func (e *layers) setBudget(l *crowd.Layer) {
	l.Rules = shared.Rules{Budgeted: true, Percent: 100 * e.Share / (1 + e.Share), PerMinute: -1, Window: e.Window}
}

// simulateVariant simulates one variant.
func (e *layers) simulateVariant(ctx context.Context, v variant, seed uint64) *episode {
	config := crowd.Config{Rate: e.Rate, Timeout: e.Timeout, Every: 200 * time.Millisecond}
	for range e.Layers {
		config.Layers = append(config.Layers, crowd.Layer{Limit: e.Limit, Attempts: e.Attempts, Backoff: e.backoffOf()})
	}
	outage := server.Outage{From: e.At, To: e.At + e.Length, Mode: e.Mode}
	spec := server.Spec{Slots: e.Slots, Response: e.Response, Queue: e.Queue, Refusal: e.Refusal,
		Outages: []server.Outage{outage}}
	v.change(e, &config, &spec)
	return experience(ctx, seed, config, spec, outage.To+e.Watch)
}

// chosenVariants is the variants to compare.
func (e *layers) chosenVariants() []variant {
	var list []variant
	for _, name := range e.Variants {
		list = append(list, variants[slices.IndexFunc(variants, func(v variant) bool { return v.name == name })])
	}
	return list
}

// makeReport runs the variants.
func (e *layers) makeReport(ctx context.Context, runs herd.Runs) *Report {
	list := e.chosenVariants()
	results := herd.Each(ctx, runs, len(list), func(ctx context.Context, point int, seed uint64) *episode {
		return e.simulateVariant(ctx, list[point], seed)
	})
	r := &Report{Events: sumEvents(results)}
	title := fmt.Sprintf("an outage of %s, %v pieces of work a second", parameter.Brief(e.Length), e.Rate)
	t := Table{Name: "load", Title: title, Labels: []string{"variant"},
		Columns: []Column{{Name: "load in the outage"}, {Name: "load", Published: true}, {Name: "recovery", Unit: "s"},
			{Name: "done", Unit: "%"}, {Name: "wasted", Unit: "%"}, {Name: "idle", Unit: "%"}, {Name: "p99", Unit: "s"}}}
	sent := Figure{Name: "load", Title: "requests that reach the server",
		X: Axis{Label: "time (s)"}, Y: Axis{Label: "requests per second", Log: true}}
	done := Figure{Name: "done", Title: "work done",
		X: Axis{Label: "time (s)"}, Y: Axis{Label: "pieces of work per second"}}
	for i, v := range list {
		load := sampleOf(results[i], func(w *episode) float64 { return w.LoadBetween(w.From+e.Length/3, w.To) })
		published := measure.Sample(nil)
		if v.published != nil {
			published = measure.Sample{v.published(e)}
			r.Comparisons = append(r.Comparisons, Comparison{"load in a full outage, " + v.about, published[0], load})
		}
		t.Rows = append(t.Rows, Row{Labels: []string{v.name},
			Values: append([]measure.Sample{load, published}, measureColumns(results[i])...)})
		sent.Lines = append(sent.Lines, averageRates(v.name, results[i], func(e *episode) *measure.Series { return &e.Sent }))
		done.Lines = append(done.Lines,
			averageRates(v.name, results[i], func(e *episode) *measure.Series { return &e.Finished }))
	}
	r.Tables, r.Figures = append(r.Tables, t), append(r.Figures, sent, done)
	return r
}

// measureColumns is the columns of the table after the load.
func measureColumns(list []*episode) []measure.Sample {
	return []measure.Sample{
		sampleOf(list, func(e *episode) float64 { return e.Settled(e.From, e.To) }),
		sampleOf(list, func(e *episode) float64 { return 100 * float64(e.Done) / float64(e.Begun) }),
		sampleOf(list, func(e *episode) float64 { return 100 * e.PerServer[0].Waste() }),
		sampleOf(list, func(e *episode) float64 { return 100 * e.PerServer[0].Idle.Seconds() / e.Until.Seconds() }),
		sampleOf(list, func(e *episode) float64 { return e.Percentile(99) }),
	}
}
