package experiment

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"ftsh/backoff"
	"ftsh/cmd/ftshsim/herd"
	"ftsh/cmd/ftshsim/herd/measure"
	"ftsh/cmd/ftshsim/herd/parameter"
)

// contentionPreset is the optimistic writers of AWS 2015.
func contentionPreset() *Preset {
	c := &contention{}
	return &Preset{
		Name: "contention", Seeds: 50, Title: "optimistic writers, all policies (AWS 2015, Exponential Backoff And Jitter)",
		About: "Each writer reads a version, then writes; the write succeeds if nobody has written meanwhile, " +
			"else the writer waits and\n" +
			"begins again. Counted are the writes that the server has to take, and the time until everybody has written.",
		Assumed:    "Nothing is fitted: all numbers are those of the article.",
		Parameters: parameter.Of(c),
		run:        c.makeReport,
	}
}

// published2015 is the article's experiment, recomputed with its simulator:
// milliseconds and writes, 100 runs each.
var published2015 = []struct {
	clients int
	policy  string
	time    float64
	writes  float64
}{
	{10, "none", 375, 51}, {10, "exact", 3603, 51}, {10, "equal", 691, 42},
	{10, "full", 467, 39}, {10, "decorrelated", 434, 38},
	{50, "none", 1142, 691}, {50, "exact", 36361, 623}, {50, "equal", 4254, 348},
	{50, "full", 2857, 333}, {50, "decorrelated", 2181, 374},
	{100, "none", 2022, 2422}, {100, "exact", 63455, 1852}, {100, "equal", 6701, 812},
	{100, "full", 4967, 796}, {100, "decorrelated", 4491, 1007},
	{190, "none", 3529, 8002}, {190, "exact", 101236, 5153}, {190, "equal", 9600, 1761},
	{190, "full", 7463, 1772}, {190, "decorrelated", 7979, 2426},
}

func (w *writers) eventCount() uint64 { return w.sim.Events() }

// makeReport runs all policies, and none at all.
func (c *contention) makeReport(ctx context.Context, runs herd.Runs) *Report {
	names := []string{"none"}
	for _, p := range c.Policies {
		names = append(names, p.String())
	}
	results := herd.Each(ctx, runs, len(names)*len(c.Clients), func(ctx context.Context, point int, seed uint64) *writers {
		var policy *backoff.Policy
		if row := point / len(c.Clients); row > 0 {
			policy = &c.Policies[row-1]
		}
		w := c.simulateWriters(ctx, policy, c.Clients[point%len(c.Clients)], seed)
		w.writers, w.calls = nil, measure.Series{}
		return w
	})
	r := &Report{Events: sumEvents(results)}
	at := func(row, column int) []*writers { return results[row*len(c.Clients)+column] }
	milliseconds := func(w *writers) float64 { return float64(w.took) / float64(time.Millisecond) }
	writes := func(w *writers) float64 { return float64(w.writes) }
	writers := Axis{Label: "writers"}
	for _, m := range []matrix{
		{"writes", "writes until all have written", writers, Axis{Label: "writes", Log: true}, names, c.Clients,
			func(row, column int) measure.Sample { return sampleOf(at(row, column), writes) }},
		{"time", "time until all have written (ms)", writers, Axis{Label: "time (ms)", Log: true}, names, c.Clients,
			func(row, column int) measure.Sample { return sampleOf(at(row, column), milliseconds) }},
	} {
		m.putInto(r, "policy")
	}
	c.comparePublished(r, names, func(row, column int) (took, made measure.Sample) {
		return sampleOf(at(row, column), milliseconds), sampleOf(at(row, column), writes)
	})
	return r
}

// comparePublished puts the published numbers beside ours.
func (c *contention) comparePublished(r *Report, names []string,
	ours func(row, column int) (took, made measure.Sample)) {
	t := Table{Name: "published", Title: "beside the article's", Labels: []string{"writers", "policy"},
		Columns: []Column{{Name: "time", Unit: "ms"}, {Name: "time", Unit: "ms", Published: true},
			{Name: "writes"}, {Name: "writes", Published: true}}}
	for _, p := range published2015 {
		row, column := indexOf(names, p.policy), indexOf(c.Clients, p.clients)
		if row < 0 || column < 0 {
			continue
		}
		took, made := ours(row, column)
		labels := []string{strconv.Itoa(p.clients), p.policy}
		t.Rows = append(t.Rows, Row{Labels: labels, Values: []measure.Sample{took, {p.time}, made, {p.writes}}})
		what := fmt.Sprintf("AWS 2015: %d writers, %s", p.clients, p.policy)
		r.Comparisons = append(r.Comparisons,
			Comparison{what + ", time in ms", p.time, took}, Comparison{what + ", writes", p.writes, made})
	}
	r.Tables = append(r.Tables, t)
}
