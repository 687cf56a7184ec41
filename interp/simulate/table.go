package simulate

import (
	"slices"

	"ftsh/backoff/herd"
	"ftsh/backoff/herd/experiment"
	"ftsh/backoff/herd/parameter"
)

// quantity is a row of the table.
type quantity struct {
	name    string
	measure func(outcome) float64
}

// table has a row for each quantity, and a column for each variant.
func (c *Comparison) table(results [][]outcome) experiment.Table {
	t := experiment.Table{Name: "run", Title: "What became of the clients, and of the requests", Labels: []string{"quantity"}}
	for _, v := range c.Variants {
		t.Columns = append(t.Columns, experiment.Column{Name: v.Name})
	}
	for _, q := range c.quantities(results) {
		row := experiment.Row{Labels: []string{q.name}}
		for _, list := range results {
			var sample herd.Sample
			for _, o := range list {
				sample = append(sample, q.measure(o))
			}
			row.Values = append(row.Values, sample)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func (c *Comparison) quantities(results [][]outcome) []quantity {
	list := []quantity{
		{"clients", func(o outcome) float64 { return float64(o.clients) }},
		{"finished", func(o outcome) float64 { return float64(o.Finished) }},
	}
	for _, why := range reasons(results) {
		list = append(list, quantity{"failed: " + why, func(o outcome) float64 { return float64(o.Failed[why]) }})
	}
	list = append(list, quantity{"still running at the end", func(o outcome) float64 { return float64(o.Running) }})
	for _, percent := range finishing(results) {
		name := map[float64]string{50: "median", 95: "95 %", 99: "99 %", 100: "the last"}[percent]
		list = append(list, quantity{"time to finish, " + name + " (s)", func(o outcome) float64 { return percentile(o.Took, percent) }})
	}
	list = append(list,
		quantity{"requests", func(o outcome) float64 { return float64(o.Requests) }},
		quantity{"load multiplier", outcome.load},
		quantity{"answered well", func(o outcome) float64 { return float64(o.Good) }},
		quantity{"turned away", func(o outcome) float64 { return float64(o.Refused) }},
		quantity{"answered with an error", func(o outcome) float64 { return float64(o.Errors) }},
		quantity{"given up by the client", func(o outcome) float64 { return float64(o.TimedOut) }},
		quantity{"most at the same time", func(o outcome) float64 { return o.InFlight.Highest(0, o.Tally.Until+1) }},
	)
	for n := range c.World.Servers {
		list = append(list, serverQuantities(label(c.World, n), n)...)
	}
	list = append(list, c.recoveries(results)...)
	return append(list, quantity{"fairness among clients", func(o outcome) float64 { return herd.Fairness(o.PerClient) }})
}

// finishing is which percentiles of the time to finish there are: none, where
// nobody finishes.
func finishing(results [][]outcome) []float64 {
	for _, runs := range results {
		for _, o := range runs {
			if o.Finished > 0 {
				return []float64{50, 95, 99, 100}
			}
		}
	}
	return nil
}

func serverQuantities(name string, n int) []quantity {
	return []quantity{
		{name + " busy (% of the time)", func(o outcome) float64 { return 100 - share(o.PerServer[n].Idle, o.Tally.Until) }},
		{name + " idle (s)", func(o outcome) float64 { return o.PerServer[n].Idle.Seconds() }},
		{name + " wasted (% of its work)", func(o outcome) float64 {
			p := o.PerServer[n]
			return share(p.Wasted, p.Wasted+p.Useful)
		}},
	}
}

// reasons are why clients failed in any of the runs.
func reasons(results [][]outcome) []string {
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

// recoveries has a row for each outage whose end a run has come to.
func (c *Comparison) recoveries(results [][]outcome) []quantity {
	var list []quantity
	for _, runs := range results {
		for _, o := range runs {
			for n := len(list); n < len(o.Recovered); n++ {
				list = append(list, quantity{})
			}
			for n, r := range o.Recovered {
				if r.reached {
					list[n] = quantity{"recovery after the outage until " + parameter.Brief(r.end) + " (s)", func(o outcome) float64 { return o.Recovered[n].Seconds() }}
				}
			}
		}
	}
	return slices.DeleteFunc(list, func(q quantity) bool { return q.measure == nil })
}
