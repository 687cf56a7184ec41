package simulate

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"ftsh/cmd/ftshsim/herd"
	"ftsh/cmd/ftshsim/herd/experiment"
	"ftsh/cmd/ftshsim/herd/measure"
	"ftsh/cmd/ftshsim/herd/parameter"
	"ftsh/cmd/ftshsim/herd/server"
	"ftsh/cmd/ftshsim/world"
)

// Comparison is crowds that differ in what they run, or in how many they are.
type Comparison struct {
	Crowd              // Who and Clients are those of the variants
	Variants []Variant // in the order of the report; the first is what others are compared with
	Paired   bool      // a table of the differences to the first variant, too
}

// Variant is one of the crowds.
type Variant struct {
	Name    string // in reports
	Who     []Part // runs what
	Clients int    // how many
}

// loadMultiplier is requests for each one that the clients would have sent in the same
// time to servers that never fail and are never full; NaN if they need none.
func (t *Tally) loadMultiplier() float64 {
	if t.needed == 0 || t.Begun == 0 {
		return math.NaN()
	}
	return float64(t.Requests) / (float64(t.Begun) * t.needed)
}

// Compare runs all variants with all seeds, and reports. When ctx is cancelled the
// report is of what there was until then. The error is a *[Runaway].
func (c *Comparison) Compare(ctx context.Context, runs herd.Runs) (*experiment.Report, error) {
	running, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	results := herd.Each(running, runs, len(c.Variants), func(ctx context.Context, point int, seed uint64) *Tally {
		crowd := c.Crowd
		v := &c.Variants[point]
		crowd.Who, crowd.Clients = v.Who, v.Clients
		tally, err := Run(ctx, crowd, seed)
		needed, wrong := Needed(ctx, crowd, seed)
		if err := cmp.Or(err, wrong); err != nil {
			stop(err)
		}
		tally.needed = needed
		return tally
	})
	if err := context.Cause(running); err != context.Cause(ctx) {
		return nil, err
	}
	return c.makeReport(results, runs, ctx.Err() != nil), nil
}

// idealClients says how many clients tell what a client needs.
const idealClients = 20

// Needed runs a few of the clients with servers that never fail and are never
// full, and returns how many requests each of them needs. The error is a *[Runaway].
func Needed(ctx context.Context, crowd Crowd, seed uint64) (float64, error) {
	perfect := crowd.World.Changed(func(s *server.Spec) {
		for i := range s.Programs {
			s.Programs[i].Failure = 0
		}
		*s = server.Spec{Response: s.Response, Programs: s.Programs, Calls: s.Calls}
	})
	perfect.Commands, perfect.Arrivals = slices.Clone(perfect.Commands), nil
	for i := range perfect.Commands {
		perfect.Commands[i].Failure = 0
	}
	crowd.World, crowd.Clients, crowd.Observe = perfect, min(idealClients, crowd.Clients), nil
	tally, err := Run(ctx, crowd, seed)
	return float64(tally.Requests) / float64(tally.Begun), err
}

func (c *Comparison) makeReport(results [][]*Tally, runs herd.Runs, interrupted bool) *experiment.Report {
	r := &experiment.Report{Name: "run", Seeds: runs.Seeds, Interrupted: interrupted}
	var scripts []*Script
	var names []string
	for _, v := range c.Variants {
		for _, part := range v.Who {
			if scripts = append(scripts, part.Script); !slices.Contains(names, part.Script.Name) {
				names = append(names, part.Script.Name)
			}
		}
	}
	begin, against := "starting within "+parameter.Brief(c.Start), "1 server"
	if len(c.World.Arrivals) > 0 {
		begin = "arriving one after another"
	}
	if n := len(c.World.Servers); n > 1 {
		against = fmt.Sprintf("%d servers", n)
	}
	r.Title = fmt.Sprintf("%s against %s, clients %s, for up to %s", strings.Join(names, ", "), against, begin,
		parameter.Brief(c.Crowd.Until))
	r.Answer, r.Verdict = c.describeBest(results), c.verdictSentences(results)
	r.Tables = []experiment.Table{c.quantityTable(results)}
	if c.Paired && len(c.Variants) > 1 {
		r.Tables = append(r.Tables, pairedTable(r.Tables[0]))
	}
	if c.World.Seen != nil {
		r.Tables = append(r.Tables, c.seenTable(results))
	}
	r.Tables = append(r.Tables, c.histogram(results))
	r.Figures, r.Notes = c.requestFigures(results), c.readerNotes(results)
	Disclose(r, c.World, scripts...)
	for _, t := range slices.Concat(results...) {
		r.Events += t.Events
	}
	return r
}

// readerNotes tell what a reader may wonder about.
func (c *Comparison) readerNotes(results [][]*Tally) (notes []string) {
	used, unknown := map[string]string{}, map[string][]int{}
	running := 0
	for _, t := range slices.Concat(results...) {
		maps.Copy(used, t.Used)
		for name, lines := range t.Unknown {
			unknown[name] = append(unknown[name], lines...)
		}
		running += t.Running
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(used)) {
		parts = append(parts, name+" "+used[name])
	}
	switch {
	case len(parts) > 0:
		notes = append(notes, "What the commands did: "+strings.Join(parts, ", ")+".")
	case len(unknown) == 0:
		notes = append(notes, "The script ran no external command.")
	}
	for _, name := range slices.Sorted(maps.Keys(unknown)) {
		slices.Sort(unknown[name])
		lines := strings.Trim(fmt.Sprint(slices.Compact(unknown[name])), "[]")
		notes = append(notes, fmt.Sprintf("Nothing is known of %s (lines %s): it cost no time, succeeded and wrote nothing; "+
			"SPEC can say otherwise.", name, lines))
	}
	parts = nil
	for n, runs := range results {
		done, wanted := 0, 0
		for _, t := range runs {
			done, wanted = done+t.Done, wanted+t.Wanted
		}
		if 0 < done && done < wanted {
			parts = append(parts, fmt.Sprintf("%d of %d (%s)", done, wanted, c.Variants[n].Name))
		}
	}
	if len(parts) > 0 {
		notes = append(notes, "Clients that finished, in all runs: "+strings.Join(parts, ", ")+
			". Percentiles beyond that are not reached.")
	}
	if running > 0 {
		notes = append(notes, fmt.Sprintf("Some clients still ran at the end; --until gives them more than %s.",
			parameter.Brief(c.Crowd.Until)))
	}
	if triggerOf(c.World, c.Crowd.Until) != (trigger{}) {
		notes = append(notes, whatBackMeans)
	}
	return notes
}

// points is about how many points a curve has.
const points = 72

// requestFigures are the requests over time, until the last client is done.
func (c *Comparison) requestFigures(results [][]*Tally) []experiment.Figure {
	end := time.Duration(0)
	for _, t := range slices.Concat(results...) {
		end = max(end, t.Until)
	}
	unit, label := time.Second, "time (s)"
	if end > 20*time.Minute {
		unit, label = time.Minute, "time (minutes)"
	}
	every, interval := c.seriesInterval(), "second"
	width := roundInterval(end/points, max(every, time.Second))
	if every > time.Second {
		interval = parameter.Brief(every)
	}
	var bands []experiment.Band
	for _, d := range disturbances(c.World) {
		bands = append(bands, experiment.Band{From: float64(d.from) / float64(unit), To: float64(d.to) / float64(unit),
			Name: c.serverName(d.server) + d.kind + ": " + d.how})
	}
	figure := func(name, title string, lines ...experiment.Line) experiment.Figure {
		return experiment.Figure{Name: name, Lines: lines,
			Title: title + "; the busiest " + interval + " of each " + parameter.Brief(width),
			X:     experiment.Axis{Label: label}, Y: experiment.Axis{Label: "requests/s in the busiest " + interval},
			Bands: bands}
	}
	// The highest rate in each interval of all runs. A point stands in the middle of its interval.
	peaks := func(name string, point int, of func(*Tally) *measure.Series) experiment.Line {
		l := experiment.Line{Name: name}
		for at := time.Duration(0); at < max(end, 1); at += width {
			highest := 0.0
			for _, t := range results[point] {
				highest = max(highest, of(t).Busiest(at, at+width))
			}
			l.X = append(l.X, float64(at+width/2)/float64(unit))
			l.Y = append(l.Y, measure.Sample{highest})
		}
		return l
	}
	sent := func(t *Tally) *measure.Series { return &t.Sent }
	done := func(t *Tally) *measure.Series { return &t.Answered }
	if len(c.Variants) == 1 {
		return []experiment.Figure{figure("requests", "Requests per second: what was offered, and what was done",
			peaks("offered", 0, sent), peaks("done", 0, done))}
	}
	offered, served := figure("offered", "Requests offered per second"), figure("done", "Requests done per second")
	served.Folded = true
	for point, v := range c.Variants {
		offered.Lines = append(offered.Lines, peaks(v.Name, point, sent))
		served.Lines = append(served.Lines, peaks(v.Name, point, done))
	}
	return []experiment.Figure{offered, served}
}

func (c *Crowd) seriesInterval() time.Duration {
	switch {
	case c.Every > 0:
		return c.Every
	case c.Until <= time.Hour:
		return 100 * time.Millisecond
	}
	return max(time.Second, (c.Until / 20_000).Truncate(time.Second))
}

// roundInterval is a round interval that is at least so long, and a multiple of every.
func roundInterval(least, every time.Duration) time.Duration {
	for _, n := range []time.Duration{1, 2, 5, 10, 20, 50, 100, 150, 300, 600, 1200, 3000, 6000, 9000, 18000, 36000} {
		if n*every >= least {
			return n * every
		}
	}
	return (least/every + 1) * every
}

// serverName names a server where there are several.
func (c *Comparison) serverName(number int) string {
	if len(c.World.Servers) == 1 {
		return ""
	}
	return c.World.Servers[number].Name() + ": "
}

// assumed holds what all simulations of scripts take for granted, a sentence a line.
//
//go:embed assumed.txt
var assumed string

// Disclose adds to a report what went in, and what is taken for granted.
func Disclose(r *experiment.Report, w *world.World, scripts ...*Script) {
	if w.Source != nil {
		r.Inputs = append(r.Inputs, experiment.Setting{Name: w.Source.Name, Value: w.Source.Text})
	}
	for _, s := range scripts {
		one := experiment.Setting{Name: s.Name, Value: s.text}
		if !slices.Contains(r.Inputs, one) {
			r.Inputs = append(r.Inputs, one)
		}
	}
	r.Assumed = append(r.Assumed, strings.Split(strings.TrimSpace(assumed), "\n")...)
}
