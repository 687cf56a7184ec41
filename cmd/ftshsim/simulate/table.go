package simulate

import (
	"slices"
	"time"

	"ftsh/cmd/ftshsim/herd/experiment"
	"ftsh/cmd/ftshsim/herd/measure"
	"ftsh/cmd/ftshsim/herd/parameter"
	"ftsh/cmd/ftshsim/world"
)

// quantity is a row of the table.
type quantity struct {
	name    string
	measure func(outcome) float64
	none    string // why there is no value, where there is none
	people  bool   // it counts clients
	worth   int    // how much it is worth in a short table; 0: nothing
}

// quantityTable has a row for each quantity, and a column for each variant.
func (c *Comparison) quantityTable(results [][]outcome) experiment.Table {
	t := experiment.Table{Name: "run", Title: "What became of the clients, and of the requests",
		Labels: []string{"quantity"}}
	for _, v := range c.Variants {
		t.Columns = append(t.Columns, experiment.Column{Name: v.Name})
	}
	list := c.quantities(results)
	for _, q := range list {
		row := experiment.Row{Labels: []string{q.name}, Why: q.none, People: q.people, Folded: true}
		for _, list := range results {
			var sample measure.Sample
			for _, o := range list {
				sample = append(sample, q.measure(o))
			}
			row.Values = append(row.Values, sample)
		}
		t.Rows = append(t.Rows, row)
	}
	for _, n := range worthiest(list) {
		t.Rows[n].Folded = false
	}
	return t
}

// shortRows says how many rows a short table has at most.
const shortRows = 8

// worthiest returns the places of the quantities that a short table has.
func worthiest(list []quantity) (places []int) {
	for n, q := range list {
		if q.worth > 0 {
			places = append(places, n)
		}
	}
	slices.SortStableFunc(places, func(a, b int) int { return list[b].worth - list[a].worth })
	return places[:min(shortRows, len(places))]
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
		changes := experiment.Row{Labels: row.Labels, Why: row.Why, Folded: row.Folded, People: row.People}
		for _, other := range row.Values[1:] {
			changes.Values = append(changes.Values, other.Minus(row.Values[0]))
		}
		t.Rows = append(t.Rows, changes)
	}
	return t
}

func (c *Comparison) quantities(results [][]outcome) []quantity {
	list := []quantity{
		peopleQuantity("clients", 20, func(o outcome) int { return o.clients }),
		peopleQuantity("finished", 99, func(o outcome) int { return o.Done }),
	}
	for n, why := range failureReasons(results) {
		list = append(list, peopleQuantity("failed: "+why, max(70-n, 1), func(o outcome) int { return o.Failed[why] }))
	}
	running := peopleQuantity("still running at the end", 0, func(o outcome) int { return o.Running })
	if anyOf(results, func(o outcome) bool { return o.Running > 0 }) {
		running.worth = 75
	}
	list = append(list, running)
	if anyOf(results, func(o outcome) bool { return o.Begun < o.clients }) {
		list = append(list, peopleQuantity("never begun before the end", 74,
			func(o outcome) int { return o.clients - o.Begun }))
	}
	list = append(list, timeQuantities(results)...)
	list = append(list, c.requestQuantities()...)
	for n := range c.World.Servers {
		if len(c.World.Servers) > 1 {
			list = append(list, countQuantity(serverLabel(c.World, n)+" requests",
				func(o outcome) int { return o.PerServer[n].Requests }))
		}
		list = append(list, c.serverQuantities(serverLabel(c.World, n), n)...)
	}
	list = append(list, c.recoveries(results)...)
	list = append(list, c.cameBackQuantity()...)
	for _, v := range c.Variants {
		for n, part := range v.Mixed {
			list = append(list, partQuantities(n, part.Name)...)
		}
	}
	fairness := func(o outcome) float64 { return measure.Fairness(o.PerClient) }
	return append(list, quantity{name: "fairness among clients", measure: fairness, none: noAnswer})
}

// Why there is no value.
const (
	noAnswer = "no client had a good answer"
	noWork   = "it did no work"
	noSlots  = "SPEC gives it no slots"
	noTime   = "no time passed"
)

// countQuantity is a quantity that there always is.
func countQuantity(name string, of func(outcome) int) quantity {
	return quantity{name: name, measure: func(o outcome) float64 { return float64(of(o)) }}
}

// peopleQuantity counts clients.
func peopleQuantity(name string, worth int, of func(outcome) int) quantity {
	q := countQuantity(name, of)
	q.people, q.worth = true, worth
	return q
}

// worthy is the quantity with what it is worth in a short table.
func (q quantity) worthy(worth int) quantity {
	q.worth = worth
	return q
}

// timeQuantities describes the times of scripts and answers.
func timeQuantities(results [][]outcome) (list []quantity) {
	for _, percent := range finishing(results) {
		name := map[float64]string{50: "median", 95: "95 %", 99: "99 %", 100: "the last"}[percent]
		took := func(o outcome) float64 { return o.Percentile(percent) }
		worth := map[float64]int{50: 78, 100: 80}[percent]
		list = append(list, quantity{name: "time to finish, " + name + " (s)", measure: took, worth: worth})
	}
	if len(list) > 0 {
		list = append(list, quantity{name: "time to finish, mean (s)",
			measure: func(o outcome) float64 { return o.Took.Mean() }, none: "nobody finished"})
	}
	mean := func(o outcome) float64 { return o.Answers.Mean() }
	list = append(list, quantity{name: "time to a good answer, mean (s)", measure: mean, none: noAnswer})
	for _, percent := range []float64{50, 95, 99} {
		name := map[float64]string{50: "median", 95: "95 %", 99: "99 %"}[percent]
		took := func(o outcome) float64 { return o.Answers.Percentile(percent) }
		list = append(list, quantity{name: "time to a good answer, " + name + " (s)", measure: took, none: noAnswer})
	}
	return list
}

// requestQuantities counts requests by their fate.
func (c *Comparison) requestQuantities() []quantity {
	list := []quantity{
		countQuantity("requests", func(o outcome) int { return o.Requests }).worthy(98),
		countQuantity("most requests in a second", func(o outcome) int { return o.Rush.Most() }).worthy(85),
		{name: "load multiplier", measure: outcome.loadMultiplier, none: "no request is needed", worth: 97},
		{name: "requests per client that finished", measure: outcome.perSuccess, none: "nobody finished"},
		countQuantity("answered well", func(o outcome) int { return o.Good }).worthy(45),
		countQuantity("turned away", func(o outcome) int { return o.Refused }).worthy(60),
	}
	if slices.ContainsFunc(c.World.Servers, func(s world.Server) bool { return s.Spec.Limit.Per > 0 }) {
		list = append(list, countQuantity("turned away by the limit", func(o outcome) int { return o.Limited }))
	}
	return append(list,
		countQuantity("answered with an error", func(o outcome) int { return o.Errors }),
		countQuantity("given up by the client", func(o outcome) int { return o.TimedOut }),
		quantity{name: "most at the same time",
			measure: func(o outcome) float64 { return o.InFlight.Highest(0, o.Tally.Until+1) }},
	)
}

// finishing is which percentiles of the time to finish there are: none, where
// nobody finishes.
func finishing(results [][]outcome) []float64 {
	if anyOf(results, func(o outcome) bool { return o.Done > 0 }) {
		return []float64{50, 95, 99, 100}
	}
	return nil
}

// anyOf reports whether something is so in any run.
func anyOf(results [][]outcome, is func(outcome) bool) bool {
	return slices.ContainsFunc(results, func(runs []outcome) bool { return slices.ContainsFunc(runs, is) })
}

// serverQuantities describes the use of a server, and its purpose.
func (c *Comparison) serverQuantities(name string, n int) []quantity {
	used := func(o outcome) float64 { return o.usedPercent(n, c.World) }
	perSecond := func(of func(*measure.Server) float64) func(outcome) float64 {
		return func(o outcome) float64 { return of(&o.PerServer[n]) / o.Tally.Until.Seconds() }
	}
	return []quantity{
		{name: name + " used (% of its slots)", measure: used, none: noSlots, worth: 40},
		{name: name + " used for nobody (% of its slots)", measure: func(o outcome) float64 {
			if o.PerServer[n].Used == 0 {
				return 0 * used(o)
			}
			return used(o) * o.PerServer[n].InVainShare()
		}, none: noSlots},
		{name: name + " serving, mean", measure: perSecond(func(s *measure.Server) float64 { return s.Used }), none: noTime},
		{name: name + " wasted (% of its work)", none: noWork,
			measure: func(o outcome) float64 { return 100 * o.PerServer[n].Waste() }},
		{name: "in line for " + name + ", mean", measure: perSecond(func(s *measure.Server) float64 { return s.Line }),
			none: noTime},
		countQuantity("in line for "+name+", most", func(o outcome) int { return o.PerServer[n].Longest }),
	}
}

// failureReasons are why clients failed in any of the runs.
func failureReasons(results [][]outcome) []string {
	var list []string
	for _, runs := range results {
		for _, o := range runs {
			for why := range o.Failed {
				if !slices.Contains(list, why) {
					list = append(list, why)
				}
			}
		}
	}
	slices.Sort(list)
	return list
}

// recoveries has rows for each outage whose end a run has come to: until those in trouble
// were served, and where clients work on and on, until the work is back to what it was.
func (c *Comparison) recoveries(results [][]outcome) (list []quantity) {
	number := 0
	for at := range c.World.Servers {
		for _, outage := range c.World.Servers[at].Spec.Outages {
			n := number
			number++
			what := c.serverName(at) + "the outage until " + parameter.Brief(outage.To) + " (s)"
			if anyOf(results, func(o outcome) bool { return o.Outages[n].Reached }) {
				served := func(o outcome) float64 { return o.Outages[n].Served() }
				list = append(list, quantity{name: "nine tenths served after " + what, measure: served, worth: max(55-n, 1)})
			}
			list = append(list, asBefore(results, at, outage.From, outage.To, what)...)
		}
		for _, b := range c.World.Servers[at].Spec.Brownouts {
			what := c.serverName(at) + "the brown-out until " + parameter.Brief(b.To) + " (s)"
			list = append(list, asBefore(results, at, b.From, b.To, what)...)
		}
	}
	return list
}

// serverName names a server, where there are several.
func (c *Comparison) serverName(number int) string {
	if len(c.World.Servers) == 1 {
		return ""
	}
	return serverLabel(c.World, number) + ": "
}

// asBefore has a row for when the work of a server was back, where clients work on and on.
func asBefore(results [][]outcome, server int, from, to time.Duration, what string) []quantity {
	if !anyOf(results, func(o outcome) bool {
		return o.Running > 0 && o.PerServer[server].Answered.Between(from/2, from) > 0
	}) {
		return nil
	}
	recovery := func(o outcome) float64 { return o.Recovery(server, from, to) }
	return []quantity{{name: "work as before after " + what, measure: recovery}}
}
