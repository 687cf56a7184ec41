package simulate

import (
	"maps"
	"math"
	"slices"
	"time"

	"ftsh/backoff"
	"ftsh/cmd/ftshsim/herd/experiment"
	"ftsh/cmd/ftshsim/herd/measure"
	"ftsh/cmd/ftshsim/herd/parameter"
	"ftsh/cmd/ftshsim/world"
)

// quantity is a row of a table.
type quantity struct {
	name    string
	measure func(*Tally) float64
	none    string // why there is no value, where there is none
	people  bool   // it counts clients
	worth   int    // how much it is worth in a short table; 0: nothing
}

// sampleOf is something of all runs.
func sampleOf(runs []*Tally, of func(*Tally) float64) (s measure.Sample) {
	for _, t := range runs {
		s = append(s, of(t))
	}
	return s
}

// row is the row of a quantity, with a value for each variant.
func (q *quantity) row(results [][]*Tally) experiment.Row {
	row := experiment.Row{Labels: []string{q.name}, Why: q.none, People: q.people}
	for _, runs := range results {
		row.Values = append(row.Values, sampleOf(runs, q.measure))
	}
	return row
}

// shortRows says how many rows a short table has at most.
const shortRows = 8

// quantityTable has a row for each quantity, and a column for each variant. Those that are worth most are not folded.
func (c *Comparison) quantityTable(results [][]*Tally) experiment.Table {
	t := experiment.Table{Name: "run", Title: "What became of the clients, and of the requests",
		Labels: []string{"quantity"}}
	for _, v := range c.Variants {
		t.Columns = append(t.Columns, experiment.Column{Name: v.Name})
	}
	list := c.quantities(results)
	var places []int
	for n := range list {
		t.Rows = append(t.Rows, list[n].row(results))
		t.Rows[n].Folded = true
		if list[n].worth > 0 {
			places = append(places, n)
		}
	}
	slices.SortStableFunc(places, func(a, b int) int { return list[b].worth - list[a].worth })
	for _, n := range places[:min(shortRows, len(places))] {
		t.Rows[n].Folded = false
	}
	return t
}

// pairedTable is the differences of the variants to the first. They share seeds, and with them
// the moments at which clients start, so that a difference of two runs is surer than two means.
func pairedTable(of experiment.Table) experiment.Table {
	t := experiment.Table{Name: "difference", Title: "Compared with " + of.Columns[0].Name + ", run by run",
		Labels: of.Labels, Columns: of.Columns[1:], Signed: true}
	for _, row := range of.Rows {
		if row.Labels[0] == "clients" {
			continue
		}
		first := row.Values[0]
		row.Values = slices.Clone(row.Values[1:])
		for n, other := range row.Values {
			row.Values[n] = other.Minus(first)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// seenTable is what is predicted beside what was seen.
func (c *Comparison) seenTable(results [][]*Tally) experiment.Table {
	t := experiment.Table{Name: "seen", Title: "Predicted, beside what was seen", Labels: []string{"quantity"}}
	for _, v := range c.Variants {
		t.Columns = append(t.Columns, experiment.Column{Name: v.Name})
	}
	t.Columns = append(t.Columns, experiment.Column{Name: "seen"})
	if len(c.Variants) == 1 {
		t.Columns = append(t.Columns, experiment.Column{Name: "difference", Unit: "%"})
	}
	s := c.World.Seen
	for _, one := range []struct {
		quantity
		seen  float64
		known bool
	}{
		{people("clients", 0, func(t *Tally) int { return t.Wanted }), float64(s.Clients), true},
		{people("finished", 0, func(t *Tally) int { return t.Done }), float64(s.Finished), s.Finished >= 0},
		{finishing("median", 50, 0), s.Median.Seconds(), s.Median > 0},
		{finishing("95 %", 95, 0), s.P95.Seconds(), s.P95 > 0},
		{count("requests", 0, func(t *Tally) int { return t.Requests }), float64(s.Requests), true},
		{count("answered well", 0, func(t *Tally) int { return t.Good }), float64(s.Good), true},
		{quantity{name: "requests per success",
			measure: func(t *Tally) float64 { return float64(t.Requests) / float64(t.Good) }},
			float64(s.Requests) / float64(s.Good), s.Good > 0},
	} {
		if !one.known {
			continue
		}
		row := one.row(results)
		difference := 100 * (row.Values[0].Mean()/one.seen - 1)
		if row.Values = append(row.Values, measure.Sample{one.seen}); len(c.Variants) == 1 {
			row.Values = append(row.Values, measure.Sample{math.Round(10*difference) / 10})
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// count is a quantity that there always is, and people one that counts clients.
func count(name string, worth int, of func(*Tally) int) quantity {
	return quantity{name: name, worth: worth, measure: func(t *Tally) float64 { return float64(of(t)) }}
}

func people(name string, worth int, of func(*Tally) int) quantity {
	q := count(name, worth, of)
	q.people = true
	return q
}

func finishing(name string, percent float64, worth int) quantity {
	return quantity{name: "time to finish, " + name + " (s)", worth: worth,
		measure: func(t *Tally) float64 { return t.Percentile(percent) }}
}

// Why there is no value.
const (
	noAnswer = "no client had a good answer"
	nobody   = "nobody finished"
	noSlots  = "SPEC gives it no slots"
	noTime   = "no time passed"
)

func (c *Comparison) quantities(results [][]*Tally) []quantity {
	ever := func(is func(*Tally) bool) bool {
		return slices.ContainsFunc(results, func(runs []*Tally) bool { return slices.ContainsFunc(runs, is) })
	}
	list := []quantity{
		people("clients", 20, func(t *Tally) int { return t.Wanted }),
		people("finished", 99, func(t *Tally) int { return t.Done }),
	}
	reasons := map[string]bool{}
	for _, t := range slices.Concat(results...) {
		for why := range t.Failed {
			reasons[why] = true
		}
	}
	for n, why := range slices.Sorted(maps.Keys(reasons)) {
		list = append(list, people("failed: "+why, max(70-n, 1), func(t *Tally) int { return t.Failed[why] }))
	}
	running := people("still running at the end", 0, func(t *Tally) int { return t.Running })
	if ever(func(t *Tally) bool { return t.Running > 0 }) {
		running.worth = 75
	}
	list = append(list, running)
	if ever(func(t *Tally) bool { return t.Begun < t.Wanted }) {
		list = append(list, people("never begun before the end", 74, func(t *Tally) int { return t.Wanted - t.Begun }))
	}
	if ever(func(t *Tally) bool { return t.Done > 0 }) {
		list = append(list, finishing("median", 50, 78), finishing("95 %", 95, 0), finishing("99 %", 99, 0),
			finishing("the last", 100, 80), quantity{name: "time to finish, mean (s)", none: nobody,
				measure: func(t *Tally) float64 { return t.Took.Mean() }})
	}
	list = append(list, c.requestQuantities()...)
	for n := range c.World.Servers {
		list = append(list, c.serverQuantities(n)...)
	}
	list = append(list, c.recoveries(ever)...)
	if triggerOf(c.World, c.Crowd.Until) != (trigger{}) {
		list = append(list, quantity{name: "came back (% of the runs)", worth: 50, measure: (*Tally).cameBack,
			none: "no run went on long enough to see it"})
	}
	for _, v := range c.Variants {
		for n, part := range v.Who {
			if part.Name != "" {
				list = append(list, partQuantities(n, part.Name)...)
			}
		}
	}
	return append(list, quantity{name: "fairness among clients", none: noAnswer,
		measure: func(t *Tally) float64 { return measure.Fairness(t.PerClient) }})
}

// requestQuantities describes answers, and counts requests by their fate.
func (c *Comparison) requestQuantities() []quantity {
	answers := func(name string, of func(*measure.Histogram) float64) quantity {
		return quantity{name: "time to a good answer, " + name + " (s)", none: noAnswer,
			measure: func(t *Tally) float64 { return of(&t.Answers) }}
	}
	list := []quantity{
		answers("mean", (*measure.Histogram).Mean),
		answers("median", func(h *measure.Histogram) float64 { return h.Percentile(50) }),
		answers("95 %", func(h *measure.Histogram) float64 { return h.Percentile(95) }),
		answers("99 %", func(h *measure.Histogram) float64 { return h.Percentile(99) }),
		count("requests", 98, func(t *Tally) int { return t.Requests }),
		count("most requests in a second", 85, func(t *Tally) int { return t.Rush.Most() }),
		{name: "load multiplier", measure: (*Tally).loadMultiplier, none: "no request is needed", worth: 97},
		{name: "requests per client that finished", none: nobody, measure: func(t *Tally) float64 {
			if t.Done == 0 {
				return math.NaN()
			}
			return t.PerSuccess()
		}},
		count("answered well", 45, func(t *Tally) int { return t.Good }),
		count("turned away", 60, func(t *Tally) int { return t.Refused }),
	}
	if slices.ContainsFunc(c.World.Servers, func(s world.Server) bool { return s.Spec.Limit.Per > 0 }) {
		list = append(list, count("turned away by the limit", 0, func(t *Tally) int { return t.Limited }))
	}
	return append(list,
		count("answered with an error", 0, func(t *Tally) int { return t.Errors }),
		count("given up by the client", 0, func(t *Tally) int { return t.TimedOut }),
		quantity{name: "most at the same time",
			measure: func(t *Tally) float64 { return t.InFlight.Highest(0, t.Until+1) }},
	)
}

// serverQuantities describes the use of a server, and its purpose.
func (c *Comparison) serverQuantities(n int) (list []quantity) {
	name := "server"
	used := func(t *Tally) float64 { return t.usedPercent(n, c.World) }
	perSecond := func(of func(*measure.Server) float64) func(*Tally) float64 {
		return func(t *Tally) float64 { return of(&t.PerServer[n]) / t.Until.Seconds() }
	}
	if len(c.World.Servers) > 1 {
		name = c.World.Servers[n].Name()
		list = append(list, count(name+" requests", 0, func(t *Tally) int { return t.PerServer[n].Requests }))
	}
	return append(list,
		quantity{name: name + " used (% of its slots)", measure: used, none: noSlots, worth: 40},
		quantity{name: name + " used for nobody (% of its slots)", measure: func(t *Tally) float64 {
			if t.PerServer[n].Used == 0 {
				return 0 * used(t)
			}
			return used(t) * t.PerServer[n].InVainShare()
		}, none: noSlots},
		quantity{name: name + " serving, mean", none: noTime,
			measure: perSecond(func(s *measure.Server) float64 { return s.Used })},
		quantity{name: name + " wasted (% of its work)", none: "it did no work",
			measure: func(t *Tally) float64 { return 100 * t.PerServer[n].Waste() }},
		quantity{name: "in line for " + name + ", mean", none: noTime,
			measure: perSecond(func(s *measure.Server) float64 { return s.Line })},
		count("in line for "+name+", most", 0, func(t *Tally) int { return t.PerServer[n].Longest }),
	)
}

// recoveries has rows for each outage whose end a run has come to: until those in trouble
// were served, and where clients work on and on, until the work is back to what it was.
func (c *Comparison) recoveries(ever func(is func(*Tally) bool) bool) (list []quantity) {
	number := 0
	for _, d := range disturbances(c.World) {
		what := c.serverName(d.server) + "the " + d.kind + " until " + parameter.Brief(d.to) + " (s)"
		if d.kind == outage {
			n := number
			number++
			if ever(func(t *Tally) bool { return t.Outages[n].Reached }) {
				list = append(list, quantity{name: "nine tenths served after " + what, worth: max(55-n, 1),
					measure: func(t *Tally) float64 { return t.Outages[n].Served }})
			}
		}
		if ever(func(t *Tally) bool {
			return t.Running > 0 && t.PerServer[d.server].Answered.Between(d.from/2, d.from) > 0
		}) {
			list = append(list, quantity{name: "work as before after " + what,
				measure: func(t *Tally) float64 { return t.Recovery(d.server, d.from, d.to) }})
		}
	}
	return list
}

func partQuantities(part int, name string) []quantity {
	of := func(what string, worth int, measure func(*PartTally) float64) quantity {
		return quantity{name: name + ": " + what, worth: worth,
			measure: func(t *Tally) float64 { return measure(&t.Parts[part]) }}
	}
	list := []quantity{
		of("clients", 0, func(p *PartTally) float64 { return float64(p.Wanted) }),
		of("finished", 84, func(p *PartTally) float64 { return float64(p.Done) }),
		of("time to finish, median (s)", 0, func(p *PartTally) float64 { return p.Took.Percentile(50, p.Wanted-p.Done) }),
		of("time to finish, 95 % (s)", 83, func(p *PartTally) float64 { return p.Took.Percentile(95, p.Wanted-p.Done) }),
		of("requests", 0, func(p *PartTally) float64 { return float64(p.Requests) }),
		of("requests answered well", 0, func(p *PartTally) float64 { return float64(p.Good) }),
	}
	list[0].people, list[1].people = true, true
	return list
}

const ms = time.Millisecond

// bounds divides times in the histogram: 1, 2 and 5 of each power of ten, and longer ones as
// clocks have them.
var bounds = [...]time.Duration{
	0, ms, 2 * ms, 5 * ms, 10 * ms, 20 * ms, 50 * ms, 100 * ms, 200 * ms, 500 * ms,
	time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 20 * time.Second, 30 * time.Second,
	time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 20 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 6 * time.Hour, 24 * time.Hour, backoff.Never,
}

// histogram returns how long scripts and answers took: what share of them, in percent. Rows before the first and after
// the last that has something are left out.
func (c *Comparison) histogram(results [][]*Tally) experiment.Table {
	t := experiment.Table{Name: "times", Title: "How long good answers and scripts took (% of them)",
		Labels: []string{"time"}, Folded: true}
	for _, v := range c.Variants {
		t.Columns = append(t.Columns, experiment.Column{Name: v.Name + ": answers"}, experiment.Column{Name: "scripts"})
	}
	first, last := len(bounds), 0
	for n := range len(bounds) - 1 {
		from, to := bounds[n], bounds[n+1]
		row := experiment.Row{Labels: []string{parameter.Brief(from) + " to " + parameter.Brief(to)}}
		if to == backoff.Never {
			row.Labels[0] = parameter.Brief(from) + " and more"
		}
		for _, runs := range results {
			var answers, finished measure.Sample
			for _, o := range runs {
				if o.Answers.Count() > 0 {
					answers = append(answers, 100*o.Answers.Between(from, to))
				}
				if len(o.Took) > 0 {
					finished = append(finished, 100*float64(o.Took.Between(from, to))/float64(len(o.Took)))
				}
			}
			row.Values = append(row.Values, answers, finished)
			if answers.Mean() > 0 || finished.Mean() > 0 {
				first, last = min(first, n), n+1
			}
		}
		t.Rows = append(t.Rows, row)
	}
	t.Rows = t.Rows[min(first, last):last]
	return t
}
