package experiment

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"ftsh/backoff"
	"ftsh/backoff/herd"
)

// submitted is the experiment: figures 1 to 3 of Thain and Livny 2003.
type submitted struct {
	submission
	clients []int
	watched int           // submitters of figures 2 and 3
	watch   time.Duration // and how long they were watched
}

// Submit is the job submission of Thain and Livny 2003.
func Submit() *Preset {
	e := &submitted{
		submission: submission{
			descriptors: 7500, shell: 8, transfer: 21, accept: 1, threshold: 1000,
			probe: 10 * time.Millisecond, submit: 50 * time.Millisecond,
			serve: 310 * time.Millisecond, connection: 300 * time.Microsecond,
			crash: 30 * time.Second, restart: 2 * time.Second,
			start: 30 * time.Second, limit: 5 * time.Minute,
			tries: tries{backoff.Ethernet, time.Second, time.Hour, 2},
		},
		watched: 400, watch: 30 * time.Minute,
	}
	for n := 25; n <= 500; n += 25 {
		e.clients = append(e.clients, n)
	}
	return &Preset{
		Name: "submit", Seeds: 10, Title: "job submission: 25 to 500 submitters and one schedd (Thain and Livny 2003, figures 1 to 3)",
		About: "Submitters share a machine with a schedd. Each submission holds file descriptors; when the schedd cannot get one\n" +
			"it crashes, and all connections with it. Fixed tries again at once, aloha is a plain try, ethernet looks whether\n" +
			"enough descriptors are free before it submits.",
		Parameters: e.parameters(), run: e.report,
	}
}

func (e *submitted) parameters() []Parameter {
	s := &e.submission
	return append([]Parameter{
		{"clients", "submitters", List(&e.clients, func(n *int) Value { return Whole(n, 1, 100_000) })},
		{"limit", "length of a run", Time(&s.limit, time.Second, 24*time.Hour)},
		{"descriptors", "free descriptors at the start", Whole(&s.descriptors, 1, 1<<30)},
		{"threshold", "ethernet submits only with so many free", Whole(&s.threshold, 0, 1<<30)},
		{"shell", "descriptors that a submission holds from its start", Whole(&s.shell, 0, 1<<20)},
		{"transfer", "descriptors that it holds once connected, on average", Whole(&s.transfer, 0, 1<<20)},
		{"accept", "descriptors that the schedd holds for it", Whole(&s.accept, 0, 1<<20)},
		{"probe", "processor time of ethernet's probe", Time(&s.probe, 0, time.Hour)},
		{"submit", "processor time of starting condor_submit", Time(&s.submit, time.Microsecond, time.Hour)},
		{"serve", "processor time of taking a job in", Time(&s.serve, time.Microsecond, time.Hour)},
		{"connection", "more of it for each connection there is", Time(&s.connection, 0, time.Hour)},
		{"crash", "from a crash until the schedd is started again", Time(&s.crash, 0, time.Hour)},
		{"restart", "processor time of its start", Time(&s.restart, 0, time.Hour)},
		{"start", "submitters start at random moments within", Time(&s.start, 0, time.Hour)},
		{"watched", "submitters of the series over time (figures 2, 3)", Whole(&e.watched, 1, 100_000)},
		{"watch", "length of these series; 0 leaves them out", Time(&e.watch, 0, 24*time.Hour)},
	}, s.tries.parameters()...)
}

// report runs the sweep, and then the series over time.
func (e *submitted) report(ctx context.Context, runs herd.Runs) *Report {
	points := len(disciplines) * len(e.clients)
	watched := []discipline{aloha, ethernet}
	if e.watch == 0 {
		watched = nil
	}
	results := herd.Each(ctx, runs, points+len(watched), func(ctx context.Context, point int, seed uint64) *schedd {
		if point >= points {
			return e.run(ctx, watched[point-points], e.watched, e.watch, seed)
		}
		w := e.run(ctx, disciplines[point/len(e.clients)], e.clients[point%len(e.clients)], e.limit, seed)
		w.submitters, w.gauge, w.accepted = nil, herd.Series{}, herd.Series{}
		return w
	})
	r := &Report{}
	for _, list := range results {
		for _, w := range list {
			r.Events += w.sim.Events()
		}
	}
	e.sweep(r, results[:points])
	for i, d := range watched {
		e.series(r, d, results[points+i])
	}
	return r
}

// sweep is figure 1.
func (e *submitted) sweep(r *Report, results [][]*schedd) {
	sweep := sweep{
		name: "jobs", title: fmt.Sprintf("jobs accepted in %v", Brief(e.limit)), label: "submitters",
		y: Axis{Label: "jobs accepted in " + Brief(e.limit)}, x: Axis{Label: "submitters"},
	}
	for i, d := range disciplines {
		published := figure("fig1_" + d.String())
		sweep.curve(d.String(), e.clients, published, 3, func(at int) herd.Sample {
			return sample(results[i*len(e.clients)+at], func(w *schedd) float64 { return float64(w.jobs) })
		})
	}
	sweep.into(r, "figure 1")
	t := Table{Name: "collisions", Title: "collisions, deferrals and crashes", Labels: []string{"submitters", "discipline"},
		Columns: []Column{{Name: "collisions"}, {Name: "deferrals"}, {Name: "crashes"}, {Name: "under 50 free", Unit: "% of the time"}}}
	for at, n := range e.clients {
		for i, d := range disciplines {
			list := results[i*len(e.clients)+at]
			t.Rows = append(t.Rows, Row{[]string{strconv.Itoa(n), d.String()}, []herd.Sample{
				sample(list, func(w *schedd) float64 { return float64(w.collisions) }),
				sample(list, func(w *schedd) float64 { return float64(w.deferrals) }),
				sample(list, func(w *schedd) float64 { return float64(w.crashes) }),
				sample(list, func(w *schedd) float64 { return 100 * w.scarce.Seconds() / e.limit.Seconds() }),
			}})
		}
	}
	r.Tables = append(r.Tables, t)
}

// series is figures 2 and 3.
func (e *submitted) series(r *Report, d discipline, list []*schedd) {
	if len(list) == 0 {
		return
	}
	number := map[discipline]string{aloha: "2", ethernet: "3"}[d]
	name := "fig" + number + "_" + d.String()
	jobs, free := figure(name+"_jobs"), figure(name+"_fds")
	title := fmt.Sprintf("%s, %d submitters", d, e.watched)
	accepted := Line{Name: d.String()}
	total := 0.0
	for i, v := range list[0].accepted.Values {
		total += v
		accepted.point(float64(i), herd.Sample{total})
	}
	r.Figures = append(r.Figures,
		Figure{Name: d.String() + "-descriptors", Title: title, X: Axis{Label: "time (s)"}, Y: Axis{Label: "free descriptors"},
			Lines: []Line{over(d.String(), &list[0].gauge, 1), free.thinned(300)}},
		Figure{Name: d.String() + "-jobs", Title: title, X: Axis{Label: "time (s)"}, Y: Axis{Label: "jobs accepted"},
			Lines: []Line{accepted, jobs.thinned(300)}})
	if e.watched != 400 || e.watch != 30*time.Minute {
		return
	}
	r.Comparisons = append(r.Comparisons,
		Comparison{"figure " + number + ": jobs in 1,800 s, " + title, jobs.last(), sample(list, func(w *schedd) float64 { return float64(w.jobs) })})
	if d == aloha {
		r.Comparisons = append(r.Comparisons,
			Comparison{"figure 2: % of the time with under 50 descriptors free", 26, sample(list, func(w *schedd) float64 { return 100 * w.scarce.Seconds() / e.watch.Seconds() })})
	}
}
