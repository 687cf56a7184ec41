package experiment

import (
	"context"
	"fmt"
	"time"

	"ftsh/cmd/ftshsim/herd"
	"ftsh/cmd/ftshsim/herd/measure"
	"ftsh/cmd/ftshsim/herd/parameter"
)

// replicaPreset is the black holes of Thain and Livny 2003.
func replicaPreset() *Preset {
	e := &replicas{}
	return &Preset{
		Name: "replica", Seeds: 100,
		Title: "black holes: replicas of a file, one of which never answers (Thain and Livny 2003, figures 6 and 7)",
		About: "Clients fetch a file over and over from servers that serve one request at a time, " +
			"in random order. Aloha gives each\n" +
			"transfer a minute; ethernet first fetches a flag of one byte within 5 s, " +
			"and goes on to the next server if it does\n" +
			"not come: from the black hole, and from one that is busy.",
		Assumed: "Printed: three servers and clients, 900 s, 60 s, 5 s, about 10 s for a transfer. " +
			"Chosen to fit the figures: the spread of a\n" +
			"transfer (--fetch), the time for the flag (--flag), and that a busy server sends it (--aside).",
		Parameters: parameter.Of(e), run: e.makeReport,
	}
}

func (w *fetching) eventCount() uint64 { return w.events }

// makeReport runs aloha and ethernet.
func (e *replicas) makeReport(ctx context.Context, runs herd.Runs) *Report {
	shown := []discipline{aloha, ethernet}
	results := herd.Each(ctx, runs, len(shown), func(ctx context.Context, point int, seed uint64) *fetching {
		w := e.simulateFetching(ctx, shown[point], seed)
		w.sim, w.servers = nil, nil
		return w
	})
	r := &Report{Events: sumEvents(results)}
	e.figureTable(r, shown, results)
	for i, d := range shown {
		e.courseFigure(r, d, results[i])
	}
	return r
}

// fetched holds what is measured of a run, and what was published of it: aloha's
// number and ethernet's, 0 where there is none.
var fetched = []struct {
	name, unit string
	measure    func(*fetching) float64
	published  [2]float64
}{
	{"transfers", "", func(w *fetching) float64 { return float64(len(w.transfers)) }, [2]float64{97, 130}},
	{"collisions", "", func(w *fetching) float64 { return float64(len(w.collisions)) }, [2]float64{23, 0}},
	{"deferrals", "", func(w *fetching) float64 { return float64(len(w.deferrals)) }, [2]float64{0, 60}},
	{"longest gap", "s", func(w *fetching) float64 { return w.longestGap().Seconds() }, [2]float64{60, 22}},
	{"idle", "% of the good servers", func(w *fetching) float64 {
		return 100 * w.idle.Seconds() / w.Limit.Seconds() / float64(max(w.Servers-w.Holes, 1))
	}, [2]float64{}},
	{"load", "requests per transfer", func(w *fetching) float64 {
		return float64(len(w.transfers)+len(w.collisions)+len(w.deferrals)) / float64(len(w.transfers))
	}, [2]float64{}},
	{"fairness", "", func(w *fetching) float64 {
		var shares []int
		for i := range w.clients {
			shares = append(shares, w.clients[i].done)
		}
		return measure.Fairness(shares)
	}, [2]float64{}},
}

// figureTable adds a table of what the figures come to.
func (e *replicas) figureTable(r *Report, shown []discipline, results [][]*fetching) {
	title := fmt.Sprintf("in %s, %d clients, %d servers", parameter.Brief(e.Limit), e.Clients, e.Servers)
	t := Table{Name: "fetches", Title: title, Labels: []string{"quantity"}}
	for _, d := range shown {
		t.Columns = append(t.Columns, Column{Name: d.String()}, Column{Name: d.String(), Published: true})
	}
	for _, q := range fetched {
		row := Row{Labels: []string{q.name}}
		if q.unit != "" {
			row.Labels[0] += " (" + q.unit + ")"
		}
		for i, d := range shown {
			ours, published := sampleOf(results[i], q.measure), measure.Sample(nil)
			if p := q.published[i]; p > 0 {
				published = measure.Sample{p}
				r.Comparisons = append(r.Comparisons, Comparison{fmt.Sprintf("figure %d: %s, %s", 6+i, row.Labels[0], d), p, ours})
			}
			row.Values = append(row.Values, ours, published)
		}
		t.Rows = append(t.Rows, row)
	}
	r.Tables = append(r.Tables, t)
}

// courseFigure is the course of the first run: figure 6 or 7.
func (e *replicas) courseFigure(r *Report, d discipline, list []*fetching) {
	if len(list) == 0 {
		return
	}
	w := list[0]
	f := Figure{Name: d.String(), Title: d.String() + ": transfers so far, and failures",
		X: Axis{Label: "time (s)"}, Y: Axis{Label: "number"}}
	if d == aloha {
		f.Lines = []Line{publishedCurve("fig6_aloha_transfers"), stepCurve("transfers", w.transfers),
			publishedCurve("fig6_aloha_collisions"), stepCurve("collisions", w.collisions)}
	} else {
		f.Lines = []Line{publishedCurve("fig7_ethernet_transfers"), stepCurve("transfers", w.transfers),
			publishedCurve("fig7_ethernet_deferrals"), stepCurve("deferrals", w.deferrals)}
	}
	r.Figures = append(r.Figures, f)
}

// stepCurve is a curve of how many there have been.
func stepCurve(name string, times []time.Duration) Line {
	l := Line{Name: name}
	l.addPoint(0, measure.Sample{0})
	for i, at := range times {
		l.addPoint(at.Seconds(), measure.Sample{float64(i + 1)})
	}
	return l
}
