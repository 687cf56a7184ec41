package experiment

import (
	"context"
	"time"

	"ftsh/backoff"
	"ftsh/cmd/ftshsim/herd"
	"ftsh/cmd/ftshsim/herd/measure"
)

// submission is the machine on which Thain and Livny's submitters and their
// schedd run. The submitters share its file descriptors and its processor.
type submission struct {
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
}

// schedd is a simulation of the machine.
type schedd struct {
	submission
	discipline discipline
	sim        *herd.Sim
	cpu        processor
	submitters []submitter
	free       int      // descriptors
	queue      []uint32 // submitters that are connected, in order; the first is served
	down       bool
	jobs       int
	crashes    int
	collisions int
	deferrals  int
	scarce     time.Duration // with fewer than 50 free
	scarceFrom time.Duration
	gauge      measure.Series // free descriptors, each second
	accepted   measure.Series
}

// submitter is one of the clients.
type submitter struct {
	loop      backoff.Loop
	holds     int
	connected bool
}

// What of the events.
const (
	submitterTries  uint32 = iota // Who waits no longer
	submitterProbed               // the probe is done
	submitterReady                // condor_submit has started
	scheddServed                  // the first in the queue was taken in
	scheddStarts                  // the time after a crash is over
	scheddReady                   // it has started
	scheddGauge                   // each second
	scheddProcessor
)

// simulateSubmitters simulates a number of submitters until that time.
func (s submission) simulateSubmitters(ctx context.Context, d discipline, submitters int, until time.Duration,
	seed uint64) *schedd {
	s.Limit = until
	w := &schedd{submission: s, discipline: d, sim: herd.New(seed),
		free: s.Descriptors, submitters: make([]submitter, submitters)}
	w.gauge.Every, w.accepted.Every = time.Second, time.Second
	w.cpu = processor{sim: w.sim, what: scheddProcessor, done: func(t task) { w.Happen(t.event) }}
	for who := range w.submitters {
		at := time.Duration(w.sim.Dice().Float64() * float64(s.Start))
		w.submitters[who].loop = backoff.NewLoop(d.tryPlan(until, s.backoffOf()), w.sim.Dice())
		w.sim.At(at, herd.Event{Who: uint32(who), What: submitterTries})
	}
	w.sim.At(0, herd.Event{What: scheddGauge})
	_ = w.sim.Run(ctx, w, until)
	w.takeDescriptors(0)
	return w
}

// Happen implements [herd.World].
func (w *schedd) Happen(e herd.Event) {
	switch e.What {
	case submitterTries:
		w.beginAttempt(e.Who)
	case submitterProbed:
		w.endProbe(e.Who)
	case submitterReady:
		w.connectSubmitter(e.Who)
	case scheddServed:
		w.endSubmission()
	case scheddStarts:
		w.cpu.beginWork(w.Restart, herd.Event{What: scheddReady})
	case scheddReady:
		w.down = false
	case scheddGauge:
		w.gauge.Add(w.sim.Now(), float64(w.free))
		w.sim.After(time.Second, e)
	default:
		w.cpu.takeEvent(e)
	}
}

// takeDescriptors takes descriptors, or gives them back, and watches how scarce they are.
func (w *schedd) takeDescriptors(n int) {
	const few = 50
	if w.free < few {
		w.scarce += w.sim.Now() - w.scarceFrom
	}
	w.free -= n
	w.scarceFrom = w.sim.Now()
}

// beginAttempt begins an attempt.
func (w *schedd) beginAttempt(who uint32) {
	if w.submitters[who].loop.Begin(w.sim.Now()) != "" {
		return
	}
	if w.discipline == ethernet {
		w.cpu.beginWork(w.Probe, herd.Event{Who: who, What: submitterProbed})
		return
	}
	w.submitJob(who)
}

// endProbe is the end of ethernet's probe.
func (w *schedd) endProbe(who uint32) {
	if w.free < w.Threshold {
		w.deferrals++
		w.waitAfterFailure(who)
		return
	}
	w.submitJob(who)
}

// submitJob starts condor_submit.
func (w *schedd) submitJob(who uint32) {
	s := &w.submitters[who]
	s.holds = min(w.Shell, w.free)
	w.takeDescriptors(s.holds)
	w.cpu.beginWork(w.Submit, herd.Event{Who: who, What: submitterReady})
}

// connectSubmitter does what condor_submit does once it runs.
func (w *schedd) connectSubmitter(who uint32) {
	s := &w.submitters[who]
	client := int(float64(w.Transfer) * (0.5 + w.sim.Dice().Float64()))
	switch {
	case w.down, s.holds < w.Shell, w.free < client:
		w.failSubmission(who)
	case w.free < client+w.Accept:
		w.failSubmission(who)
		w.crashes++
		w.crashNow()
	default:
		w.takeDescriptors(client + w.Accept)
		s.holds += client + w.Accept
		s.connected = true
		w.queue = append(w.queue, who)
		if len(w.queue) == 1 {
			w.serveNext()
		}
	}
}

// serveNext takes the next job in.
func (w *schedd) serveNext() {
	if len(w.queue) > 0 {
		work := w.Serve + time.Duration(len(w.queue))*w.Connection
		w.cpu.beginWork(work, herd.Event{What: scheddServed})
	}
}

// endSubmission is the end of a submission that went well. The submitter begins its
// next one at once.
func (w *schedd) endSubmission() {
	who := w.queue[0]
	w.queue = w.queue[1:]
	s := &w.submitters[who]
	w.releaseDescriptors(s)
	w.jobs++
	w.accepted.Add(w.sim.Now(), 1)
	s.loop = backoff.NewLoop(w.discipline.tryPlan(w.Limit, w.backoffOf()), w.sim.Dice())
	w.serveNext()
	w.beginAttempt(who)
}

// crashNow is the broadcast jam: the schedd is gone, and all connections with it.
func (w *schedd) crashNow() {
	w.down = true
	w.cpu.killTasks(herd.Event{What: scheddServed})
	connected := w.queue
	w.queue = nil
	for _, who := range connected {
		w.failSubmission(who)
	}
	w.sim.After(w.Crash, herd.Event{What: scheddStarts})
}

func (w *schedd) releaseDescriptors(s *submitter) {
	w.takeDescriptors(-s.holds)
	s.holds, s.connected = 0, false
}

// failSubmission is a submission that failed.
func (w *schedd) failSubmission(who uint32) {
	w.collisions++
	w.releaseDescriptors(&w.submitters[who])
	w.waitAfterFailure(who)
}

// waitAfterFailure lets a submitter wait.
func (w *schedd) waitAfterFailure(who uint32) {
	at, stop := w.submitters[who].loop.Failed(w.sim.Now(), 0)
	if stop == "" {
		w.sim.At(at, herd.Event{Who: who, What: submitterTries})
	}
}
