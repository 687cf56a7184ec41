package experiment

import (
	"context"
	"fmt"
	"time"

	"ftsh/cmd/ftshsim/herd"
	"ftsh/cmd/ftshsim/herd/crowd"
	"ftsh/cmd/ftshsim/herd/measure"
	"ftsh/cmd/ftshsim/herd/server"
)

// study is an experiment, or a part of one: what is simulated, with many seeds each.
type study struct {
	part   string   // the name of what is shown of it
	names  []string // of what is compared: policies, disciplines, variants
	along  numbers  // with each of these
	of     func(name, number int, sim *herd.Sim) episode
	said   []published   // besides that of the file
	within float64       // so far away from ours a published number may be
	curves int           // the number of which curves of first runs are shown
	before func(g *grid) // it may add to what the runs have measured
	after  func(g *grid) // it may add to what is shown
}

// numbers are the points of the axis along which an experiment varies one thing.
type numbers struct {
	names []string  // in tables
	at    []float64 // in figures
}

// alone is one number, for experiments that vary nothing but the names.
func alone(name string) numbers { return numbers{[]string{name}, []float64{0}} }

func numbersOf(format string, list []int) (all numbers) {
	for _, n := range list {
		all.names, all.at = append(all.names, fmt.Sprintf(format, n)), append(all.at, float64(n))
	}
	return all
}

func namesOf[P fmt.Stringer](list []P) (names []string) {
	for _, p := range list {
		names = append(names, p.String())
	}
	return names
}

// run holds what was measured of one simulation, by name.
type run struct {
	events uint64
	values map[string]float64
	curves map[string]Line
	series map[string]*measure.Series
}

// episode is what a crowd does before, during and after the first outage of its first server, until that time.
type episode struct {
	clients crowd.Config
	servers []server.Spec
	until   time.Duration
	beside  func(p *herd.Process)            // what else goes on; nil: nothing
	measure func(t *measure.Tally, one *run) // adds to what was measured; nil: nothing
}

// simulate simulates an episode.
func (e *episode) simulate(ctx context.Context, sim *herd.Sim) run {
	c := crowd.New(sim, e.clients, e.servers...)
	if e.beside != nil {
		sim.Go(e.beside)
	}
	t, outage := c.Run(ctx, e.until), server.Outage{}
	if len(e.servers) > 0 {
		t.Sent.Cut(t.Until)
		t.Finished.Cut(t.Until)
		t.InFlight.Cut(t.Until)
		outage = append(e.servers[0].Outages, outage)[0]
	}
	one := run{t.Events, valuesOf(t, outage.From, outage.To), map[string]Line{},
		map[string]*measure.Series{"sent": &t.Sent, "done": &t.Finished, "in flight": &t.InFlight}}
	if e.measure != nil {
		e.measure(t, &one)
	}
	return one
}

// valuesOf is what was measured of a crowd, before and after an outage.
func valuesOf(t *measure.Tally, from, to time.Duration) map[string]float64 {
	recovery, recovered, one := t.Recovery(0, from, to), 0.0, &t.PerServer[0]
	if recovery >= 0 {
		recovered = 100
	}
	return map[string]float64{
		"begun": float64(t.Begun), "done": float64(t.Done), "done share": 100 * float64(t.Done) / float64(t.Begun),
		"throughput": float64(t.Done) / t.Until.Seconds(), "recovery": recovery, "recovered": recovered,
		"extension": 1 + recovery/(to-from).Seconds(), "settled": t.Settled(from, to),
		"done before": t.Finished.Between(from/2, from) / (from - from/2).Seconds(),
		"done last":   t.Finished.Between(t.Until-time.Minute, t.Until) / time.Minute.Seconds(),
		"load":        t.Load(), "load meanwhile": t.LoadBetween(from+(to-from)/3, to), "per success": t.PerSuccess(),
		"wasted": 100 * one.Waste(), "idle": 100 * one.Idle.Seconds() / t.Until.Seconds(),
		"most": t.InFlight.Highest(0, t.Until), "median": t.Percentile(50), "p99": t.Percentile(99),
		"fairness": measure.Fairness(t.PerClient),
	}
}

// grid holds the runs of a study: of each name with each number.
type grid struct {
	*Report
	study
	published []published
	runs      [][]run // by name, then by number
}

// simulate runs a study, the part of that number of all of a report, and shows it.
func (r *Report) simulate(ctx context.Context, runs herd.Runs, s study, part, parts int) {
	if told := runs.Progress; told != nil {
		runs.Progress = func(done, all int) { told(part*all+done, parts*all) }
	}
	n := len(s.along.names)
	g := &grid{r, s, append(s.said, r.readPublished()...), herd.Each(ctx, runs, len(s.names)*n,
		func(ctx context.Context, point int, seed uint64) run {
			sim := herd.New(seed)
			e := s.of(point/n, point%n, sim)
			return e.simulate(ctx, sim)
		})}
	for _, list := range g.runs {
		for _, one := range list {
			r.Events += one.events
		}
	}
	g.show(r.readShown()[s.part])
}

// show adds tables, figures and comparisons to the report.
func (g *grid) show(what shown) {
	if g.before != nil {
		g.before(g)
	}
	for _, t := range what.Tables {
		g.tabulate(t)
	}
	for _, f := range what.Figures {
		g.draw(f)
	}
	g.comparePublished()
	if g.after != nil {
		g.after(g)
	}
}

func (g *grid) point(name, number int) []run { return g.runs[name*len(g.along.names)+number] }

// sample returns a value of all runs of a point.
func (g *grid) sample(name, number int, key string) (s measure.Sample) {
	for _, one := range g.point(name, number) {
		s = append(s, one.values[key])
	}
	return s
}

// means is the curve of a value by number.
func (g *grid) means(name int, key string) Line {
	line := Line{Name: g.names[name]}
	for number, x := range g.along.at {
		if s := g.sample(name, number, key); s.Known() > 0 {
			line.addPoint(x, s...)
		}
	}
	return line
}

// rates is the average of a series over the runs, per second.
func (g *grid) rates(name int, key string) Line {
	var all []*measure.Series
	for _, one := range g.point(name, 0) {
		all = append(all, one.series[key])
	}
	line, mean := Line{Name: g.names[name]}, measure.Average(all)
	for i, v := range mean.Values {
		line.addPoint(float64(i)*mean.Every.Seconds(), v*(1/mean.Every.Seconds()))
	}
	return line
}

// first is a curve of a first run.
func (g *grid) first(name int, key, called string) (l Line) {
	if list := g.point(name, g.curves); len(list) > 0 {
		l = list[0].curves[key]
	}
	l.Name = called
	return l
}
