package experiment

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"ftsh/backoff"
	"ftsh/backoff/shared"
	"ftsh/cmd/ftshsim/herd"
	"ftsh/cmd/ftshsim/herd/crowd"
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

func newLayers() *layers {
	return &layers{tries: tries{backoff.Full, waits{Initial: 50 * time.Millisecond, Max: time.Second}}}
}

// variant is a way to deal with an outage, a change to layers that all make all attempts.
type variant struct {
	name, about string
	published   func(*layers) float64 // the load in a full outage; nil: none was published
	change      func(e *layers, all *[]crowd.Layer, s *server.Spec)
}

var variants = []variant{
	{"once", "nobody tries again", func(*layers) float64 { return 1 },
		func(_ *layers, all *[]crowd.Layer, _ *server.Spec) { *all = nil }},
	{"one", "one layer only", func(e *layers) float64 { return float64(e.Attempts) },
		func(_ *layers, all *[]crowd.Layer, _ *server.Spec) { *all = (*all)[:1] }},
	{"all", "all layers", func(e *layers) float64 { return math.Pow(float64(e.Attempts), float64(e.Layers)) },
		func(*layers, *[]crowd.Layer, *server.Spec) {}},
	{"budget", "one layer, with a retry budget", func(e *layers) float64 { return 1 + e.Share },
		func(e *layers, all *[]crowd.Layer, _ *server.Spec) {
			*all = (*all)[:1]
			(*all)[0].Rules = e.budget()
		}},
	{"budgets", "all layers, each with a budget", nil, func(e *layers, all *[]crowd.Layer, _ *server.Spec) {
		for i := range *all {
			(*all)[i].Rules = e.budget()
		}
	}},
	{"bucket", "all layers, each with the token bucket of gRPC", nil,
		func(e *layers, all *[]crowd.Layer, _ *server.Spec) {
			for i := range *all {
				(*all)[i].Bucket = crowd.Bucket{Size: e.Tokens, Ratio: e.Ratio}
			}
		}},
	{"breaker", "all layers, a circuit breaker before the server", nil,
		func(e *layers, all *[]crowd.Layer, _ *server.Spec) {
			(*all)[e.Layers-1].Rules = shared.Rules{Failures: int32(e.Failures), Within: e.Within, Probe: e.Probe}
		}},
	{"throttle", "all layers, client throttling before the server", nil,
		func(e *layers, all *[]crowd.Layer, _ *server.Spec) {
			(*all)[e.Layers-1].Throttle = crowd.Throttle{K: e.K, Window: e.Memory}
		}},
	{"after", "all layers, the server's errors carry Retry-After", nil,
		func(e *layers, _ *[]crowd.Layer, s *server.Spec) { s.After = e.After }},
}

// listVariants lists them for the help.
func listVariants() (text string) {
	for _, v := range variants {
		text += fmt.Sprintf("\n  %-9s %s", v.name, v.about)
	}
	return "\n" + text
}

// budget lets retries be that share of the first attempts.
func (e *layers) budget() shared.Rules {
	return shared.Rules{Budgeted: true, Percent: 100 * e.Share / (1 + e.Share), PerMinute: -1, Window: e.Window}
}

// simulate simulates one variant.
func (e *layers) simulate(ctx context.Context, v variant, seed uint64) run {
	config := crowd.Config{Rate: e.Rate, Timeout: e.Timeout, Every: 200 * time.Millisecond}
	for range e.Layers {
		config.Layers = append(config.Layers, crowd.Layer{Limit: e.Limit, Attempts: e.Attempts, Backoff: e.backoffOf()})
	}
	outage := server.Outage{From: e.At, To: e.At + e.Length, Mode: e.Mode}
	spec := server.Spec{Slots: e.Slots, Response: e.Response, Queue: e.Queue, Refusal: e.Refusal,
		Outages: []server.Outage{outage}}
	v.change(e, &config.Layers, &spec)
	return episode(ctx, seed, config, spec, outage.To+e.Watch)
}

// report runs the variants that were chosen.
func (e *layers) report(ctx context.Context, runs herd.Runs, r *Report) {
	var list []variant
	for _, name := range e.Variants {
		list = append(list, variants[slices.IndexFunc(variants, func(v variant) bool { return v.name == name })])
	}
	g := r.simulate(ctx, runs, e.Variants, alone, func(ctx context.Context, n, _ int, seed uint64) run {
		return e.simulate(ctx, list[n], seed)
	})
	load := quantity{key: "load meanwhile", name: "load in the outage",
		published: func(n, _ int) float64 {
			if list[n].published == nil {
				return math.NaN()
			}
			return list[n].published(e)
		},
		said: func(n, _ int) string { return "load in a full outage, " + list[n].about }}
	g.tabulate(Table{Name: "load", Labels: []string{"variant"},
		Title: fmt.Sprintf("an outage of %s, %v pieces of work a second", parameter.Brief(e.Length), e.Rate)},
		g.eachName(nil), asColumns([]quantity{load, {key: "settled", name: "recovery", unit: "s"},
			{key: "done share", name: "done", unit: "%"}, {key: "wasted", unit: "%"}, {key: "idle", unit: "%"},
			{key: "p99", unit: "s"}}))
	r.Tables[0].Columns[1].Name = "load" // as it was published
	for n := range list {
		g.compare(&load, n, 0)
	}
	g.drawRates("sent", Figure{Name: "load", Title: "requests that reach the server",
		Y: Axis{Label: "requests per second", Log: true}})
	g.drawRates("done", Figure{Name: "done", Title: "work done", Y: Axis{Label: "pieces of work per second"}})
}
