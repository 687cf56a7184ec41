package experiment

import (
	"fmt"
	"maps"
	"time"

	"ftsh/cmd/ftshsim/herd"
	"ftsh/cmd/ftshsim/herd/crowd"
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
	gauge      Line            // of them, over time
	queue      []*herd.Process // of the submitters that are connected, in order; the first is served
	serving    *task
	down       bool
	jammed     bool // a connection was accepted for which there was no descriptor
	crashes    int
	scarce     time.Duration // with fewer than 50 free
	scarceFrom time.Duration
}

// studies are the sweep, and the first run of aloha and of ethernet over time.
func (e *submission) studies() []study {
	list := []study{{part: "sweep", names: disciplines, along: numbersOf("%d", e.Clients), within: 3,
		of: func(d, n int, sim *herd.Sim) episode { return e.episode(sim, discipline(d), e.Clients[n], e.Limit) }}}
	if e.Watch > 0 {
		list = append(list, study{part: "watched", names: disciplines[aloha:],
			along: alone(fmt.Sprintf("%d for %s", e.Watched, parameter.Brief(e.Watch))),
			of: func(d, _ int, sim *herd.Sim) episode {
				return e.episode(sim, aloha+discipline(d), e.Watched, e.Watch)
			}})
	}
	return list
}

func (e *submission) episode(sim *herd.Sim, d discipline, submitters int, until time.Duration) episode {
	w := &schedd{submission: e, free: e.Descriptors}
	w.machine = machine{Sim: sim, discipline: d, probe: e.Probe, work: w.submit,
		enough: func() bool { return w.free >= e.Threshold }}
	return episode{clients: crowd.Config{Clients: submitters, Start: e.Start, Attempt: w.attempt,
		Layers: e.layers(d, until)}, until: until, beside: w.watch, measure: w.measure}
}

// watch reads the gauge each second.
func (w *schedd) watch(p *herd.Process) {
	for p.Sleep(0); ; p.Sleep(time.Second) {
		w.gauge.addPoint(w.Now().Seconds(), float64(w.free))
	}
}

func (w *schedd) measure(t *measure.Tally, one *run) {
	w.take(0)
	total, accepted := 0.0, Line{}
	for i, v := range t.Finished.Values {
		total += v
		accepted.addPoint(float64(i), total)
	}
	maps.Copy(one.values, map[string]float64{
		"jobs": total, "collisions": float64(w.collisions), "deferrals": float64(w.deferrals),
		"crashes": float64(w.crashes), "under 50 free": 100 * w.scarce.Seconds() / t.Until.Seconds()})
	one.curves["jobs so far"], one.curves["descriptors"] = accepted, w.gauge
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
func (w *schedd) submit(c *crowd.Client) bool {
	holds := min(w.Shell, w.free)
	w.take(holds)
	w.begin(w.Submit, func() {
		c.Resume(true)
		if w.jammed { // once the submitter that has jammed it has failed
			w.crash()
		}
	})
	c.Wait()
	accepted, wanted := false, int(float64(w.Transfer)*(0.5+w.Dice().Float64()))
	switch {
	case w.down, holds < w.Shell, w.free < wanted:
	case w.free < wanted+w.Accept:
		w.jammed = true
	default:
		w.take(wanted + w.Accept)
		holds += wanted + w.Accept
		if w.queue = append(w.queue, c.Process); len(w.queue) == 1 {
			w.serveNext()
		}
		accepted = c.Wait()
	}
	w.take(-holds)
	return accepted
}

// serveNext takes the next job in. Its submitter begins its next one at once.
func (w *schedd) serveNext() {
	if len(w.queue) == 0 {
		return
	}
	w.serving = w.begin(w.Serve+time.Duration(len(w.queue))*w.Connection, func() {
		s := w.queue[0]
		w.queue = w.queue[1:]
		w.serveNext()
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
