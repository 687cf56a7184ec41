package experiment

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"ftsh/cmd/ftshsim/herd"
	"ftsh/cmd/ftshsim/herd/crowd"
	"ftsh/cmd/ftshsim/herd/parameter"
	"ftsh/cmd/ftshsim/herd/server"
)

// choice is a backoff of the second part.
type choice struct {
	tries
	name string
}

// allChoices is the base, and all changes of it.
func (e *recovery) allChoices() []choice {
	base := e.tries
	name := fmt.Sprintf("T %s, F %v, M %s", parameter.Brief(base.Initial), base.Factor, parameter.Brief(base.Max))
	list := []choice{{base, name}}
	change := func(name string, set func(*tries)) {
		c := choice{base, name}
		set(&c.tries)
		list = append(list, c)
	}
	for _, d := range e.OtherT {
		change("T "+parameter.Brief(d), func(t *tries) { t.Initial = d })
	}
	for _, f := range e.OtherF {
		change("F "+strconv.FormatFloat(f, 'g', -1, 64), func(t *tries) { t.Factor = f })
	}
	for _, d := range e.OtherM {
		change("M "+parameter.Brief(d), func(t *tries) { t.Max = d })
	}
	return list
}

// before says how long the second part goes on before an outage.
const before = time.Minute

// compareChoices is the second part: the time to recover against the length of the
// outage, for each choice of T, F and M.
func (e *recovery) compareChoices(ctx context.Context, runs herd.Runs, r *Report) {
	list := e.allChoices()
	results := herd.Each(ctx, runs, len(list)*len(e.Outages), func(ctx context.Context, point int, seed uint64) *episode {
		length := e.Outages[point%len(e.Outages)]
		spec := e.serverSpec()
		spec.Outages = []server.Outage{{From: before, To: before + length, Mode: server.Refuse}}
		return experience(ctx, seed, crowd.Config{
			Clients: e.Few, Think: e.Think, Layers: []crowd.Layer{{Backoff: list[point/len(e.Outages)].backoffOf()}},
		}, spec, before+4*length+time.Minute)
	})
	r.Events += sumEvents(results)
	at := func(row, column int) []*episode { return results[row*len(e.Outages)+column] }
	t := Table{Name: "recovery", Title: "recovery after an outage (s), by its length, one number changed at a time",
		Labels: []string{"backoff"}}
	f := Figure{Name: "recovery", Title: "recovery after an outage",
		X: Axis{Label: "length of the outage (s)", Log: true}, Y: Axis{Label: "recovery (s)", Log: true}}
	for _, length := range e.Outages {
		t.Columns = append(t.Columns, Column{Name: parameter.Brief(length)})
	}
	for i, c := range list {
		row, line := Row{Labels: []string{c.name}}, Line{Name: c.name}
		for j, length := range e.Outages {
			s := sampleOf(at(i, j), (*episode).recoveryTime)
			row.Values = append(row.Values, s)
			if s.Known() > 0 {
				line.addPoint(length.Seconds(), s)
			}
		}
		t.Rows, f.Lines = append(t.Rows, row), append(f.Lines, line)
	}
	r.Tables, r.Figures = append(r.Tables, t), append(r.Figures, f)
	for j, length := range e.Outages {
		r.Comparisons = append(r.Comparisons, Comparison{
			"Thain 2009: outage and recovery, as a multiple of an outage of " + parameter.Brief(length), 2,
			sampleOf(at(0, j), func(w *episode) float64 { return 1 + w.recoveryTime()/length.Seconds() }),
		})
	}
}
