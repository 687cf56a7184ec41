package simulate

import (
	"context"
	"fmt"
	"slices"
	"time"

	"ftsh/cmd/ftshsim/herd"
	"ftsh/cmd/ftshsim/herd/experiment"
	"ftsh/cmd/ftshsim/herd/measure"
	"ftsh/cmd/ftshsim/herd/parameter"
	"ftsh/cmd/ftshsim/herd/server"
)

// Tip looks for the edge beyond which a crowd does not come back from an outage of its
// first server: how long the outage must be, and how many clients there must be. It
// takes for granted that more of both is worse.
type Tip struct {
	Crowd                 // clients that work without an end
	At      time.Duration // when the outage begins
	Mode    server.Mode   // of the outage
	Longest time.Duration // outage that is tried
	Watch   time.Duration // how long each run goes on after it, more than [measure.Stay]
}

// probe is some runs with one outage and one number of clients.
type probe struct {
	length  time.Duration
	clients int
	runs    []*Tally
	back    int // of the runs
}

// heldMostly reports whether most of the runs came back.
func (p *probe) heldMostly() bool { return 2*p.back > len(p.runs) }

// search is a Tip under way.
type search struct {
	*Tip
	runs   herd.Runs
	probes []*probe
}

// Find looks for both edges. When ctx is cancelled it reports what it has. The error is
// a *[Runaway].
func (t *Tip) Find(ctx context.Context, runs herd.Runs) (*experiment.Report, error) {
	s := &search{Tip: t, runs: runs}
	r := &experiment.Report{Name: "tip", Seeds: runs.Seeds,
		Title: fmt.Sprintf("After which outage does %s with %d clients not come back?", t.Script.Name, t.Clients)}
	err := s.findTip(ctx, r)
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	r.Interrupted = ctx.Err() != nil
	r.Tables = append(r.Tables, s.probeTable())
	Disclose(r, t.World, t.Script)
	for _, p := range s.probes {
		for _, run := range p.runs {
			r.Events += run.Events
		}
	}
	return r, nil
}

// findTip fills in the words and the figure.
func (s *search) findTip(ctx context.Context, r *experiment.Report) error {
	calm, err := s.probeOutage(ctx, 0, s.Clients)
	if err != nil {
		return err
	}
	worst, err := s.probeOutage(ctx, s.Longest, s.Clients)
	switch {
	case err != nil:
		return err
	case !calm.heldMostly():
		r.Note("Even without an outage the work done per second does not stay what it was: " +
			"the clients ask for more than the server can do, or are stuck from their start, or have come to an end.")
		return nil
	case worst.heldMostly():
		r.Note("It comes back from all outages up to %s. --longest tries longer ones.", parameter.Brief(s.Longest))
		return nil
	}
	held, tipped := calm, worst
	for tipped.length > 2*held.length && tipped.length > time.Second {
		if held, tipped, err = s.halveBounds(ctx, held, tipped, (held.length+tipped.length)/2, s.Clients); err != nil {
			return err
		}
	}
	if err := s.tryAround(ctx, held.length/2, tipped.length*3/2, r); err != nil {
		return err
	}
	few, many := &probe{length: s.Longest}, worst
	for many.clients-few.clients > max(many.clients/33, 1) {
		if few, many, err = s.halveBounds(ctx, few, many, s.Longest, (few.clients+many.clients)/2); err != nil {
			return err
		}
	}
	r.Note("An outage of %s is too much for %d clients, and not for %d.",
		parameter.Brief(s.Longest), many.clients, few.clients)
	return nil
}

// edgeOutages says how many outages are tried around the edge, which is not sharp: near it chance
// decides which runs come back.
const edgeOutages = 16

// tryAround tries outages from below the edge to above it, and finds the one after which half of the runs come
// back: it lies as many steps up as the shares of the runs that do come back add up to.
func (s *search) tryAround(ctx context.Context, from, to time.Duration, r *experiment.Report) error {
	step := (to - from) / edgeOutages
	edge, above := from+step/2, false
	var held, tipped *probe
	for n := range edgeOutages {
		p, err := s.probeOutage(ctx, from+time.Duration(n+1)*step, s.Clients)
		if err != nil {
			return err
		}
		edge += step * time.Duration(p.back) / time.Duration(len(p.runs))
		if p.heldMostly() {
			held = p
		} else if !above {
			tipped, above = p, true
		}
	}
	r.Note("%d clients come back from outages up to about %s, with half of the runs on either side.",
		s.Clients, threeDigits(edge))
	if held != nil && tipped != nil {
		r.Figures = append(r.Figures, s.edgeFigure(held, tipped))
	}
	return nil
}

// threeDigits is a time to three digits.
func threeDigits(d time.Duration) string {
	unit := time.Millisecond
	for unit < d/1000 {
		unit *= 10
	}
	return parameter.Brief(d.Round(unit))
}

// halveBounds tries what lies between, and returns the new bounds.
func (s *search) halveBounds(ctx context.Context, held, tipped *probe,
	length time.Duration, clients int) (*probe, *probe, error) {
	p, err := s.probeOutage(ctx, length, clients)
	switch {
	case err != nil:
		return held, tipped, err
	case p.heldMostly():
		return p, tipped, nil
	}
	return held, p, nil
}

// probeOutage runs the crowd with an outage of that length.
func (s *search) probeOutage(ctx context.Context, length time.Duration, clients int) (*probe, error) {
	crowd, world := s.Crowd, *s.World
	world.Servers = slices.Clone(world.Servers)
	world.Servers[0].Spec.Outages = nil
	end := s.At + length
	if length > 0 {
		world.Servers[0].Spec.Outages = []server.Outage{{From: s.At, To: end, Mode: s.Mode}}
	}
	crowd.World, crowd.Clients, crowd.Until = &world, clients, end+s.Watch
	type result struct {
		*Tally
		err error
	}
	runs := herd.Runs{Seeds: s.runs.Seeds, First: s.runs.First, Workers: s.runs.Workers}
	all := herd.Each(ctx, runs, 1, func(ctx context.Context, _ int, seed uint64) result {
		tally, err := Run(ctx, crowd, seed)
		return result{tally, err}
	})[0]
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	p := &probe{length: length, clients: clients}
	for _, r := range all {
		if r.err != nil {
			return nil, r.err
		}
		p.runs = append(p.runs, r.Tally)
		if s.workBefore(r.Tally) != 0 && s.cameBack(r.Tally, length) {
			p.back++
		}
	}
	s.probes = append(s.probes, p)
	return p, nil
}

// cameBack reports whether a run came back from the outage, by the rule of all verdicts.
// Without an outage there is nothing to judge: there it must go on as it began.
func (s *search) cameBack(run *Tally, length time.Duration) bool {
	if length == 0 {
		return run.CameBack(0, s.At, s.At)
	}
	v, _ := run.judge()
	return v == cameBack
}

// probeTable lists the outages that were tried.
func (s *search) probeTable() experiment.Table {
	t := experiment.Table{Name: "tip", Title: "What was tried", Labels: []string{"outage", "clients"},
		Columns: []experiment.Column{
			{Name: "came back", Unit: "% of the runs"}, {Name: "before", Unit: "/s"}, {Name: "at the end", Unit: "/s"}}}
	for _, p := range s.probes {
		var before, after measure.Sample
		for _, run := range p.runs {
			before = append(before, s.workBefore(run))
			after = append(after, run.PerServer[0].Answered.Between(run.Until-measure.Stay, run.Until)/measure.Stay.Seconds())
		}
		t.Rows = append(t.Rows, experiment.Row{Labels: []string{threeDigits(p.length), fmt.Sprint(p.clients)},
			Values: []measure.Sample{{100 * float64(p.back) / float64(len(p.runs))}, before, after}})
	}
	return t
}

// workBefore is the work done per second before the outage. Who did none has nothing to come back
// to: such a crowd is stuck from its start.
func (s *search) workBefore(run *Tally) float64 {
	return run.PerServer[0].Answered.Between(s.At/2, s.At) / (s.At - s.At/2).Seconds()
}

// edgeFigure is the work done over time on both sides of the edge.
func (s *search) edgeFigure(held, tipped *probe) experiment.Figure {
	f := experiment.Figure{Name: "edge", Title: "Work done per second, on both sides of the edge",
		X: experiment.Axis{Label: "time (s)"}, Y: experiment.Axis{Label: "answers/s"}}
	end := s.At + tipped.length + s.Watch
	for _, p := range []*probe{held, tipped} {
		var all []*measure.Series
		for _, run := range p.runs {
			all = append(all, &run.PerServer[0].Answered)
		}
		width := roundInterval(end/points, s.seriesInterval())
		f.Lines = append(f.Lines, rateCurve("outage of "+threeDigits(p.length), measure.Average(all), width, end,
			time.Second))
	}
	return f
}
