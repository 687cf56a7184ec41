package choose

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"ftsh/cmd/ftshsim/herd/experiment"
	"ftsh/cmd/ftshsim/herd/measure"
	"ftsh/cmd/ftshsim/herd/parameter"
	"ftsh/cmd/ftshsim/simulate"
)

func (s *search) makeReport() *experiment.Report {
	wanted := "the least load"
	if s.Load > 0 {
		wanted = fmt.Sprintf("the shortest time with a load of at most %.3g", s.Load)
	}
	r := &experiment.Report{Name: "choose", Seeds: s.runs.Seeds,
		Title: fmt.Sprintf("Which backoff for %d clients of %s: %s done within %s, and %s",
			s.Clients, s.Script.Name, shareText(s.Share/100), parameter.Brief(s.Deadline), wanted)}
	ranked := s.ranked()
	for _, c := range ranked {
		for _, run := range c.runs {
			for _, one := range run {
				r.Events += one.events
			}
		}
	}
	r.Tables = []experiment.Table{
		s.candidateTable("best", "The best settings", s.best(third, 0)),
		s.candidateTable("all", "All settings", ranked),
	}
	r.Tables[1].Folded = true
	r.Figures = []experiment.Figure{s.paretoFigure(ranked)}
	s.explainAnswer(r, ranked)
	simulate.Disclose(r, s.World, s.Script)
	return r
}

func (s *search) candidateTable(name, title string, list []*candidate) experiment.Table {
	t := experiment.Table{Name: name, Title: title, Labels: []string{"backoff", "resource", ""},
		Columns: []experiment.Column{
			{Name: "in time, at worst", Unit: "%"}, {Name: "load"}, {Name: "requests per success"},
			{Name: "median", Unit: "s"}, {Name: "95 %", Unit: "s"}}}
	for _, c := range list {
		state := ""
		switch {
		case c.stopped:
			state = "stopped"
		case !s.isSatisfied(c):
			state = "misses"
		}
		var kinds []string // the first words of the resource's lines
		for line := range strings.Lines(c.Resource) {
			word, _, _ := strings.Cut(line, " ")
			kinds = append(kinds, word)
		}
		labels := []string{cmp.Or(c.Backoff, asItIs), strings.Join(kinds, "+"), state}
		t.Rows = append(t.Rows, experiment.Row{Labels: labels,
			Values: []measure.Sample{c.percentInTime(), c.worst(load), c.worst(perSuccess), c.worst(median), c.worst(late)}})
	}
	return t
}

// percentInTime is the share that was in time, at worst, with each seed.
func (c *candidate) percentInTime() (list measure.Sample) {
	for _, share := range c.worst(missed) {
		list = append(list, 100-100*share)
	}
	return list
}

// paretoFigure draws what was done in time against what it cost. The frontier are those than which
// no other does better in both.
func (s *search) paretoFigure(ranked []*candidate) experiment.Figure {
	lines := []experiment.Line{{Name: "setting", Dots: true}, {Name: "frontier"}, {Name: "answer", Dots: true},
		{Name: "the script as it is", Dots: true}}
	add := func(line int, c *candidate) {
		if cost := c.atWorst(perSuccess); !math.IsInf(cost, 0) {
			l := &lines[line]
			l.X, l.Y = append(l.X, cost), append(l.Y, c.percentInTime())
		}
	}
	add(2, ranked[0])
	add(3, s.all[0])
	ranked = slices.DeleteFunc(slices.Clone(ranked), func(c *candidate) bool { return c.stopped })
	slices.SortFunc(ranked, func(a, b *candidate) int { return cmp.Compare(a.atWorst(perSuccess), b.atWorst(perSuccess)) })
	highest := -1.0
	for _, c := range ranked {
		add(0, c)
		if c.inTime() > highest {
			highest = c.inTime()
			add(1, c)
		}
	}
	lines = slices.DeleteFunc(lines, func(l experiment.Line) bool { return l.X == nil })
	return experiment.Figure{Name: "pareto", Title: "Done in time at worst, against requests per success", Lines: lines,
		X: experiment.Axis{Label: "requests per success", Log: true}, Y: experiment.Axis{Label: "done in time (%)"}}
}
