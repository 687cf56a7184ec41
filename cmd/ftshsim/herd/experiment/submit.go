package experiment

import (
	"context"
	"fmt"
	"time"

	"ftsh/cmd/ftshsim/herd"
	"ftsh/cmd/ftshsim/herd/measure"
	"ftsh/cmd/ftshsim/herd/parameter"
)

// submission is figures 1 to 3 of Thain and Livny 2003: submitters and their schedd on one machine, whose file
// descriptors and processor they share.
type submission struct {
	Clients     []int         `range:"1 100000" help:"submitters"`
	Limit       time.Duration `default:"5m" range:"1s 24h" help:"length of a run"`
	Descriptors int           `default:"7500" range:"1 1000000000" help:"free descriptors at the start"`
	Threshold   int           `default:"1000" range:"0 1000000000" help:"ethernet submits only with so many free"`
	Shell       int           `default:"8" range:"0 1000000" help:"descriptors that a submission holds from its start"`
	Transfer    int           `default:"21" range:"0 1000000" help:"descriptors that it holds once connected, on average"`
	Accept      int           `default:"1" range:"0 1000000" help:"descriptors that the schedd holds for it"`
	Probe       time.Duration `default:"10ms" range:"0s 1h" help:"processor time of ethernet's probe"`
	Submit      time.Duration `default:"50ms" range:"1us 1h" help:"processor time of starting condor_submit"`
	Serve       time.Duration `default:"310ms" range:"1us 1h" help:"processor time of taking a job in"`
	Connection  time.Duration `default:"300us" range:"0s 1h" help:"more of it for each connection there is"`
	Crash       time.Duration `default:"30s" range:"0s 1h" help:"from a crash until the schedd is started again"`
	Restart     time.Duration `default:"2s" range:"0s 1h" help:"processor time of its start"`
	Start       time.Duration `default:"30s" range:"0s 1h" help:"submitters start at random moments within"`
	tries
	Watched int           `default:"400" range:"1 100000" help:"submitters of the series over time (figures 2, 3)"`
	Watch   time.Duration `default:"30m" range:"0s 24h" help:"length of these series; 0 leaves them out"`
}

func newSubmission() *submission {
	e := &submission{}
	for n := 25; n <= 500; n += 25 {
		e.Clients = append(e.Clients, n)
	}
	return e
}

// schedd is a simulation of the machine.
type schedd struct {
	*submission
	machine
	free       int          // descriptors
	queue      []*submitter // that are connected, in order; the first is served
	serving    *task
	down       bool
	crashes    int
	jobs       measure.Series // accepted each second
	gauge      measure.Series // free descriptors, each second
	scarce     time.Duration  // with fewer than 50 free
	scarceFrom time.Duration
}

// submitter is one of the clients.
type submitter struct {
	client
	holds int // descriptors
}

// simulate simulates a number of submitters until that time.
func (e *submission) simulate(ctx context.Context, d discipline, submitters int, until time.Duration, seed uint64) run {
	w := &schedd{submission: e, machine: newMachine(d, seed), free: e.Descriptors}
	w.jobs.Every, w.gauge.Every = time.Second, time.Second
	for range submitters {
		s := &submitter{client: newClient(w.sim, d, e.backoffOf(), until)}
		s.attempt = func() {
			w.sense(&s.client, e.Probe, func() bool { return w.free >= e.Threshold }, func() { w.submit(s) })
		}
		s.tryWithin(e.Start)
	}
	w.after(0, w.readGauge)
	_ = w.sim.Run(ctx, nil, until)
	w.take(0)
	return run{w.sim.Events(), map[string]float64{
		"jobs": w.jobs.Between(0, until+time.Second), "collisions": float64(w.collisions), "deferrals": float64(w.deferrals),
		"crashes": float64(w.crashes), "under 50 free": 100 * w.scarce.Seconds() / until.Seconds(),
	}, map[string]*measure.Series{"jobs": &w.jobs, "descriptors": &w.gauge}, nil}
}

func (w *schedd) readGauge() {
	w.gauge.Add(w.sim.Now(), float64(w.free))
	w.after(time.Second, w.readGauge)
}

// take takes descriptors, or gives them back, and watches how scarce they are.
func (w *schedd) take(n int) {
	const few = 50
	if w.free < few {
		w.scarce += w.sim.Now() - w.scarceFrom
	}
	w.free -= n
	w.scarceFrom = w.sim.Now()
}

// submit starts condor_submit, which connects to the schedd once it runs.
func (w *schedd) submit(s *submitter) {
	s.holds = min(w.Shell, w.free)
	w.take(s.holds)
	w.cpu.begin(w.Submit, func() {
		wanted := int(float64(w.Transfer) * (0.5 + w.sim.Dice().Float64()))
		switch {
		case w.down, s.holds < w.Shell, w.free < wanted:
			w.fail(s)
		case w.free < wanted+w.Accept:
			w.fail(s)
			w.crash()
		default:
			w.take(wanted + w.Accept)
			s.holds += wanted + w.Accept
			if w.queue = append(w.queue, s); len(w.queue) == 1 {
				w.serveNext()
			}
		}
	})
}

// serveNext takes the next job in. Its submitter begins its next one at once.
func (w *schedd) serveNext() {
	if len(w.queue) == 0 {
		return
	}
	work := w.Serve + time.Duration(len(w.queue))*w.Connection
	w.serving = w.cpu.begin(work, func() {
		s := w.queue[0]
		w.queue = w.queue[1:]
		w.release(s)
		w.jobs.Add(w.sim.Now(), 1)
		s.beginNext()
		w.serveNext()
		s.tryAgain()
	})
}

// crash is the broadcast jam: the schedd is gone, and all connections with it.
func (w *schedd) crash() {
	w.crashes++
	w.down = true
	w.cpu.kill(w.serving)
	connected := w.queue
	w.queue = nil
	for _, s := range connected {
		w.fail(s)
	}
	w.after(w.Crash, func() { w.cpu.begin(w.Restart, func() { w.down = false }) })
}

func (w *schedd) release(s *submitter) {
	w.take(-s.holds)
	s.holds = 0
}

func (w *schedd) fail(s *submitter) {
	w.release(s)
	w.collide(&s.client)
}

// report runs the sweep, and then the series over time.
func (e *submission) report(ctx context.Context, runs herd.Runs, r *Report) {
	parts := 2
	if e.Watch == 0 {
		parts = 1
	}
	g := r.simulate(ctx, asPart(runs, 0, parts), disciplines, numbersOf("%d", e.Clients),
		func(ctx context.Context, d, n int, seed uint64) run {
			return e.simulate(ctx, discipline(d), e.Clients[n], e.Limit, seed)
		})
	title := "jobs accepted in " + parameter.Brief(e.Limit)
	g.sweep("jobs", "figure 1", "fig1_", 3, Figure{Title: title, X: Axis{Label: "submitters"}, Y: Axis{Label: title}})
	g.tabulate(Table{Name: "collisions", Title: "collisions, deferrals and crashes",
		Labels: []string{"submitters", "discipline"}}, g.eachPoint(), asColumns([]quantity{
		{key: "collisions"}, {key: "deferrals"}, {key: "crashes"}, {key: "under 50 free", unit: "% of the time"}}))
	if e.Watch == 0 {
		return
	}
	watched := r.simulate(ctx, asPart(runs, 1, 2), disciplines[aloha:], alone,
		func(ctx context.Context, d, _ int, seed uint64) run {
			return e.simulate(ctx, aloha+discipline(d), e.Watched, e.Watch, seed)
		})
	for d := range watched.names {
		e.drawWatched(watched, d)
	}
}

// drawWatched is figure 2 or 3: the first run of a discipline over time.
func (e *submission) drawWatched(g *grid, d int) {
	list := g.point(d, 0)
	if len(list) == 0 {
		return
	}
	name, figure := g.names[d], fmt.Sprint(2+d)
	jobs := publishedCurve("fig" + figure + "_" + name + "_jobs")
	title := fmt.Sprintf("%s, %d submitters", name, e.Watched)
	accepted, total := Line{Name: name}, 0.0
	for i, v := range list[0].series["jobs"].Values {
		total += v
		accepted.addPoint(float64(i), measure.Sample{total})
	}
	time, free := Axis{Label: "time (s)"}, seriesCurve(name, list[0].series["descriptors"], 1)
	g.Figures = append(g.Figures,
		Figure{Name: name + "-descriptors", Title: title, X: time, Y: Axis{Label: "free descriptors"},
			Lines: []Line{free, publishedCurve("fig" + figure + "_" + name + "_fds")}},
		Figure{Name: name + "-jobs", Title: title, X: time, Y: Axis{Label: "jobs accepted"},
			Lines: []Line{accepted, jobs}})
	if e.Watched != 400 || e.Watch.Minutes() != 30 {
		return
	}
	for _, q := range []struct {
		key, said string
		published float64
	}{
		{"jobs", "figure " + figure + ": jobs in 1,800 s, " + title, jobs.Y[len(jobs.Y)-1][0]},
		{"under 50 free", "figure 2: % of the time with under 50 descriptors free", 26},
	}[:2-d] {
		g.Comparisons = append(g.Comparisons, Comparison{q.said, q.published, g.sample(d, 0, q.key)})
	}
}
