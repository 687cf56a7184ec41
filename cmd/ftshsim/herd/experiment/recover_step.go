package experiment

import (
	"context"
	"fmt"
	"time"

	"ftsh/backoff"
	"ftsh/cmd/ftshsim/herd"
	"ftsh/cmd/ftshsim/herd/crowd"
	"ftsh/cmd/ftshsim/herd/measure"
	"ftsh/cmd/ftshsim/herd/server"
)

// A client at the cap comes once per M, that is once in so many intervals; so
// many M pass before anybody looks, and so many are looked at.
const (
	intervals = 100
	settling  = 20
	looked    = 5
)

// compareSteps is the third part: in step, or not.
func (e *recovery) compareSteps(ctx context.Context, runs herd.Runs, r *Report) {
	results := herd.Each(ctx, runs, len(e.Steps)*len(e.Caps), func(ctx context.Context, point int, seed uint64) *episode {
		waits := backoff.Backoff{Policy: e.Steps[point/len(e.Caps)], Initial: e.Step, Factor: trueZero(e.Factor)}
		waits.Max = e.Step * time.Duration(e.Caps[point%len(e.Caps)])
		until := (settling + looked) * waits.Max
		return experience(ctx, seed, crowd.Config{
			Clients: e.Herd, Every: waits.Max / intervals, Layers: []crowd.Layer{{Backoff: waits}},
		}, server.Spec{Outages: []server.Outage{{To: until + time.Second}}}, until)
	})
	r.Events += sumEvents(results)
	at := func(row, column int) []*episode { return results[row*len(e.Caps)+column] }
	e.unevenTables(r, at)
	e.rhythmFigure(r, at)
	if column, row := indexOf(e.Caps, 1), indexOf(e.Steps, backoff.Thain); row >= 0 && column >= 0 {
		r.Comparisons = append(r.Comparisons, Comparison{
			"Thain 2009, capped after the random factor: % of the clients that come in the same hundredth of M", 100,
			sampleOf(at(row, column), func(w *episode) float64 { return 100 * w.mostInInterval() / float64(e.Herd) })})
	}
}

// unevenTables tell how uneven the requests are.
func (e *recovery) unevenTables(r *Report, at func(row, column int) []*episode) {
	for _, q := range []quantity[*episode]{
		{"step", fmt.Sprintf("%d clients at the cap: the most requests in a hundredth of M, "+
			"as a multiple of the average", e.Herd), (*episode).unevenness},
		{"silence", "hundredths of M without any request (%)", (*episode).silentShare},
	} {
		t := Table{Name: q.name, Title: q.unit, Labels: []string{"policy"}}
		for _, n := range e.Caps {
			t.Columns = append(t.Columns, Column{Name: fmt.Sprintf("M %d·T", n)})
		}
		for i, p := range e.Steps {
			row := Row{Labels: []string{p.String()}}
			for j := range e.Caps {
				row.Values = append(row.Values, sampleOf(at(i, j), q.measure))
			}
			t.Rows = append(t.Rows, row)
		}
		r.Tables = append(r.Tables, t)
	}
}

// rhythmFigure draws the requests of the first run.
func (e *recovery) rhythmFigure(r *Report, at func(row, column int) []*episode) {
	column := max(indexOf(e.Caps, 2), 0)
	f := Figure{Name: "step", Title: fmt.Sprintf("requests at the cap, M %d·T", e.Caps[column]),
		X: Axis{Label: "time (M)"}, Y: Axis{Label: "requests in a hundredth of M"}}
	for i, p := range e.Steps {
		l := Line{Name: p.String()}
		for _, w := range at(i, column)[:min(1, len(at(i, column)))] {
			for n, v := range w.lastIntervals() {
				l.addPoint(float64(n)/intervals, measure.Sample{v})
			}
		}
		f.Lines = append(f.Lines, l)
	}
	r.Figures = append(r.Figures, f)
}

// lastIntervals is the requests of the last intervals.
func (e *episode) lastIntervals() []float64 {
	e.Sent.Cut(e.Until)
	return e.Sent.Values[max(0, len(e.Sent.Values)-looked*intervals):]
}

// mostInInterval is the most requests in an interval of them.
func (e *episode) mostInInterval() float64 {
	most := 0.0
	for _, v := range e.lastIntervals() {
		most = max(most, v)
	}
	return most
}

// unevenness returns how many times the average the most are.
func (e *episode) unevenness() float64 {
	sum := 0.0
	for _, v := range e.lastIntervals() {
		sum += v
	}
	return e.mostInInterval() / (sum / float64(len(e.lastIntervals())))
}

// silentShare is the share of intervals without any, in percent.
func (e *episode) silentShare() float64 {
	empty := 0
	for _, v := range e.lastIntervals() {
		if v == 0 {
			empty++
		}
	}
	return 100 * float64(empty) / float64(len(e.lastIntervals()))
}
