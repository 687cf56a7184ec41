package experiment

import (
	"context"
	"strconv"
	"time"

	"ftsh/cmd/ftshsim/herd"
	"ftsh/cmd/ftshsim/herd/crowd"
	"ftsh/cmd/ftshsim/herd/measure"
	"ftsh/cmd/ftshsim/herd/server"
)

// quantity is something that is measured of a run.
type quantity[R any] struct {
	name, unit string
	measure    func(R) float64
}

// tableLabel returns its name in tables.
func (q quantity[R]) tableLabel() string {
	if q.unit == "" {
		return q.name
	}
	return q.name + " (" + q.unit + ")"
}

// withoutValue says why what is not a time until something may have no value.
var withoutValue = map[string]string{"wasted": "the server did no work", "fairness": "nobody had an answer"}

// quantities fills a table: a row for each quantity, a column for each variant
// of an experiment.
func quantities[R any](t Table, variants []string, list []quantity[R], results [][]R) Table {
	t.Labels = []string{"quantity"}
	for _, name := range variants {
		t.Columns = append(t.Columns, Column{Name: name})
	}
	for _, q := range list {
		row := Row{Labels: []string{q.tableLabel()}, Why: withoutValue[q.name]}
		for i := range variants {
			row.Values = append(row.Values, sampleOf(results[i], q.measure))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// addDisciplines adds a table to a report: a row for each number of clients and each discipline, a column for each
// quantity. results has all numbers of the first discipline, then those of the next.
func addDisciplines[R any](r *Report, t Table, clients []int, list []quantity[R], results [][]R) {
	t.Labels = append(t.Labels, "discipline")
	for _, q := range list {
		t.Columns = append(t.Columns, Column{Name: q.name, Unit: q.unit})
	}
	for at, n := range clients {
		for i, d := range disciplines {
			row := Row{Labels: []string{strconv.Itoa(n), d.String()}}
			for _, q := range list {
				row.Values = append(row.Values, sampleOf(results[i*len(clients)+at], q.measure))
			}
			t.Rows = append(t.Rows, row)
		}
	}
	r.Tables = append(r.Tables, t)
}

// episode holds what a crowd did before, during and after an outage of its
// server.
type episode struct {
	*measure.Tally
	server.Outage
	events uint64
}

// experience simulates an episode that ends at that time.
func experience(ctx context.Context, seed uint64, config crowd.Config, spec server.Spec, until time.Duration) *episode {
	sim := herd.New(seed)
	tally := crowd.New(sim, config, spec).Run(ctx, until)
	e := &episode{Tally: tally, events: sim.Events()}
	if len(spec.Outages) > 0 {
		e.Outage = spec.Outages[0]
	}
	return e
}

// usualRate is the work done per second before the outage, its first half left out.
func (e *episode) usualRate() float64 {
	return e.Finished.Between(e.From/2, e.From) / (e.From - e.From/2).Seconds()
}

// recoveryTime is in seconds after the end of the outage, NaN for never.
func (e *episode) recoveryTime() float64 { return e.Recovery(0, e.From, e.To) }

// recovered is 1 if things went well again before the end.
func (e *episode) recovered() float64 {
	if e.recoveryTime() >= 0 {
		return 1
	}
	return 0
}

func (e *episode) eventCount() uint64 { return e.events }

// sumEvents sums up the events of all runs.
func sumEvents[R interface{ eventCount() uint64 }](results [][]R) (sum uint64) {
	for _, list := range results {
		for _, run := range list {
			sum += run.eventCount()
		}
	}
	return sum
}

// averageRates is a curve of a series, averaged over the runs, per second.
func averageRates(name string, list []*episode, series func(*episode) *measure.Series) Line {
	if len(list) == 0 {
		return Line{Name: name}
	}
	var all []*measure.Series
	for _, e := range list {
		s := series(e)
		s.Cut(e.Until)
		all = append(all, s)
	}
	mean := measure.Average(all)
	return seriesCurve(name, mean, 1/mean.Every.Seconds())
}

// aftermath holds what is worth knowing of an episode.
var aftermath = []quantity[*episode]{
	{"recovery", "s after the outage", (*episode).recoveryTime},
	{"work done before the outage", "/s", (*episode).usualRate},
	{"work done in the last minute", "/s", func(e *episode) float64 {
		return e.Finished.Between(e.Until-time.Minute, e.Until) / time.Minute.Seconds()
	}},
	{"done of what was begun", "%", func(e *episode) float64 { return 100 * float64(e.Done) / float64(e.Begun) }},
	{"requests per piece of work done", "", func(e *episode) float64 { return e.PerSuccess() }},
	{"load", "requests per piece of work", func(e *episode) float64 { return e.Load() }},
	{"wasted", "% of the server's work", func(e *episode) float64 { return 100 * e.PerServer[0].Waste() }},
	{"idle", "% of the time", func(e *episode) float64 { return 100 * e.PerServer[0].Idle.Seconds() / e.Until.Seconds() }},
	{"most requests in the server, its backlog included", "",
		func(e *episode) float64 { return e.InFlight.Highest(0, e.Until) }},
	{"a piece of work takes, median", "s", func(e *episode) float64 { return e.Percentile(50) }},
	{"99th percentile", "s", func(e *episode) float64 { return e.Percentile(99) }},
	{"fairness", "", func(e *episode) float64 { return measure.Fairness(e.PerClient) }},
}
