package experiment

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"ftsh/backoff"
	"ftsh/cmd/ftshsim/herd"
	"ftsh/cmd/ftshsim/herd/spread"
)

// contention is the optimistic writers of AWS 2015: each reads a version and
// writes; the write succeeds if nobody has written in between.
type contention struct {
	Clients  []int            `default:"1,10,20,50,100,150,190,200" range:"1 100000" help:"writers"`
	Policies []backoff.Policy `help:"besides none"`
	Network  spread.Time      `default:"normal 10ms 2ms" help:"delay of a message"`
	Base     time.Duration    `default:"5ms" range:"0s 8760h" help:"the first wait is base·F, as the article counts"`
	_        struct{}         `help:"(decorrelated, fixed: base)"`
	Cap      time.Duration    `default:"2s" range:"0s 8760h" help:"cap M of the waits"`
	Factor   float64          `long:"by" default:"2" range:"0 1000" help:"factor F"`
	Jitter   float64          `default:"0.1" range:"0 1000" help:"J of the policy normal"`
}

// articleBackoff returns what the article's simulator does: it counts attempts from 1, so
// that the first wait is base·F where the shell's would be T.
func (e *contention) articleBackoff(p backoff.Policy) backoff.Backoff {
	initial := e.Base
	if p != backoff.Decorrelated && p != backoff.Fixed {
		initial = time.Duration(float64(initial) * e.Factor)
	}
	return backoff.Backoff{
		Policy: p, Initial: trueZero(initial), Max: trueZero(e.Cap), Factor: trueZero(e.Factor), Jitter: trueZero(e.Jitter)}
}

// simulate simulates writers by the policy of that number; 0: without any backoff.
func (e *contention) simulate(ctx context.Context, policy, writers int, seed uint64) run {
	sim := herd.New(seed)
	plan := backoff.Plan{Deadline: backoff.Never, Attempts: backoff.Unlimited}
	if policy > 0 {
		plan.Backoff = e.articleBackoff(e.Policies[policy-1])
	}
	send := func(wait time.Duration, arrived func()) { // over the network
		sim.AfterFunc(sim.Now()+wait+e.Network.Draw(sim.Dice()), arrived)
	}
	version, left, writes, took := 0, writers, 0, time.Duration(0)
	for range writers {
		loop := backoff.NewLoop(plan, sim.Dice())
		loop.Begin(0)
		read, begin := 0, (func(time.Duration))(nil)
		again := func() {
			at := sim.Now()
			if policy > 0 {
				at, _ = loop.Failed(at, 0)
				loop.Begin(at)
			}
			begin(at - sim.Now())
		}
		write := func() {
			writes++
			if read != version {
				send(0, again)
				return
			}
			version++
			if left--; left == 0 {
				took = sim.Now() + e.Network.Draw(sim.Dice()) // when its client hears of it
			}
		}
		begin = func(wait time.Duration) {
			send(wait, func() {
				read = version
				send(0, func() { send(0, write) })
			})
		}
		begin(0)
	}
	_ = sim.Run(ctx, nil, herd.Horizon-1)
	return run{events: sim.Events(), values: map[string]float64{
		"writes": float64(writes), "time": float64(took) / float64(time.Millisecond)}}
}

// report runs all policies, and none at all.
func (e *contention) report(ctx context.Context, runs herd.Runs, r *Report) {
	names := []string{"none"}
	for _, p := range e.Policies {
		names = append(names, p.String())
	}
	g := r.simulate(ctx, runs, names, numbersOf("%d", e.Clients), func(ctx context.Context, p, n int, seed uint64) run {
		return e.simulate(ctx, p, e.Clients[n], seed)
	})
	for _, what := range [][3]string{{"writes", "writes", ""}, {"time", "time (ms)", " (ms)"}} {
		title := what[0] + " until all have written" + what[2]
		g.tabulateNames("policy", what[0], Table{Name: what[0], Title: title + ", by number of writers"})
		g.draw(Figure{Name: what[0], Title: title, X: Axis{Label: "writers"}, Y: Axis{Label: what[1], Log: true}}, what[0],
			nil)
	}
	e.comparePublished(g)
}

// comparePublished puts the article's experiment beside ours, recomputed with its simulator, 100 runs each.
func (e *contention) comparePublished(g *grid) {
	of := func(column int, key, unit string) quantity {
		return quantity{key: key, unit: unit,
			published: func(name, number int) float64 {
				for _, row := range readPublished("aws2015") {
					if row[0] == g.numbers.names[number] && row[1] == g.names[name] {
						v, _ := strconv.ParseFloat(row[column], 64)
						return v
					}
				}
				return math.NaN()
			},
			said: func(name, number int) string {
				what := strings.TrimSuffix(key+" in "+unit, " in ")
				return fmt.Sprintf("AWS 2015: %s writers, %s, %s", g.numbers.names[number], g.names[name], what)
			}}
	}
	list := []quantity{of(2, "time", "ms"), of(3, "writes", "")}
	var rows []part
	for _, row := range readPublished("aws2015") {
		name, number := slices.Index(g.names, row[1]), slices.Index(g.numbers.names, row[0])
		if name < 0 || number < 0 {
			continue
		}
		rows = append(rows, part{labels: row[:2], name: name, number: number})
		for i := range list {
			g.compare(&list[i], name, number)
		}
	}
	g.tabulate(Table{Name: "published", Title: "beside the article's", Labels: []string{"writers", "policy"}},
		rows, asColumns(list))
}
