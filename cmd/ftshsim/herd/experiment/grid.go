package experiment

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"ftsh/cmd/ftshsim/herd"
	"ftsh/cmd/ftshsim/herd/measure"
)

// run holds what was measured of one simulation, by name.
type run struct {
	events uint64
	values map[string]float64
	series map[string]*measure.Series
	curves map[string]Line
}

// numbers are the points of the axis along which an experiment varies one thing.
type numbers struct {
	names []string  // in tables
	at    []float64 // in figures
}

// alone is one number for experiments that vary nothing but the names.
var alone = numbers{[]string{""}, []float64{0}}

// numbersOf names numbers by a format.
func numbersOf(format string, list []int) (all numbers) {
	for _, n := range list {
		all.names, all.at = append(all.names, fmt.Sprintf(format, n)), append(all.at, float64(n))
	}
	return all
}

// grid is all points of an experiment, each name (a policy, a discipline, a variant) with each number (of clients, of
// seconds), and what the runs of each have given.
type grid struct {
	*Report
	names   []string
	numbers numbers
	runs    [][]run // by name, then by number
}

// simulate runs all points.
func (r *Report) simulate(ctx context.Context, runs herd.Runs, names []string, along numbers,
	one func(ctx context.Context, name, number int, seed uint64) run) *grid {
	n := len(along.names)
	results := herd.Each(ctx, runs, len(names)*n, func(ctx context.Context, point int, seed uint64) run {
		return one(ctx, point/n, point%n, seed)
	})
	for _, list := range results {
		for _, one := range list {
			r.Events += one.events
		}
	}
	return &grid{r, names, along, results}
}

// asPart tells the progress of one of several grids as a part of the whole.
func asPart(runs herd.Runs, part, parts int) herd.Runs {
	if told := runs.Progress; told != nil {
		runs.Progress = func(done, all int) { told(part*all+done, parts*all) }
	}
	return runs
}

// point returns the runs of a point.
func (g *grid) point(name, number int) []run { return g.runs[name*len(g.numbers.names)+number] }

// sample returns a value of all runs of a point.
func (g *grid) sample(name, number int, key string) (s measure.Sample) {
	for _, one := range g.point(name, number) {
		s = append(s, one.values[key])
	}
	return s
}

// first returns a curve of the first run of a point.
func (g *grid) first(name, number int, key string) (l Line) {
	if list := g.point(name, number); len(list) > 0 {
		l = list[0].curves[key]
	}
	l.Name = key
	return l
}

// quantity is something that is measured of a run, and perhaps was published.
type quantity struct {
	key, unit string
	name      string // in tables; "": the key
	// published returns what was; NaN: nothing of this point. nil: nothing of any.
	published func(name, number int) float64
	said      func(name, number int) string // what stands beside a published number in comparisons
}

// compare puts what was published of a point beside ours.
func (g *grid) compare(q *quantity, name, number int) {
	if v := q.published(name, number); !math.IsNaN(v) {
		g.Comparisons = append(g.Comparisons, Comparison{q.said(name, number), v, g.sample(name, number, q.key)})
	}
}

// part is a row or a column of a table. A row and a column together say what stands in a cell.
type part struct {
	labels       []string
	name, number int       // of the point; 0: the other one has it
	of           *quantity // nil: the other one has it
	unit, why    string    // of a column, and of a row
}

func (g *grid) eachName(of *quantity) (list []part) {
	for name, label := range g.names {
		list = append(list, part{labels: []string{label}, name: name, of: of})
	}
	return list
}

func (g *grid) eachNumber() (list []part) {
	for number, label := range g.numbers.names {
		list = append(list, part{labels: []string{label}, number: number})
	}
	return list
}

// eachPoint has each number and, below it, each name.
func (g *grid) eachPoint() (list []part) {
	for number, n := range g.numbers.names {
		for name, of := range g.names {
			list = append(list, part{labels: []string{n, of}, name: name, number: number})
		}
	}
	return list
}

func asColumns(list []quantity) (columns []part) {
	for i := range list {
		q := &list[i]
		columns = append(columns, part{labels: []string{cmp.Or(q.name, q.key)}, of: q, unit: q.unit})
	}
	return columns
}

// withoutValue says why what is not a time until something may have no value.
var withoutValue = map[string]string{"wasted": "the server did no work", "fairness": "nobody had an answer"}

// asRows are rows with the unit behind the name.
func asRows(list []quantity) (rows []part) {
	for i, column := range asColumns(list) {
		if column.unit != "" {
			column.labels[0] += " (" + column.unit + ")"
		}
		rows = append(rows, part{labels: column.labels, of: column.of, why: withoutValue[list[i].key]})
	}
	return rows
}

// tabulate adds a table. more are rows that nobody measured.
func (g *grid) tabulate(t Table, rows, columns []part, more ...Row) {
	for _, column := range columns {
		c, of := Column{Name: column.labels[0], Unit: column.unit}, column.of
		if of == nil && len(rows) > 0 {
			of = rows[0].of
		}
		if t.Columns = append(t.Columns, c); of != nil && of.published != nil {
			t.Columns = append(t.Columns, Column{Name: c.Name, Unit: c.Unit, Published: true})
		}
	}
	for _, row := range rows {
		line := Row{Labels: row.labels, Why: row.why}
		for _, column := range columns {
			of, name, number := cmp.Or(row.of, column.of), row.name+column.name, row.number+column.number
			if line.Values = append(line.Values, g.sample(name, number, of.key)); of.published != nil {
				line.Values = append(line.Values, publishedSample(of.published(name, number)))
			}
		}
		t.Rows = append(t.Rows, line)
	}
	t.Rows = append(t.Rows, more...)
	g.Tables = append(g.Tables, t)
}

// tabulateNames adds a table of a value with a row for each name and a column for each number.
func (g *grid) tabulateNames(label, key string, t Table, more ...Row) {
	t.Labels = []string{label}
	g.tabulate(t, g.eachName(&quantity{key: key}), g.eachNumber(), more...)
}

// draw adds a figure with a curve of a value for each name; dots is what was published of it, if anything was.
func (g *grid) draw(f Figure, key string, dots func(name string) Line) {
	for name, of := range g.names {
		line := Line{Name: of}
		for number, x := range g.numbers.at {
			if s := g.sample(name, number, key); s.Known() > 0 {
				line.addPoint(x, s)
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
	q := quantity{key: key,
		published: func(name, number int) float64 { return curve(g.names[name]).near(g.numbers.at[number], within) },
		said: func(name, number int) string {
			return fmt.Sprintf("%s: %s, %s, %s %s", source, f.Title, g.names[name], g.numbers.names[number], f.X.Label)
		}}
	f.Name = key
	g.tabulate(Table{Name: key, Title: f.Title, Labels: []string{f.X.Label}}, g.eachNumber(), g.eachName(&q))
	g.draw(f, key, curve)
	for name := range g.names {
		for number := range g.numbers.names {
			g.compare(&q, name, number)
		}
	}
}

// drawRates adds a figure with the average of a series over the runs, per second, for each name.
func (g *grid) drawRates(key string, f Figure) {
	f.X.Label = "time (s)"
	for name, of := range g.names {
		var all []*measure.Series
		for _, one := range g.point(name, 0) {
			all = append(all, one.series[key])
		}
		mean := measure.Average(all)
		f.Lines = append(f.Lines, seriesCurve(of, mean, 1/mean.Every.Seconds()))
	}
	g.Figures = append(g.Figures, f)
}
