package experiment

import (
	"fmt"
	"math"
	"slices"
	"time"

	"ftsh/backoff"
	"ftsh/backoff/shared"
	"ftsh/cmd/ftshsim/herd/crowd"
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

// variant is a way to deal with an outage.
type variant struct {
	name, about string
	layers      int                                                  // of those that there are, at most so many try again
	published   func(*layers) float64                                // the load in a full outage; nil: none was published
	change      func(e *layers, l *crowd.Layer, behind *server.Spec) // of each of them; behind is nil but for the last
}

const every = 8

var variants = []variant{
	{"once", "nobody tries again", 0, func(*layers) float64 { return 1 }, nil},
	{"one", "one layer only", 1, func(e *layers) float64 { return float64(e.Attempts) }, nil},
	{"all", "all layers", every,
		func(e *layers) float64 { return math.Pow(float64(e.Attempts), float64(e.Layers)) }, nil},
	{"budget", "one layer, with a retry budget", 1, func(e *layers) float64 { return 1 + e.Share }, (*layers).budget},
	{"budgets", "all layers, each with a budget", every, nil, (*layers).budget},
	{"bucket", "all layers, each with the token bucket of gRPC", every, nil,
		func(e *layers, l *crowd.Layer, _ *server.Spec) {
			l.Bucket = crowd.Bucket{Size: e.Tokens, Ratio: e.Ratio}
		}},
	{"breaker", "all layers, a circuit breaker before the server", every, nil,
		func(e *layers, l *crowd.Layer, behind *server.Spec) {
			if behind != nil {
				l.Rules = shared.Rules{Failures: int32(e.Failures), Within: e.Within, Probe: e.Probe}
			}
		}},
	{"throttle", "all layers, client throttling before the server", every, nil,
		func(e *layers, l *crowd.Layer, behind *server.Spec) {
			if behind != nil {
				l.Throttle = crowd.Throttle{K: e.K, Window: e.Memory}
			}
		}},
	{"after", "all layers, the server's errors carry Retry-After", every, nil,
		func(e *layers, _ *crowd.Layer, behind *server.Spec) {
			if behind != nil {
				behind.After = e.After
			}
		}},
}

// budget lets the retries of a layer be that share of the first attempts.
func (e *layers) budget(l *crowd.Layer, _ *server.Spec) {
	l.Rules = shared.Rules{Budgeted: true, Percent: 100 * e.Share / (1 + e.Share), PerMinute: -1, Window: e.Window}
}

func listVariants() (text string) {
	for _, v := range variants {
		text += fmt.Sprintf("\n  %-9s %s", v.name, v.about)
	}
	return "\n" + text
}

func (e *layers) studies() []study {
	var list []variant
	for _, name := range e.Variants {
		list = append(list, variants[slices.IndexFunc(variants, func(v variant) bool { return v.name == name })])
	}
	var said []published
	for _, v := range list {
		if v.published != nil {
			said = append(said, published{"load meanwhile", v.name, "", v.published(e), "load in a full outage, " + v.about})
		}
	}
	return []study{{part: "load", names: e.Variants, along: alone(""), said: said,
		run: episodes(func(n, _ int) episode { return e.episode(list[n]) })}}
}

func (e *layers) episode(v variant) episode {
	outage := server.Outage{From: e.At, To: e.At + e.Length, Mode: e.Mode}
	spec := server.Spec{Slots: e.Slots, Response: e.Response, Queue: e.Queue, Refusal: e.Refusal,
		Outages: []server.Outage{outage}}
	config := crowd.Config{Rate: e.Rate, Timeout: e.Timeout, Every: 200 * time.Millisecond}
	for n := range min(v.layers, e.Layers) {
		l := crowd.Layer{Limit: e.Limit, Attempts: e.Attempts, Backoff: e.with(e.Policy)}
		switch {
		case v.change == nil:
		case n == e.Layers-1:
			v.change(e, &l, &spec)
		default:
			v.change(e, &l, nil)
		}
		config.Layers = append(config.Layers, l)
	}
	return episode{config, spec, outage.To + e.Watch}
}
