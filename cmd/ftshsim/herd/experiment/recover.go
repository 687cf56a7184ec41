package experiment

import (
	"fmt"
	"slices"
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

func (e *recovery) studies() (list []study) {
	for _, part := range e.Parts {
		list = append(list, map[string]func() study{
			"clients": e.sweepPolicies, "outages": e.compareChoices, "step": e.compareSteps}[part]())
	}
	return list
}

func (e *recovery) server(outages ...server.Outage) []server.Spec {
	return []server.Spec{{Slots: e.Slots, Response: e.Response, Refusal: e.Refusal, Outages: outages}}
}

// sweepPolicies is the first part: the work done against the number of clients.
func (e *recovery) sweepPolicies() study {
	return study{part: "clients", names: namesOf(e.Policies), along: numbersOf("%d", e.Clients), after: compareLast,
		of: func(p, n int, _ *herd.Sim) episode {
			return episode{clients: crowd.Config{Clients: e.Clients[n], Start: 10 * time.Second, Think: e.Think,
				Layers: []crowd.Layer{{Backoff: e.with(e.Policies[p])}}}, servers: e.server(), until: e.Limit}
		},
	}
}

// compareLast puts what is said of fixed and exponential waits with the most clients beside ours.
func compareLast(g *grid) {
	for p, name := range g.names {
		last, most := len(g.along.names)-1, 0.0
		for n := range g.along.names {
			most = max(most, g.sample(p, n, "throughput").Mean())
		}
		ours := g.sample(p, last, "throughput")
		for i := range ours {
			ours[i] = 100 * ours[i] / most
		}
		if said, is := map[string]float64{"fixed": 0, "ethernet": 100}[name]; is {
			g.Comparisons = append(g.Comparisons, Comparison{
				"Thain 2009: work done with the most clients, in % of the best, " + name, said, ours})
		}
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
		add(fmt.Sprintf("F %v", f), func(t *tries) { t.Factor = f })
	}
	for _, d := range e.OtherM {
		add("M "+parameter.Brief(d), func(t *tries) { t.Max = d })
	}
	return list, names
}

// compareChoices is the second part: the time to recover against the length of the outage, for each choice of T, F and
// M.
func (e *recovery) compareChoices() study {
	const before = time.Minute // the outage
	list, names := e.choices()
	var lengths numbers
	for _, d := range e.Outages {
		lengths.names, lengths.at = append(lengths.names, parameter.Brief(d)), append(lengths.at, d.Seconds())
	}
	return study{part: "outages", names: names, along: lengths,
		of: func(choice, n int, _ *herd.Sim) episode {
			outage := server.Outage{From: before, To: before + e.Outages[n], Mode: server.Refuse}
			layers := []crowd.Layer{{Backoff: list[choice].with(list[choice].Policy)}}
			return episode{clients: crowd.Config{Clients: e.Few, Think: e.Think, Layers: layers},
				servers: e.server(outage), until: before + 4*e.Outages[n] + time.Minute}
		},
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
func (e *recovery) compareSteps() study {
	return study{part: "step", names: namesOf(e.Steps), along: numbersOf("M %d·T", e.Caps),
		curves: max(slices.Index(e.Caps, 2), 0),
		of: func(p, n int, _ *herd.Sim) episode {
			waits := backoff.Backoff{Policy: e.Steps[p], Initial: e.Step, Factor: trueZero(e.Factor),
				Max: e.Step * time.Duration(e.Caps[n])}
			until := (settling + looked) * waits.Max
			return episode{clients: crowd.Config{Clients: e.Herd, Every: waits.Max / intervals,
				Layers: []crowd.Layer{{Backoff: waits}}}, until: until, measure: e.measureRhythm,
				servers: []server.Spec{{Outages: []server.Outage{{To: until + time.Second}}}}}
		}}
}

// measureRhythm adds how uneven the requests are in the last intervals.
func (e *recovery) measureRhythm(t *measure.Tally, one *run) {
	sent := t.Sent.Values
	last := sent[max(0, len(sent)-looked*intervals):]
	sum, most, empty, rhythm := 0.0, 0.0, 0.0, Line{}
	for n, v := range last {
		sum, most = sum+v, max(most, v)
		if v == 0 {
			empty++
		}
		rhythm.addPoint(float64(n)/intervals, v)
	}
	one.values["step"] = most / (sum / float64(len(last)))
	one.values["silence"] = 100 * empty / float64(len(last))
	one.values["at once"] = 100 * most / float64(e.Herd)
	one.curves["rhythm"] = rhythm
}
