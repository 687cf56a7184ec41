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

// march is the third part: in step, or not.
func (e *recovery) march(ctx context.Context, runs herd.Runs, r *Report) {
	results := herd.Each(ctx, runs, len(e.Steps)*len(e.Caps), func(ctx context.Context, point int, seed uint64) *episode {
		waits := backoff.Backoff{Policy: e.Steps[point/len(e.Caps)], Initial: e.Step, Factor: zero(e.Factor)}
		waits.Max = e.Step * time.Duration(e.Caps[point%len(e.Caps)])
		until := (settling + looked) * waits.Max
		return experience(ctx, seed, crowd.Config{
			Clients: e.Herd, Every: waits.Max / intervals, Layers: []crowd.Layer{{Backoff: waits}},
		}, server.Spec{Outages: []server.Outage{{To: until + time.Second}}}, until)
	})
	r.Events += events(results)
	at := func(row, column int) []*episode { return results[row*len(e.Caps)+column] }
	e.tables(r, at)
	e.rhythm(r, at)
	if column, row := index(e.Caps, 1), index(e.Steps, backoff.Thain); row >= 0 && column >= 0 {
		r.Comparisons = append(r.Comparisons, Comparison{
			"Thain 2009, capped after the random factor: % of the clients that come in the same hundredth of M", 100,
			sample(at(row, column), func(w *episode) float64 { return 100 * w.crush() / float64(e.Herd) })})
	}
}

// tables tell how uneven the requests are.
func (e *recovery) tables(r *Report, at func(row, column int) []*episode) {
	for _, q := range []quantity[*episode]{
		{"step", fmt.Sprintf("%d clients at the cap: the most requests in a hundredth of M, "+
			"as a multiple of the average", e.Herd), (*episode).unevenness},
		{"silence", "hundredths of M without any request (%)", (*episode).silence},
	} {
		t := Table{Name: q.name, Title: q.unit, Labels: []string{"policy"}}
		for _, n := range e.Caps {
			t.Columns = append(t.Columns, Column{Name: fmt.Sprintf("M %d·T", n)})
		}
		for i, p := range e.Steps {
			row := Row{Labels: []string{p.String()}}
			for j := range e.Caps {
				row.Values = append(row.Values, sample(at(i, j), q.measure))
			}
			t.Rows = append(t.Rows, row)
		}
		r.Tables = append(r.Tables, t)
	}
}

// rhythm draws the requests of the first run.
func (e *recovery) rhythm(r *Report, at func(row, column int) []*episode) {
	column := max(index(e.Caps, 2), 0)
	f := Figure{Name: "step", Title: fmt.Sprintf("requests at the cap, M %d·T", e.Caps[column]),
		X: Axis{Label: "time (M)"}, Y: Axis{Label: "requests in a hundredth of M"}}
	for i, p := range e.Steps {
		l := Line{Name: p.String()}
		for _, w := range at(i, column)[:min(1, len(at(i, column)))] {
			for n, v := range w.tail() {
				l.point(float64(n)/intervals, measure.Sample{v})
			}
		}
		f.Lines = append(f.Lines, l)
	}
	r.Figures = append(r.Figures, f)
}

// tail is the requests of the last intervals.
func (e *episode) tail() []float64 {
	e.Sent.Cut(e.Until)
	return e.Sent.Values[max(0, len(e.Sent.Values)-looked*intervals):]
}

// crush is the most requests in an interval of them.
func (e *episode) crush() float64 {
	most := 0.0
	for _, v := range e.tail() {
		most = max(most, v)
	}
	return most
}

// unevenness is how many times the average the most are.
func (e *episode) unevenness() float64 {
	sum := 0.0
	for _, v := range e.tail() {
		sum += v
	}
	return e.crush() / (sum / float64(len(e.tail())))
}

// silence is the share of intervals without any, in percent.
func (e *episode) silence() float64 {
	empty := 0
	for _, v := range e.tail() {
		if v == 0 {
			empty++
		}
	}
	return 100 * float64(empty) / float64(len(e.tail()))
}
