package simulate

import (
	"time"

	"ftsh/backoff"
	"ftsh/cmd/ftshsim/herd/experiment"
	"ftsh/cmd/ftshsim/herd/measure"
	"ftsh/cmd/ftshsim/herd/parameter"
)

// bounds divides times in the histogram: 1, 2 and 5 of each power of ten, and longer ones as
// clocks have them.
var bounds = [...]time.Duration{
	0, ms, 2 * ms, 5 * ms, 10 * ms, 20 * ms, 50 * ms, 100 * ms, 200 * ms, 500 * ms,
	time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 20 * time.Second, 30 * time.Second,
	time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 20 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 6 * time.Hour, 24 * time.Hour, backoff.Never,
}

const ms = time.Millisecond

// histogram returns how long scripts and answers took: what share of them, in percent.
func (c *Comparison) histogram(results [][]outcome) experiment.Table {
	t := experiment.Table{Name: "times", Title: "How long good answers and scripts took (% of them)",
		Labels: []string{"time"}}
	for _, v := range c.Variants {
		t.Columns = append(t.Columns, experiment.Column{Name: v.Name + ": answers"}, experiment.Column{Name: "scripts"})
	}
	for n := range len(bounds) - 1 {
		row := experiment.Row{Labels: []string{rowName(n)}}
		for _, runs := range results {
			var answers, finished measure.Sample
			for _, o := range runs {
				if o.Answers.Count() > 0 {
					answers = append(answers, 100*o.Answers.Between(bounds[n], bounds[n+1]))
				}
				if len(o.Took) > 0 {
					finished = append(finished, 100*float64(o.Took.Between(bounds[n], bounds[n+1]))/float64(len(o.Took)))
				}
			}
			row.Values = append(row.Values, answers, finished)
		}
		t.Rows = append(t.Rows, row)
	}
	t.Rows = withoutEnds(t.Rows)
	return t
}

// rowName names a row: 1 s to 2 s.
func rowName(n int) string {
	if n == len(bounds)-2 {
		return parameter.Brief(bounds[n]) + " and more"
	}
	return parameter.Brief(bounds[n]) + " to " + parameter.Brief(bounds[n+1])
}

// withoutEnds leaves out the rows before the first and after the last that has something.
func withoutEnds(rows []experiment.Row) []experiment.Row {
	empty := func(row experiment.Row) bool {
		for _, s := range row.Values {
			if s.Mean() > 0 {
				return false
			}
		}
		return true
	}
	for len(rows) > 0 && empty(rows[0]) {
		rows = rows[1:]
	}
	for len(rows) > 0 && empty(rows[len(rows)-1]) {
		rows = rows[:len(rows)-1]
	}
	return rows
}
