package simulate

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
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
	Crowd              // Script and Clients are those of the variants
	Variants []Variant // in the order of the report; the first is what others are compared with
	Paired   bool      // a table of the differences to the first variant, too
}

// Variant is one of the crowds.
type Variant struct {
	Name    string  // in reports
	Script  *Script // that all clients run
	Mixed   []Part  // instead of Script
	Clients int     // how many
}

// allScripts are those that the clients of a variant run.
func (v *Variant) allScripts() (list []*Script) {
	for _, part := range v.Mixed {
		list = append(list, part.Script)
	}
	if len(list) == 0 {
		list = append(list, v.Script)
	}
	return list
}

// outcome is one run of a variant.
type outcome struct {
	*Tally
	clients int
	needed  float64 // requests of a client whose servers never fail and are never full
}

// loadMultiplier is the load multiplier: requests for each one that the clients would have sent in the same
// time to servers that never fail and are never full; NaN if they need none.
func (o outcome) loadMultiplier() float64 {
	if o.needed == 0 || o.Begun == 0 {
		return math.NaN()
	}
	return float64(o.Requests) / (float64(o.Begun) * o.needed)
}

// perSuccess is requests for each client that finished; NaN if none did.
func (o outcome) perSuccess() float64 {
	if o.Done == 0 {
		return math.NaN()
	}
	return o.PerSuccess()
}

// Compare runs all variants with all seeds, and reports. When ctx is cancelled the
// report is of what there was until then. The error is a *[Runaway].
func (c *Comparison) Compare(ctx context.Context, runs herd.Runs) (*experiment.Report, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var mu sync.Mutex
	var first error
	failed := func(err error) {
		mu.Lock()
		defer mu.Unlock()
		if err != nil && first == nil {
			first = err
			stop(err)
		}
	}
	results := herd.Each(ctx, runs, len(c.Variants), func(ctx context.Context, point int, seed uint64) outcome {
		crowd := c.Crowd
		v := &c.Variants[point]
		crowd.Script, crowd.Mixed, crowd.Clients = v.Script, v.Mixed, v.Clients
		tally, err := Run(ctx, crowd, seed)
		failed(err)
		needed, err := Needed(ctx, crowd, seed)
		failed(err)
		return outcome{tally, tally.Wanted, needed}
	})
	if first != nil {
		return nil, first
	}
	return c.makeReport(results, runs, ctx.Err() != nil), nil
}

// idealClients says how many clients tell what a client needs.
const idealClients = 20

// Needed runs a few of the clients with servers that never fail and are never
// full, and returns how many requests each of them needs. The error is a *[Runaway].
func Needed(ctx context.Context, crowd Crowd, seed uint64) (float64, error) {
	perfect := *crowd.World
	perfect.Servers = slices.Clone(perfect.Servers)
	for i := range perfect.Servers {
		spec := perfect.Servers[i].Spec
		perfect.Servers[i].Spec = server.Spec{
			Response: spec.Response, Programs: slices.Clone(spec.Programs), Calls: spec.Calls}
		for j := range spec.Programs {
			perfect.Servers[i].Spec.Programs[j].Failure = 0
		}
	}
	perfect.Commands = slices.Clone(perfect.Commands)
	for i := range perfect.Commands {
		perfect.Commands[i].Failure = 0
	}
	perfect.Arrivals = nil
	crowd.World, crowd.Clients, crowd.Observe = &perfect, min(idealClients, crowd.Clients), nil
	tally, err := Run(ctx, crowd, seed)
	return float64(tally.Requests) / float64(tally.Begun), err
}

// makeReport puts the results together.
func (c *Comparison) makeReport(results [][]outcome, runs herd.Runs, interrupted bool) *experiment.Report {
	r := &experiment.Report{Name: "run", Seeds: runs.Seeds, Interrupted: interrupted}
	begin := "starting within " + parameter.Brief(c.Start)
	if len(c.World.Arrivals) > 0 {
		begin = "arriving one after another"
	}
	r.Title = fmt.Sprintf("%s against %s, clients %s, for up to %s",
		c.describeScripts(), c.describeServers(), begin, parameter.Brief(c.Crowd.Until))
	r.Answer, r.Verdict = c.describeBest(results), c.verdictSentences(results)
	r.Tables = []experiment.Table{c.quantityTable(results)}
	if c.Paired && len(c.Variants) > 1 {
		r.Tables = append(r.Tables, pairedTable(r.Tables[0]))
	}
	if c.World.Seen != nil {
		r.Tables = append(r.Tables, c.seenBeside(results))
	}
	times := c.histogram(results)
	times.Folded = true
	r.Tables = append(r.Tables, times)
	r.Figures = c.requestFigures(results)
	r.Notes = c.readerNotes(results)
	var scripts []*Script
	for _, v := range c.Variants {
		scripts = append(scripts, v.allScripts()...)
	}
	Disclose(r, c.World, scripts...)
	for _, list := range results {
		for _, o := range list {
			r.Events += o.Events
		}
	}
	return r
}

func (c *Comparison) describeScripts() string {
	var names []string
	for _, v := range c.Variants {
		for _, script := range v.allScripts() {
			if !slices.Contains(names, script.Name) {
				names = append(names, script.Name)
			}
		}
	}
	return strings.Join(names, ", ")
}

func (c *Comparison) describeServers() string {
	if len(c.World.Servers) == 1 {
		return "1 server"
	}
	return fmt.Sprintf("%d servers", len(c.World.Servers))
}

// readerNotes tell what a reader may wonder about.
func (c *Comparison) readerNotes(results [][]outcome) []string {
	used, unknown := map[string]string{}, map[string][]int{}
	running := 0
	for _, list := range results {
		for _, o := range list {
			maps.Copy(used, o.Used)
			for name, lines := range o.Unknown {
				unknown[name] = append(unknown[name], lines...)
			}
			running += o.Running
		}
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(used)) {
		parts = append(parts, name+" "+used[name])
	}
	notes := []string{"What the commands did: " + strings.Join(parts, ", ") + "."}
	if len(parts) == 0 && len(unknown) > 0 {
		notes = nil
	} else if len(parts) == 0 {
		notes = []string{"The script ran no external command."}
	}
	for _, name := range slices.Sorted(maps.Keys(unknown)) {
		slices.Sort(unknown[name])
		lines := fmt.Sprint(slices.Compact(unknown[name]))
		notes = append(notes, fmt.Sprintf("Nothing is known of %s (lines %s): it cost no time, succeeded and wrote nothing; "+
			"SPEC can say otherwise.", name, lines[1:len(lines)-1]))
	}
	notes = append(notes, c.unreached(results)...)
	if running > 0 {
		notes = append(notes, fmt.Sprintf("Some clients still ran at the end; --until gives them more than %s.",
			parameter.Brief(c.Crowd.Until)))
	}
	if triggerOf(c.World, c.Crowd.Until) != (trigger{}) {
		notes = append(notes, whatBackMeans)
	}
	return notes
}

// unreached tells how many finished, where that leaves percentiles of the time to finish open.
func (c *Comparison) unreached(results [][]outcome) []string {
	var parts []string
	for n, runs := range results {
		done, wanted := 0, 0
		for _, o := range runs {
			done, wanted = done+o.Done, wanted+o.Wanted
		}
		if 0 < done && done < wanted {
			parts = append(parts, fmt.Sprintf("%d of %d (%s)", done, wanted, c.Variants[n].Name))
		}
	}
	if len(parts) == 0 {
		return nil
	}
	return []string{"Clients that finished, in all runs: " + strings.Join(parts, ", ") +
		". Percentiles beyond that are not reached."}
}

// points is about how many points a curve has.
const points = 72

// requestFigures are the requests over time, until the last client is done.
func (c *Comparison) requestFigures(results [][]outcome) []experiment.Figure {
	end := time.Duration(0)
	for _, runs := range results {
		for _, o := range runs {
			end = max(end, o.Tally.Until)
		}
	}
	unit, label := time.Second, "time (s)"
	if end > 20*time.Minute {
		unit, label = time.Minute, "time (minutes)"
	}
	width := roundInterval(end/points, max(c.seriesInterval(), time.Second))
	x, y := experiment.Axis{Label: label}, experiment.Axis{Label: "requests/s in the busiest second"}
	busiest := "the busiest second of each " + parameter.Brief(width)
	if c.seriesInterval() > time.Second {
		y.Label = "requests/s in the busiest " + parameter.Brief(c.seriesInterval())
		busiest = "the busiest " + parameter.Brief(c.seriesInterval()) + " of each " + parameter.Brief(width)
	}
	peaks := func(name string, point int, of func(*Tally) *measure.Series) experiment.Line {
		var all []*measure.Series
		for _, o := range results[point] {
			all = append(all, of(o.Tally))
		}
		return peakCurve(name, all, width, end, unit)
	}
	bands := c.outageBands(unit)
	sent := func(t *Tally) *measure.Series { return &t.Sent }
	done := func(t *Tally) *measure.Series { return &t.Answered }
	if len(c.Variants) == 1 {
		return []experiment.Figure{{
			Name: "requests", Title: "Requests per second: what was offered, and what was done; " + busiest,
			X: x, Y: y, Bands: bands, Lines: []experiment.Line{peaks("offered", 0, sent), peaks("done", 0, done)},
		}}
	}
	offered := experiment.Figure{Name: "offered", Title: "Requests offered per second; " + busiest, X: x, Y: y,
		Bands: bands}
	served := experiment.Figure{Name: "done", Title: "Requests done per second; " + busiest, X: x, Y: y, Bands: bands,
		Folded: true}
	for point, v := range c.Variants {
		offered.Lines = append(offered.Lines, peaks(v.Name, point, sent))
		served.Lines = append(served.Lines, peaks(v.Name, point, done))
	}
	return []experiment.Figure{offered, served}
}

// outageBands are the outages and brown-outs.
func (c *Comparison) outageBands(unit time.Duration) (list []experiment.Band) {
	add := func(server int, from, to time.Duration, name string) {
		list = append(list, experiment.Band{From: float64(from) / float64(unit), To: float64(to) / float64(unit),
			Name: c.serverName(server) + name})
	}
	for n := range c.World.Servers {
		for _, o := range c.World.Servers[n].Spec.Outages {
			add(n, o.From, o.To, "outage: "+o.Mode.String())
		}
		for _, b := range c.World.Servers[n].Spec.Brownouts {
			add(n, b.From, b.To, fmt.Sprintf("brown-out: %.3g %%", 100*b.Share))
		}
	}
	return list
}

// seriesInterval is the interval of the series of a crowd.
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

// peakCurve is the highest rate in each interval, of all runs: that of a second, or of an interval of the series if
// that is longer. A point stands in the middle of its interval.
func peakCurve(name string, runs []*measure.Series, width, end, unit time.Duration) experiment.Line {
	l := experiment.Line{Name: name}
	for at := time.Duration(0); at < max(end, 1); at += width {
		highest := 0.0
		for _, run := range runs {
			highest = max(highest, run.Busiest(at, at+width))
		}
		l.X = append(l.X, float64(at+width/2)/float64(unit))
		l.Y = append(l.Y, measure.Sample{highest})
	}
	return l
}

// serverLabel names a server in reports, where there are several.
func serverLabel(w *world.World, number int) string {
	if len(w.Servers) == 1 {
		return "server"
	}
	return w.Servers[number].Name()
}
