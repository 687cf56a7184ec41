package experiment

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"time"

	"ftsh/cmd/ftshsim/herd"
	"ftsh/cmd/ftshsim/herd/crowd"
	"ftsh/cmd/ftshsim/herd/measure"
	"ftsh/cmd/ftshsim/herd/server"
)

// study is an experiment, or a part of one: what is simulated, with many seeds each, and what is shown of it.
type study struct {
	names []string // of what is compared: policies, disciplines, variants
	along numbers  // with each of these
	run   func(ctx context.Context, name, number int, seed uint64) run
	show  func(g *grid)
}

// numbers are the points of the axis along which an experiment varies one thing.
type numbers struct {
	names []string  // in tables
	at    []float64 // in figures
}

// alone is one number for experiments that vary nothing but the names.
var alone = numbers{[]string{""}, []float64{0}}

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
	series map[string]*measure.Series
	curves map[string]Line
}

// episode is what a crowd does before, during and after the first outage of its server, until that time.
type episode struct {
	clients crowd.Config
	server  server.Spec
	until   time.Duration
}

// episodes simulates an episode for each name with each number.
func episodes(of func(name, number int) episode) func(ctx context.Context, name, number int, seed uint64) run {
	return func(ctx context.Context, name, number int, seed uint64) run {
		e, sim := of(name, number), herd.New(seed)
		t := crowd.New(sim, e.clients, e.server).Run(ctx, e.until)
		t.Sent.Cut(t.Until)
		t.Finished.Cut(t.Until)
		t.InFlight.Cut(t.Until)
		var outage server.Outage
		if len(e.server.Outages) > 0 {
			outage = e.server.Outages[0]
		}
		from, to, one := outage.From, outage.To, &t.PerServer[0]
		recovery, recovered := t.Recovery(0, from, to), 0.0
		if recovery >= 0 {
			recovered = 100
		}
		return run{events: sim.Events(), values: map[string]float64{
			"begun": float64(t.Begun), "done": float64(t.Done), "done share": 100 * float64(t.Done) / float64(t.Begun),
			"throughput": float64(t.Done) / t.Until.Seconds(), "recovery": recovery, "recovered": recovered,
			"extension": 1 + recovery/(to-from).Seconds(), "settled": t.Settled(from, to),
			"done before": t.Finished.Between(from/2, from) / (from - from/2).Seconds(),
			"done last":   t.Finished.Between(t.Until-time.Minute, t.Until) / time.Minute.Seconds(),
			"load":        t.Load(), "load meanwhile": t.LoadBetween(from+(to-from)/3, to), "per success": t.PerSuccess(),
			"wasted": 100 * one.Waste(), "idle": 100 * one.Idle.Seconds() / t.Until.Seconds(),
			"most": t.InFlight.Highest(0, t.Until), "median": t.Percentile(50), "p99": t.Percentile(99),
			"fairness": measure.Fairness(t.PerClient),
		}, series: map[string]*measure.Series{"sent": &t.Sent, "done": &t.Finished, "in flight": &t.InFlight}}
	}
}

// grid holds the runs of a study: of each name with each number.
type grid struct {
	*Report
	study
	runs [][]run // by name, then by number
}

// simulate runs a study, the part of that number of all of a report.
func (r *Report) simulate(ctx context.Context, runs herd.Runs, s study, part, parts int) *grid {
	if told := runs.Progress; told != nil {
		runs.Progress = func(done, all int) { told(part*all+done, parts*all) }
	}
	n := len(s.along.names)
	g := &grid{r, s, herd.Each(ctx, runs, len(s.names)*n, func(ctx context.Context, point int, seed uint64) run {
		return s.run(ctx, point/n, point%n, seed)
	})}
	for _, list := range g.runs {
		for _, one := range list {
			r.Events += one.events
		}
	}
	return g
}

func (g *grid) point(name, number int) []run { return g.runs[name*len(g.along.names)+number] }

// sample returns a value of all runs of a point.
func (g *grid) sample(name, number int, key string) (s measure.Sample) {
	for _, one := range g.point(name, number) {
		s = append(s, one.values[key])
	}
	return s
}

// first returns a curve of the first run of a point.
func (g *grid) first(name, number int, key, called string) (l Line) {
	if list := g.point(name, number); len(list) > 0 {
		l = list[0].curves[key]
	}
	l.Name = called
	return l
}

// compare puts what was published of a point, unless that is NaN, beside ours.
func (g *grid) compare(what string, published float64, name, number int, key string) {
	if !math.IsNaN(published) {
		g.Comparisons = append(g.Comparisons, Comparison{what, published, g.sample(name, number, key)})
	}
}

// quantity is something that is measured of a run, and perhaps was published.
type quantity struct {
	key, unit string
	name      string                         // in tables; "": the key
	why       string                         // a row of it may have no value; "": it never came
	published func(name, number int) float64 // NaN: nothing of this point. nil: nothing of any
}

// part is a row or a column of a table. A row and a column together say what stands in a cell.
type part struct {
	labels       []string
	name, number int       // of the point; 0: the other one has it
	of           *quantity // nil: the other one has it
}

// points are parts for each of the numbers, the names, or both, as far as they are not nil.
func points(numbers, names []string, of *quantity) (list []part) {
	for number := range max(len(numbers), 1) {
		for name := range max(len(names), 1) {
			p := part{name: name, number: number, of: of}
			if numbers != nil {
				p.labels = append(p.labels, numbers[number])
			}
			if names != nil {
				p.labels = append(p.labels, names[name])
			}
			list = append(list, p)
		}
	}
	return list
}

// columnsOf are columns of quantities, which have their units.
func columnsOf(list ...quantity) (columns []part) {
	for i := range list {
		columns = append(columns, part{labels: []string{cmp.Or(list[i].name, list[i].key)}, of: &list[i]})
	}
	return columns
}

// rowsOf are rows of quantities, with the units behind their names.
func rowsOf(list []quantity) []part {
	rows := columnsOf(list...)
	for _, row := range rows {
		if unit := row.of.unit; unit != "" {
			row.labels[0] += " (" + unit + ")"
		}
	}
	return rows
}

// tabulate adds a table. more are rows that nobody measured.
func (g *grid) tabulate(t Table, rows, columns []part, more ...Row) {
	for _, column := range columns {
		c, of := Column{Name: column.labels[0]}, column.of
		if of != nil {
			c.Unit = of.unit
		} else {
			of = rows[0].of
		}
		if t.Columns = append(t.Columns, c); of.published != nil {
			c.Published = true
			t.Columns = append(t.Columns, c)
		}
	}
	for _, row := range rows {
		line := Row{Labels: row.labels}
		if row.of != nil {
			line.Why = row.of.why
		}
		for _, column := range columns {
			of, name, number := cmp.Or(row.of, column.of), row.name+column.name, row.number+column.number
			line.Values = append(line.Values, g.sample(name, number, of.key))
			if of.published == nil {
				continue
			}
			var published measure.Sample
			if v := of.published(name, number); !math.IsNaN(v) {
				published = measure.Sample{v}
			}
			line.Values = append(line.Values, published)
		}
		t.Rows = append(t.Rows, line)
	}
	t.Rows = append(t.Rows, more...)
	g.Tables = append(g.Tables, t)
}

// tabulateNames adds a table of a value with a row for each name and a column for each number.
func (g *grid) tabulateNames(label, key string, t Table, more ...Row) {
	t.Labels = []string{label}
	g.tabulate(t, points(nil, g.names, &quantity{key: key}), points(g.along.names, nil, nil), more...)
}

// draw adds a figure with a curve of a value for each name; dots is what was published of it, if anything was.
func (g *grid) draw(f Figure, key string, dots func(name string) Line) {
	for name, of := range g.names {
		line := Line{Name: of}
		for number, x := range g.along.at {
			if s := g.sample(name, number, key); s.Known() > 0 {
				line.addPoint(x, s...)
			}
		}
		if dots != nil {
			published := dots(of)
			published.Name = of + ", published"
			f.Lines = append(f.Lines, published)
		}
		f.Lines = append(f.Lines, line)
	}
	g.Figures = append(g.Figures, f)
}

// sweep adds the table, the figure and the comparisons of a value of which a curve for each name was published. A
// published point belongs to one of ours if it is not further away than within.
func (g *grid) sweep(key, source, file string, within float64, f Figure) {
	curve := func(name string) Line { return publishedCurve(file + name) }
	q := quantity{key: key, published: func(name, number int) float64 {
		return curve(g.names[name]).near(g.along.at[number], within)
	}}
	f.Name = key
	g.tabulate(Table{Name: key, Title: f.Title, Labels: []string{f.X.Label}}, points(g.along.names, nil, nil),
		points(nil, g.names, &q))
	g.draw(f, key, curve)
	for name, of := range g.names {
		for number, n := range g.along.names {
			g.compare(fmt.Sprintf("%s: %s, %s, %s %s", source, f.Title, of, n, f.X.Label), q.published(name, number),
				name, number, key)
		}
	}
}

// drawRates adds a figure with the average of a series over the runs, per second, for each name.
func (g *grid) drawRates(key string, f Figure) {
	f.X = seconds
	for name, of := range g.names {
		var all []*measure.Series
		for _, one := range g.point(name, 0) {
			all = append(all, one.series[key])
		}
		line, mean := Line{Name: of}, measure.Average(all)
		for i, v := range mean.Values {
			line.addPoint(float64(i)*mean.Every.Seconds(), v*(1/mean.Every.Seconds()))
		}
		f.Lines = append(f.Lines, line)
	}
	g.Figures = append(g.Figures, f)
}
