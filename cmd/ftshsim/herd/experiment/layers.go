package experiment

import (
	"math"
	"time"

	"ftsh/backoff"
	"ftsh/backoff/shared"
	"ftsh/cmd/ftshsim/herd"
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

// published is the load in a full outage that follows from what the sources say.
func (e *layers) published() (list []published) {
	attempts := float64(e.Attempts)
	for _, v := range []struct {
		name, about string
		load        float64
	}{
		{"once", "nobody tries again", 1}, {"one", "one layer only", attempts},
		{"all", "all layers", math.Pow(attempts, float64(e.Layers))},
		{"budget", "one layer, with a retry budget", 1 + e.Share},
	} {
		list = append(list, published{"load meanwhile", v.name, "", v.load, "load in a full outage, " + v.about})
	}
	return list
}

func (e *layers) studies() []study {
	return []study{{part: "load", names: e.Variants, along: alone(""), said: e.published(),
		of: func(n, _ int, _ *herd.Sim) episode { return e.episode(e.Variants[n]) }}}
}

func (e *layers) episode(variant string) episode {
	outage := server.Outage{From: e.At, To: e.At + e.Length, Mode: e.Mode}
	spec := server.Spec{Slots: e.Slots, Response: e.Response, Queue: e.Queue, Refusal: e.Refusal,
		Outages: []server.Outage{outage}}
	config := crowd.Config{Rate: e.Rate, Timeout: e.Timeout, Every: 200 * time.Millisecond}
	number := e.Layers // that try again
	switch variant {
	case "once":
		number = 0
	case "one", "budget":
		number = 1
	case "after":
		spec.After = e.After
	}
	for n := range number {
		l := crowd.Layer{Limit: e.Limit, Attempts: e.Attempts, Backoff: e.with(e.Policy)}
		switch last := n == e.Layers-1; {
		case variant == "budget", variant == "budgets":
			l.Rules = shared.Rules{Budgeted: true, Percent: 100 * e.Share / (1 + e.Share), PerMinute: -1, Window: e.Window}
		case variant == "bucket":
			l.Bucket = crowd.Bucket{Size: e.Tokens, Ratio: e.Ratio}
		case variant == "breaker" && last:
			l.Rules = shared.Rules{Failures: int32(e.Failures), Within: e.Within, Probe: e.Probe}
		case variant == "throttle" && last:
			l.Throttle = crowd.Throttle{K: e.K, Window: e.Memory}
		}
		config.Layers = append(config.Layers, l)
	}
	return episode{clients: config, servers: []server.Spec{spec}, until: outage.To + e.Watch}
}
