package simulate

import (
	"math"

	"ftsh/cmd/ftshsim/herd/experiment"
	"ftsh/cmd/ftshsim/herd/measure"
	"ftsh/cmd/ftshsim/world"
)

// seenBeside is the table of what is predicted beside what was seen.
func (c *Comparison) seenBeside(results [][]outcome) experiment.Table {
	t := experiment.Table{Name: "seen", Title: "Predicted, beside what was seen", Labels: []string{"quantity"}}
	for _, v := range c.Variants {
		t.Columns = append(t.Columns, experiment.Column{Name: v.Name})
	}
	t.Columns = append(t.Columns, experiment.Column{Name: "seen"})
	if len(c.Variants) == 1 {
		t.Columns = append(t.Columns, experiment.Column{Name: "difference", Unit: "%"})
	}
	for _, q := range seenQuantities(c.World.Seen) {
		row := experiment.Row{Labels: []string{q.name}, People: q.people}
		for _, list := range results {
			var sample measure.Sample
			for _, o := range list {
				sample = append(sample, q.measure(o))
			}
			row.Values = append(row.Values, sample)
		}
		difference := 100 * (row.Values[0].Mean()/q.seen - 1)
		row.Values = append(row.Values, measure.Sample{q.seen})
		if len(c.Variants) == 1 {
			row.Values = append(row.Values, measure.Sample{math.Round(10*difference) / 10})
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// sighting is a quantity that was seen.
type sighting struct {
	quantity
	seen float64
}

// seenQuantities are the quantities that a SPEC has numbers of.
func seenQuantities(s *world.Seen) (list []sighting) {
	add := func(name string, value float64, of func(outcome) float64) {
		list = append(list, sighting{quantity{name: name, measure: of}, value})
	}
	add("clients", float64(s.Clients), func(o outcome) float64 { return float64(o.clients) })
	list[0].people = true
	if s.Finished >= 0 {
		add("finished", float64(s.Finished), func(o outcome) float64 { return float64(o.Done) })
		list[1].people = true
	}
	if s.Median > 0 {
		add("time to finish, median (s)", s.Median.Seconds(), func(o outcome) float64 { return o.Percentile(50) })
	}
	if s.P95 > 0 {
		add("time to finish, 95 % (s)", s.P95.Seconds(), func(o outcome) float64 { return o.Percentile(95) })
	}
	add("requests", float64(s.Requests), func(o outcome) float64 { return float64(o.Requests) })
	add("answered well", float64(s.Good), func(o outcome) float64 { return float64(o.Good) })
	if s.Good > 0 {
		ratio := func(o outcome) float64 { return float64(o.Requests) / float64(o.Good) }
		add("requests per success", float64(s.Requests)/float64(s.Good), ratio)
	}
	return list
}
