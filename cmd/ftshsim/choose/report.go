package choose

import (
	"fmt"
	"math"
	"slices"

	"ftsh/cmd/ftshsim/herd/experiment"
	"ftsh/cmd/ftshsim/herd/measure"
	"ftsh/cmd/ftshsim/herd/parameter"
	"ftsh/cmd/ftshsim/simulate"
)

// makeReport puts together what was found.
func (s *search) makeReport() *experiment.Report {
	wanted := "the least load"
	if s.Load > 0 {
		wanted = fmt.Sprintf("the shortest time with a load of at most %.3g", s.Load)
	}
	r := &experiment.Report{Name: "choose", Seeds: s.runs.Seeds, Events: s.events,
		Title: fmt.Sprintf("Which backoff for %d clients of %s: %s done within %s, and %s",
			s.Clients, s.Script.Name, shareText(s.Share), parameter.Brief(s.Deadline), wanted)}
	ranked := s.rankedCandidates()
	top := s.bestCandidates(third)
	r.Tables = []experiment.Table{
		s.candidateTable("best", "The best settings", top),
		s.candidateTable("all", "All settings", ranked),
	}
	r.Tables[1].Folded = true
	r.Figures = []experiment.Figure{s.paretoFigure(ranked)}
	s.explainAnswer(r, ranked)
	simulate.Disclose(r, s.World, s.Script)
	return r
}

// candidateTable has a row for each candidate.
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
		t.Rows = append(t.Rows, experiment.Row{Labels: []string{c.backoffText(), c.resourceKind(), state},
			Values: []measure.Sample{c.worstShares(), s.loadEach(c), c.perSuccess(), c.worstMedians(), slowestEach(c)}})
	}
	return t
}

// worstShares is the share in percent that was in time, with each seed, in the scenario in which
// it is lowest on average.
func (c *candidate) worstShares() (list measure.Sample) {
	at, share := 0, c.inTimeShare()
	for n := range c.triedScenarios() {
		if c.scenarioMean(n, func(r result) float64 { return r.share }) == share {
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
	return c.highestEach(func(r result) float64 { return r.requests / (r.share * r.clients) })
}

// worstMedians is when half were done, with each seed, at worst.
func (c *candidate) worstMedians() measure.Sample {
	return c.highestEach(func(r result) float64 { return r.median })
}

// paretoFigure draws what was done in time against what it cost. The frontier are those than which
// no other does better in both.
func (s *search) paretoFigure(ranked []*candidate) experiment.Figure {
	f := experiment.Figure{Name: "pareto", Title: "Done in time at worst, against requests per success",
		X: experiment.Axis{Label: "requests per success", Log: true}, Y: experiment.Axis{Label: "done in time (%)"}}
	every, frontier := experiment.Line{Name: "setting", Dots: true}, experiment.Line{Name: "frontier"}
	left := func(c *candidate) bool { return c.stopped || math.IsInf(s.plotCost(c), 0) }
	complete := slices.DeleteFunc(slices.Clone(ranked), left)
	slices.SortFunc(complete, func(a, b *candidate) int {
		switch ca, cb := s.plotCost(a), s.plotCost(b); {
		case ca < cb:
			return -1
		case ca > cb:
			return 1
		}
		return 0
	})
	highest := -1.0
	for _, c := range complete {
		addPoint(&every, s.plotCost(c), c.worstShares())
		if c.inTimeShare() > highest {
			highest = c.inTimeShare()
			addPoint(&frontier, s.plotCost(c), c.worstShares())
		}
	}
	f.Lines = []experiment.Line{every, frontier}
	for n, name := range []string{"answer", "the script as it is"} {
		one := experiment.Line{Name: name, Dots: true}
		if c := []*candidate{ranked[0], s.all[0]}[n]; !math.IsInf(s.plotCost(c), 0) {
			addPoint(&one, s.plotCost(c), c.worstShares())
			f.Lines = append(f.Lines, one)
		}
	}
	return f
}

// plotCost returns the place of a candidate on the plot's axis.
func (s *search) plotCost(c *candidate) float64 { return averageOf(c.perSuccess()) }

func addPoint(l *experiment.Line, x float64, y measure.Sample) {
	l.X, l.Y = append(l.X, x), append(l.Y, y)
}

// shareText is a share as people write it.
func shareText(share float64) string { return fmt.Sprintf("%.3g %%", 100*share) }
