package choose

import (
	"fmt"
	"math"
	"slices"

	"ftsh/cmd/ftshsim/herd/experiment"
	"ftsh/cmd/ftshsim/herd/measure"
	"ftsh/cmd/ftshsim/simulate"
)

// report puts together what was found.
func (s *search) report() *experiment.Report {
	wanted := "the least load"
	if s.Load > 0 {
		wanted = fmt.Sprintf("the shortest time with a load of at most %.3g", s.Load)
	}
	r := &experiment.Report{Name: "choose", Seeds: s.runs.Seeds, Events: s.events,
		Title: fmt.Sprintf("Which backoff for %d clients of %s: %s done within %s, and %s",
			s.Clients, s.Script.Name, percent(s.Share), when(s.Deadline), wanted)}
	ranked := s.ranked()
	top := s.best(third)
	r.Tables = []experiment.Table{
		s.table("best", "The best settings", top),
		s.table("all", "All settings", ranked),
	}
	r.Tables[1].Long = true
	r.Figures = []experiment.Figure{s.pareto(ranked)}
	s.explain(r, ranked)
	simulate.Disclose(r, s.World, s.Script)
	return r
}

// table has a row for each candidate.
func (s *search) table(name, title string, list []*candidate) experiment.Table {
	t := experiment.Table{Name: name, Title: title, Labels: []string{"backoff", "resource", ""},
		Columns: []experiment.Column{
			{Name: "in time, at worst", Unit: "%"}, {Name: "load"}, {Name: "requests per success"},
			{Name: "median", Unit: "s"}, {Name: "95 %", Unit: "s"}}}
	for _, c := range list {
		state := ""
		switch {
		case c.stopped:
			state = "stopped"
		case !s.wins(c):
			state = "misses"
		}
		t.Rows = append(t.Rows, experiment.Row{Labels: []string{c.backoff(), c.kind(), state},
			Values: []measure.Sample{c.worst(), s.load(c), c.perSuccess(), c.medians(), slow(c)}})
	}
	return t
}

// worst is the share in percent that was in time, with each seed, in the scenario in which
// it is lowest on average.
func (c *candidate) worst() (list measure.Sample) {
	at, share := 0, c.share()
	for n := range c.tried() {
		if c.mean(n, func(r result) float64 { return r.share }) == share {
			at = n
		}
	}
	for _, run := range c.runs {
		list = append(list, 100*run[at].share)
	}
	return list
}

// perSuccess is requests for each client that was done in time, with each seed, at worst.
func (c *candidate) perSuccess() measure.Sample {
	return c.highest(func(r result) float64 { return r.requests / (r.share * r.clients) })
}

// medians is when half were done, with each seed, at worst.
func (c *candidate) medians() measure.Sample {
	return c.highest(func(r result) float64 { return r.median })
}

// pareto is what was done in time against what it cost. The frontier are those than which
// no other does better in both.
func (s *search) pareto(ranked []*candidate) experiment.Figure {
	f := experiment.Figure{Name: "pareto", Title: "Done in time at worst, against requests per success",
		X: experiment.Axis{Label: "requests per success", Log: true}, Y: experiment.Axis{Label: "done in time (%)"}}
	every, frontier := experiment.Line{Name: "setting", Dots: true}, experiment.Line{Name: "frontier"}
	left := func(c *candidate) bool { return c.stopped || math.IsInf(s.cost(c), 0) }
	complete := slices.DeleteFunc(slices.Clone(ranked), left)
	slices.SortFunc(complete, func(a, b *candidate) int {
		switch ca, cb := s.cost(a), s.cost(b); {
		case ca < cb:
			return -1
		case ca > cb:
			return 1
		}
		return 0
	})
	highest := -1.0
	for _, c := range complete {
		add(&every, s.cost(c), c.worst())
		if c.share() > highest {
			highest = c.share()
			add(&frontier, s.cost(c), c.worst())
		}
	}
	f.Lines = []experiment.Line{every, frontier}
	for n, name := range []string{"answer", "the script as it is"} {
		one := experiment.Line{Name: name, Dots: true}
		if c := []*candidate{ranked[0], s.all[0]}[n]; !math.IsInf(s.cost(c), 0) {
			add(&one, s.cost(c), c.worst())
			f.Lines = append(f.Lines, one)
		}
	}
	return f
}

// cost is what a candidate has on the plot's axis.
func (s *search) cost(c *candidate) float64 { return average(c.perSuccess()) }

func add(l *experiment.Line, x float64, y measure.Sample) {
	l.X, l.Y = append(l.X, x), append(l.Y, y)
}

// percent is a share as people write it.
func percent(share float64) string { return fmt.Sprintf("%.3g %%", 100*share) }
