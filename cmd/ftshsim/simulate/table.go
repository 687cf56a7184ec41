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
}

// quantityTable has a row for each quantity, and a column for each variant.
func (c *Comparison) quantityTable(results [][]outcome) experiment.Table {
	t := experiment.Table{Name: "run", Title: "What became of the clients, and of the requests",
		Labels: []string{"quantity"}}
	for _, v := range c.Variants {
		t.Columns = append(t.Columns, experiment.Column{Name: v.Name})
	}
	for _, q := range c.quantities(results) {
		row := experiment.Row{Labels: []string{q.name}, Why: q.none}
		for _, list := range results {
			var sample measure.Sample
			for _, o := range list {
				sample = append(sample, q.measure(o))
			}
			row.Values = append(row.Values, sample)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// pairedTable is the differences of the variants to the first. They share seeds, and with them
// the moments at which clients start, so that a difference of two runs is surer than two means.
func pairedTable(of experiment.Table) experiment.Table {
	t := experiment.Table{Name: "difference", Title: "Compared with " + of.Columns[0].Name + ", run by run",
		Labels: of.Labels, Columns: of.Columns[1:]}
	for _, row := range of.Rows {
		if row.Labels[0] == "clients" {
			continue
		}
		changes := experiment.Row{Labels: row.Labels, Why: row.Why}
		for _, other := range row.Values[1:] {
			changes.Values = append(changes.Values, other.Minus(row.Values[0]))
		}
		t.Rows = append(t.Rows, changes)
	}
	return t
}

func (c *Comparison) quantities(results [][]outcome) []quantity {
	list := []quantity{
		countQuantity("clients", func(o outcome) int { return o.clients }),
		countQuantity("finished", func(o outcome) int { return o.Done }),
	}
	for _, why := range failureReasons(results) {
		list = append(list, countQuantity("failed: "+why, func(o outcome) int { return o.Failed[why] }))
	}
	list = append(list, countQuantity("still running at the end", func(o outcome) int { return o.Running }))
	if anyOf(results, func(o outcome) bool { return o.Begun < o.clients }) {
		list = append(list, countQuantity("never begun before the end", func(o outcome) int { return o.clients - o.Begun }))
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
	return append(list, quantity{"fairness among clients", fairness, noAnswer})
}

// Why there is no value.
const (
	noAnswer = "no client had a good answer"
	noWork   = "it did no work"
	noSlots  = "SPEC gives it no slots"
)

// countQuantity is a quantity that there always is.
func countQuantity(name string, of func(outcome) int) quantity {
	return quantity{name, func(o outcome) float64 { return float64(of(o)) }, ""}
}

// timeQuantities describes the times of scripts and answers.
func timeQuantities(results [][]outcome) (list []quantity) {
	for _, percent := range finishing(results) {
		name := map[float64]string{50: "median", 95: "95 %", 99: "99 %", 100: "the last"}[percent]
		took := func(o outcome) float64 { return o.Percentile(percent) }
		list = append(list, quantity{"time to finish, " + name + " (s)", took, ""})
	}
	if len(list) > 0 {
		list = append(list, quantity{"time to finish, mean (s)",
			func(o outcome) float64 { return o.Took.Mean() }, "nobody finished"})
	}
	mean := func(o outcome) float64 { return o.Answers.Mean() }
	list = append(list, quantity{"time to a good answer, mean (s)", mean, noAnswer})
	for _, percent := range []float64{50, 95, 99} {
		name := map[float64]string{50: "median", 95: "95 %", 99: "99 %"}[percent]
		took := func(o outcome) float64 { return o.Answers.Percentile(percent) }
		list = append(list, quantity{"time to a good answer, " + name + " (s)", took, noAnswer})
	}
	return list
}

// requestQuantities counts requests by their fate.
func (c *Comparison) requestQuantities() []quantity {
	list := []quantity{
		countQuantity("requests", func(o outcome) int { return o.Requests }),
		countQuantity("most requests in a second", func(o outcome) int { return o.Rush.Most() }),
		{"load multiplier", outcome.loadMultiplier, "no request is needed"},
		{"requests per client that finished", outcome.perSuccess, "nobody finished"},
		countQuantity("answered well", func(o outcome) int { return o.Good }),
		countQuantity("turned away", func(o outcome) int { return o.Refused }),
	}
	if slices.ContainsFunc(c.World.Servers, func(s world.Server) bool { return s.Spec.Limit.Per > 0 }) {
		list = append(list, countQuantity("turned away by the limit", func(o outcome) int { return o.Limited }))
	}
	return append(list,
		countQuantity("answered with an error", func(o outcome) int { return o.Errors }),
		countQuantity("given up by the client", func(o outcome) int { return o.TimedOut }),
		quantity{"most at the same time", func(o outcome) float64 { return o.InFlight.Highest(0, o.Tally.Until+1) }, ""},
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
		{name + " used (% of its slots)", used, noSlots},
		{name + " used for nobody (% of its slots)", func(o outcome) float64 {
			if o.PerServer[n].Used == 0 {
				return 0 * used(o)
			}
			return used(o) * o.PerServer[n].InVainShare()
		}, noSlots},
		{name + " serving, mean", perSecond(func(s *measure.Server) float64 { return s.Used }), "no time passed"},
		{name + " wasted (% of its work)", func(o outcome) float64 { return 100 * o.PerServer[n].Waste() }, noWork},
		{"in line for " + name + ", mean", perSecond(func(s *measure.Server) float64 { return s.Line }), "no time passed"},
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
				list = append(list, quantity{"nine tenths served after " + what, served, ""})
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
	return []quantity{{"work as before after " + what, recovery, ""}}
}
