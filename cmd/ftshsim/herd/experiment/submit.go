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
	free       int             // descriptors
	queue      []*herd.Process // of the submitters that are connected, in order; the first is served
	serving    *task
	down       bool
	jammed     bool // a connection was accepted for which there was no descriptor
	crashes    int
	scarce     time.Duration // with fewer than 50 free
	scarceFrom time.Duration
}

func (e *submission) simulate(ctx context.Context, d discipline, submitters int, until time.Duration, seed uint64) run {
	w := &schedd{submission: e, machine: newMachine(d, seed), free: e.Descriptors}
	defer w.Close()
	jobs, gauge, accepted := measure.Series{Every: time.Second}, Line{}, Line{}
	for range submitters {
		w.Go(func(p *herd.Process) {
			p.SleepWithin(e.Start)
			w.try(p, e.plan(d, until), 0, new(int), func() bool {
				return w.senses(p, e.Probe, func() bool { return w.free >= e.Threshold }) && w.submit(p, &jobs)
			})
		})
	}
	w.Go(func(p *herd.Process) {
		for p.Sleep(0); ; p.Sleep(time.Second) {
			gauge.addPoint(w.Now().Seconds(), float64(w.free))
		}
	})
	_ = w.Run(ctx, nil, until)
	w.take(0)
	total := 0.0
	for i, v := range jobs.Values {
		total += v
		accepted.addPoint(float64(i), total)
	}
	return run{events: w.Events(), values: map[string]float64{
		"jobs": total, "collisions": float64(w.collisions), "deferrals": float64(w.deferrals),
		"crashes": float64(w.crashes), "under 50 free": 100 * w.scarce.Seconds() / until.Seconds(),
	}, curves: map[string]Line{"jobs": accepted, "descriptors": gauge}}
}

// take takes descriptors, or gives them back, and watches how scarce they are.
func (w *schedd) take(n int) {
	if w.free < 50 {
		w.scarce += w.Now() - w.scarceFrom
	}
	w.free -= n
	w.scarceFrom = w.Now()
}

// submit runs condor_submit, which connects to the schedd, and reports whether the job was accepted.
func (w *schedd) submit(p *herd.Process, jobs *measure.Series) bool {
	holds := min(w.Shell, w.free)
	w.take(holds)
	w.begin(w.Submit, func() {
		p.Resume(true)
		if w.jammed { // once the submitter that has jammed it has failed
			w.crash()
		}
	})
	p.Wait()
	accepted, wanted := false, int(float64(w.Transfer)*(0.5+w.Dice().Float64()))
	switch {
	case w.down, holds < w.Shell, w.free < wanted:
	case w.free < wanted+w.Accept:
		w.jammed = true
	default:
		w.take(wanted + w.Accept)
		holds += wanted + w.Accept
		if w.queue = append(w.queue, p); len(w.queue) == 1 {
			w.serveNext(jobs)
		}
		accepted = p.Wait()
	}
	w.take(-holds)
	if !accepted {
		w.collisions++
	}
	return accepted
}

// serveNext takes the next job in. Its submitter begins its next one at once.
func (w *schedd) serveNext(jobs *measure.Series) {
	if len(w.queue) == 0 {
		return
	}
	w.serving = w.begin(w.Serve+time.Duration(len(w.queue))*w.Connection, func() {
		s := w.queue[0]
		w.queue = w.queue[1:]
		jobs.Add(w.Now(), 1)
		w.serveNext(jobs)
		s.Resume(true)
	})
}

// crash is the broadcast jam: the schedd is gone, and all connections with it.
func (w *schedd) crash() {
	w.crashes++
	w.down, w.jammed = true, false
	w.kill(w.serving)
	connected := w.queue
	w.queue = nil
	for _, s := range connected {
		s.Resume(false)
	}
	w.Go(func(p *herd.Process) {
		p.Sleep(w.Crash)
		w.compute(p, w.Restart)
		w.down = false
	})
}

// studies are the sweep, and the first run of aloha and of ethernet over time.
func (e *submission) studies() []study {
	list := []study{{part: "sweep", names: disciplines, along: numbersOf("%d", e.Clients), within: 3,
		run: func(ctx context.Context, d, n int, seed uint64) run {
			return e.simulate(ctx, discipline(d), e.Clients[n], e.Limit, seed)
		}}}
	if e.Watch > 0 {
		watched := fmt.Sprintf("%d for %s", e.Watched, parameter.Brief(e.Watch))
		list = append(list, study{part: "watched", names: disciplines[aloha:], along: numbers{[]string{watched}, []float64{0}},
			run: func(ctx context.Context, d, _ int, seed uint64) run {
				return e.simulate(ctx, aloha+discipline(d), e.Watched, e.Watch, seed)
			}})
	}
	return list
}
