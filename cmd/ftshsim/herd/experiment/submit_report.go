package experiment

import (
	"context"
	"fmt"
	"time"

	"ftsh/cmd/ftshsim/herd"
	"ftsh/cmd/ftshsim/herd/measure"
	"ftsh/cmd/ftshsim/herd/parameter"
)

// submitted is the experiment: figures 1 to 3 of Thain and Livny 2003.
type submitted struct {
	Clients []int `range:"1 100000" help:"submitters"`
	submission
	Watched int           `default:"400" range:"1 100000" help:"submitters of the series over time (figures 2, 3)"`
	Watch   time.Duration `default:"30m" range:"0s 24h" help:"length of these series; 0 leaves them out"`
}

// submitPreset is the job submission of Thain and Livny 2003.
func submitPreset() *Preset {
	e := &submitted{}
	for n := 25; n <= 500; n += 25 {
		e.Clients = append(e.Clients, n)
	}
	return &Preset{
		Name: "submit", Seeds: 10,
		Title: "job submission: 25 to 500 submitters and one schedd (Thain and Livny 2003, figures 1 to 3)",
		About: "Submitters share a machine with a schedd. Each submission holds file descriptors; " +
			"when the schedd cannot get one\n" +
			"it crashes, and all connections with it. Fixed tries again at once, " +
			"aloha is a plain try, ethernet looks whether\n" +
			"enough descriptors are free before it submits.",
		Assumed: "Printed: 25 to 500 submitters, 5 minutes, 7,500 descriptors, the threshold of 1,000, the waits. " +
			"Chosen to fit the figures: the\n" +
			"processor times (--probe, --submit, --serve, --connection, --restart), " +
			"the descriptors (--shell, --transfer, --accept), the\n" +
			"time a crash takes (--crash) and --start. " +
			"With them fixed does a tenth of the published from 275 to 350 submitters.",
		Parameters: parameter.Of(e), run: e.makeReport,
	}
}

func (w *schedd) eventCount() uint64 { return w.sim.Events() }

// makeReport runs the sweep, and then the series over time.
func (e *submitted) makeReport(ctx context.Context, runs herd.Runs) *Report {
	points := len(disciplines) * len(e.Clients)
	watched := []discipline{aloha, ethernet}
	if e.Watch == 0 {
		watched = nil
	}
	results := herd.Each(ctx, runs, points+len(watched), func(ctx context.Context, point int, seed uint64) *schedd {
		if point >= points {
			return e.simulateSubmitters(ctx, watched[point-points], e.Watched, e.Watch, seed)
		}
		w := e.simulateSubmitters(ctx, disciplines[point/len(e.Clients)], e.Clients[point%len(e.Clients)], e.Limit, seed)
		w.submitters, w.gauge, w.accepted = nil, measure.Series{}, measure.Series{}
		return w
	})
	r := &Report{Events: sumEvents(results)}
	e.sweepFigure(r, results[:points])
	for i, d := range watched {
		e.seriesFigure(r, d, results[points+i])
	}
	return r
}

// sweepFigure is figure 1.
func (e *submitted) sweepFigure(r *Report, results [][]*schedd) {
	sweep := sweep{
		name: "jobs", title: fmt.Sprintf("jobs accepted in %v", parameter.Brief(e.Limit)), label: "submitters",
		y: Axis{Label: "jobs accepted in " + parameter.Brief(e.Limit)}, x: Axis{Label: "submitters"},
	}
	for i, d := range disciplines {
		published := publishedCurve("fig1_" + d.String())
		sweep.addCurve(d.String(), e.Clients, published, 3, func(at int) measure.Sample {
			return sampleOf(results[i*len(e.Clients)+at], func(w *schedd) float64 { return float64(w.jobs) })
		})
	}
	sweep.putInto(r, "figure 1")
	t := Table{Name: "collisions", Title: "collisions, deferrals and crashes", Labels: []string{"submitters"}}
	addDisciplines(r, t, e.Clients, []quantity[*schedd]{
		{"collisions", "", func(w *schedd) float64 { return float64(w.collisions) }},
		{"deferrals", "", func(w *schedd) float64 { return float64(w.deferrals) }},
		{"crashes", "", func(w *schedd) float64 { return float64(w.crashes) }},
		{"under 50 free", "% of the time", func(w *schedd) float64 { return 100 * w.scarce.Seconds() / e.Limit.Seconds() }},
	}, results)
}

// seriesFigure is figures 2 and 3.
func (e *submitted) seriesFigure(r *Report, d discipline, list []*schedd) {
	if len(list) == 0 {
		return
	}
	number := map[discipline]string{aloha: "2", ethernet: "3"}[d]
	name := "fig" + number + "_" + d.String()
	jobs, free := publishedCurve(name+"_jobs"), publishedCurve(name+"_fds")
	title := fmt.Sprintf("%s, %d submitters", d, e.Watched)
	accepted := Line{Name: d.String()}
	total := 0.0
	for i, v := range list[0].accepted.Values {
		total += v
		accepted.addPoint(float64(i), measure.Sample{total})
	}
	r.Figures = append(r.Figures,
		Figure{Name: d.String() + "-descriptors", Title: title,
			X: Axis{Label: "time (s)"}, Y: Axis{Label: "free descriptors"},
			Lines: []Line{seriesCurve(d.String(), &list[0].gauge, 1), free}},
		Figure{Name: d.String() + "-jobs", Title: title, X: Axis{Label: "time (s)"}, Y: Axis{Label: "jobs accepted"},
			Lines: []Line{accepted, jobs}})
	if e.Watched != 400 || e.Watch != 30*time.Minute {
		return
	}
	r.Comparisons = append(r.Comparisons,
		Comparison{"figure " + number + ": jobs in 1,800 s, " + title, jobs.lastY(),
			sampleOf(list, func(w *schedd) float64 { return float64(w.jobs) })})
	if d == aloha {
		r.Comparisons = append(r.Comparisons,
			Comparison{"figure 2: % of the time with under 50 descriptors free", 26,
				sampleOf(list, func(w *schedd) float64 { return 100 * w.scarce.Seconds() / e.Watch.Seconds() })})
	}
}
