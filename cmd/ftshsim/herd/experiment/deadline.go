package experiment

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"ftsh/backoff"
	"ftsh/cmd/ftshsim/herd"
	"ftsh/cmd/ftshsim/herd/crowd"
	"ftsh/cmd/ftshsim/herd/measure"
	"ftsh/cmd/ftshsim/herd/parameter"
	"ftsh/cmd/ftshsim/herd/server"
	"ftsh/cmd/ftshsim/herd/spread"
)

// deadline is scripts with one piece of work and a time limit each, and an outage that
// takes much of that.
type deadline struct {
	Clients int            `default:"500" range:"1 100000" help:"each runs one try with the limit"`
	Limit   time.Duration  `default:"10m" range:"1s 24h" help:"time limit of the try"`
	Start   time.Duration  `default:"30s" range:"0s 1h" help:"clients start at random moments within"`
	Outages []int          `default:"10,30,50,70,90" range:"0 100" help:"lengths, in % of the limit"`
	Shares  []int          `long:"caps" default:"0,2,4,8,16" range:"0 1000" help:"the cap M of the waits,"`
	_       struct{}       `help:"as the limit divided by this; 0: 1 hour"`
	Policy  backoff.Policy `help:"of the waits"`
}

// lastRule is when the last attempt before the deadline starts.
type lastRule struct {
	name string
	last backoff.Last
}

var lastRules = []lastRule{
	{"in the first half", backoff.Last{To: 0.5}},
	{"late", backoff.Last{}},
}

// capacity is a server of that preset.
type capacity struct {
	name, title string
	spec        server.Spec
}

var capacities = []capacity{
	{"cheap", "40 requests a second; refusing one costs nothing", server.Spec{
		Slots: 8, Queue: 100, Response: spread.Exponential(200 * time.Millisecond)}},
	{"slow", "2 requests a second; refusing one costs a slot 100 ms", server.Spec{
		Slots: 2, Queue: 100, Response: spread.Exponential(time.Second), Refusal: 100 * time.Millisecond}},
}

// deadlinePreset makes the experiment on how many clients get through before their time limits.
func deadlinePreset() *Preset {
	e := &deadline{}
	return &Preset{
		Name: "deadline", Seeds: 4,
		Title: "an outage that takes much of the time limit: when to try last, and how long to wait at most",
		About: "Each client has one piece of work and a time limit. " +
			"The server is away for a share of that. The last wait is shortened so\n" +
			"that one more attempt fits: in the first half of what is left, or late, " +
			"between 50 and 95 % of it, with room for two\n" +
			"attempts. Counted is who got through in time, and at what cost, for several caps of the waits.",
		Assumed: "Nothing of it was published, and nothing is fitted; " +
			"the two servers were chosen as a cheap and as an expensive one.",
		Parameters: parameter.Of(e), run: e.makeReport,
	}
}

// setting is a rule of the last attempt with a cap.
type setting struct {
	lastRule
	share int // of the limit: the cap; 0: an hour
}

// allSettings are all of them.
func (e *deadline) allSettings() (list []setting) {
	for _, rule := range lastRules {
		for _, share := range e.Shares {
			list = append(list, setting{rule, share})
		}
	}
	return list
}

func (s setting) String() string {
	if s.share == 0 {
		return s.name + ", 1h"
	}
	return fmt.Sprintf("%s, limit/%d", s.name, s.share)
}

// simulateSetting simulates a setting.
func (e *deadline) simulateSetting(ctx context.Context, c capacity, s setting, percent int, seed uint64) *episode {
	waits := backoff.Backoff{Policy: e.Policy, Max: time.Hour}
	if s.share > 0 {
		waits.Max = max(e.Limit/time.Duration(s.share), 1)
	}
	spec := c.spec
	spec.Outages = []server.Outage{{To: max(e.Limit*time.Duration(percent)/100, 1)}}
	return experience(ctx, seed, crowd.Config{
		Clients: e.Clients, Start: e.Start, Once: true,
		Layers: []crowd.Layer{{Limit: e.Limit, Cut: true, Backoff: waits, Last: s.last}},
	}, spec, e.Start+e.Limit+time.Second)
}

// makeReport runs all settings on all servers, for all outages.
func (e *deadline) makeReport(ctx context.Context, runs herd.Runs) *Report {
	list := e.allSettings()
	row := len(e.Outages)
	points := len(capacities) * len(list) * row
	results := herd.Each(ctx, runs, points, func(ctx context.Context, point int, seed uint64) *episode {
		return e.simulateSetting(ctx, capacities[point/row/len(list)], list[point/row%len(list)], e.Outages[point%row], seed)
	})
	r := &Report{Events: sumEvents(results)}
	for n, c := range capacities {
		e.outcomeTables(r, c, list, results[n*len(list)*row:(n+1)*len(list)*row])
	}
	r.Note("The last row of a table is what the server could do in what is left of the limit after the outage.")
	return r
}

// outcomeTables counts the clients of one server by their fate.
func (e *deadline) outcomeTables(r *Report, c capacity, list []setting, results [][]*episode) {
	done := Table{Name: c.name, Labels: []string{"last attempt, cap"},
		Title: fmt.Sprintf("%% of %d clients that got through, by length of the outage: %s", e.Clients, c.title)}
	cost := Table{Name: c.name + " requests", Title: "requests of each client: " + c.title, Labels: done.Labels}
	figure := Figure{Name: c.name, Title: c.title,
		X: Axis{Label: "outage (% of the limit)"}, Y: Axis{Label: "got through (%)"}}
	for _, percent := range e.Outages {
		done.Columns = append(done.Columns, Column{Name: strconv.Itoa(percent) + " %"})
	}
	cost.Columns = done.Columns
	for i, s := range list {
		through, asked, line := Row{Labels: []string{s.String()}}, Row{Labels: []string{s.String()}}, Line{Name: s.String()}
		for j, percent := range e.Outages {
			point := results[i*len(e.Outages)+j]
			share := sampleOf(point, func(e *episode) float64 { return 100 * float64(e.Done) / float64(e.Begun) })
			through.Values = append(through.Values, share)
			asked.Values = append(asked.Values, sampleOf(point, func(e *episode) float64 { return e.Load() }))
			line.addPoint(float64(percent), share)
		}
		done.Rows, cost.Rows, figure.Lines = append(done.Rows, through), append(cost.Rows, asked), append(figure.Lines, line)
	}
	done.Rows = append(done.Rows, e.servedAtMost(c))
	r.Tables, r.Figures = append(r.Tables, done, cost), append(r.Figures, figure)
}

// servedAtMost returns how many a server can serve after an outage, at most.
func (e *deadline) servedAtMost(c capacity) Row {
	row := Row{Labels: []string{"at most"}}
	rate := float64(c.spec.Slots) / c.spec.Response.Mean().Seconds()
	for _, percent := range e.Outages {
		left := e.Start + e.Limit - e.Limit*time.Duration(percent)/100
		row.Values = append(row.Values, measure.Sample{min(100, 100*rate*left.Seconds()/float64(e.Clients))})
	}
	return row
}
