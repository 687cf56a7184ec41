package experiment

import (
	"context"
	"time"

	"ftsh/backoff"
	"ftsh/cmd/ftshsim/herd"
)

// buffering is a disk buffer between producers and one consumer, all on one
// machine, whose processor they share.
type buffering struct {
	Limit   time.Duration `default:"1m" range:"1s 24h" help:"length of a run"`
	Size    float64       `long:"buffer" default:"120" range:"0.001 1e9" help:"its size in MB"`
	File    float64       `default:"1" range:"0.001 1e6" help:"largest file in MB, sizes are uniform from 0"`
	Every   time.Duration `default:"1s" range:"1ms 1h" help:"a producer takes so long for a file"`
	Begin   time.Duration `default:"85ms" range:"1us 1h" help:"processor time of starting a producer's program"`
	Probe   time.Duration `default:"10ms" range:"0s 1h" help:"processor time of ethernet's probe"`
	Own     int           `default:"1" range:"0 1000" help:"ethernet counts so many files more as incomplete: its own"`
	Rate    float64       `default:"1" range:"0.001 1e6" help:"at which the consumer reads, in MB/s"`
	Look    time.Duration `default:"400ms" range:"0s 1h" help:"the consumer's pause before each file"`
	Consume time.Duration `default:"150ms" range:"0s 1h" help:"processor time of handling a file"`
	Start   time.Duration `default:"1s" range:"0s 1h" help:"producers start at random moments within"`
	tries
}

// buffer is a simulation of it. Sizes are in bytes.
type buffer struct {
	buffering
	discipline discipline
	sim        *herd.Sim
	cpu        processor
	producers  []producer
	free       int64
	complete   []int64 // sizes of the complete files, in order
	stored     int64   // their sum
	incomplete int
	consumed   int
	collisions int
	deferrals  int
	wasted     int64         // bytes that were written and deleted again
	starved    time.Duration // the consumer found nothing
	events     uint64
}

// producer is one of them.
type producer struct {
	loop backoff.Loop
	done int
}

// What of the events.
const (
	producerTries   uint32 = iota // Who waits no longer
	producerLooked                // ethernet's probe is done
	producerRuns                  // it has started
	producerEnds                  // it knows how much there is to write
	consumerLooks                 // its pause is over
	consumerOpens                 // it has a file, or has found none
	consumerDeletes               // it has read it
	bufferProcessor
)

const megabyte = 1e6

// simulateProducers simulates a number of producers.
func (b buffering) simulateProducers(ctx context.Context, d discipline, producers int, seed uint64) *buffer {
	w := &buffer{buffering: b, discipline: d, sim: herd.New(seed),
		producers: make([]producer, producers), free: int64(b.Size * megabyte)}
	w.cpu = processor{sim: w.sim, what: bufferProcessor, done: func(t task) { w.Happen(t.event) }}
	for who := range w.producers {
		at := time.Duration(w.sim.Dice().Float64() * float64(b.Start))
		w.beginFile(uint32(who))
		w.sim.At(at, herd.Event{Who: uint32(who), What: producerTries})
	}
	w.sim.At(0, herd.Event{What: consumerLooks})
	_ = w.sim.Run(ctx, w, b.Limit)
	w.events = w.sim.Events()
	return w
}

// Happen implements [herd.World].
func (w *buffer) Happen(e herd.Event) {
	switch e.What {
	case producerTries:
		w.beginAttempt(e.Who)
	case producerLooked:
		w.endProbe(e.Who)
	case producerRuns:
		w.sim.After(w.Every, herd.Event{Who: e.Who, What: producerEnds})
	case producerEnds:
		w.writeFile(e.Who)
	case consumerLooks:
		w.cpu.beginWork(w.Consume, herd.Event{What: consumerOpens})
	case consumerOpens:
		w.consumeOldest()
	case consumerDeletes:
		w.endOfFile()
	default:
		w.cpu.takeEvent(e)
	}
}

// beginFile begins the try of a producer's next file.
func (w *buffer) beginFile(who uint32) {
	w.producers[who].loop = backoff.NewLoop(w.discipline.tryPlan(backoff.Never, w.backoffOf()), w.sim.Dice())
}

// beginAttempt begins an attempt.
func (w *buffer) beginAttempt(who uint32) {
	w.producers[who].loop.Begin(w.sim.Now())
	if w.discipline == ethernet {
		w.cpu.beginWork(w.Probe, herd.Event{Who: who, What: producerLooked})
		return
	}
	w.startFile(who)
}

// startFile creates the file and starts the program that fills it.
func (w *buffer) startFile(who uint32) {
	w.incomplete++
	w.cpu.beginWork(w.Begin, herd.Event{Who: who, What: producerRuns})
}

// endProbe is the end of ethernet's probe: would there be room for all files that
// are being written, and this one, if they became as large as the complete ones
// are on average?
func (w *buffer) endProbe(who uint32) {
	expected := int64(0)
	if n := int64(len(w.complete)); n > 0 {
		expected = int64(w.incomplete+w.Own) * w.stored / n
	}
	if w.free-expected <= 0 {
		w.deferrals++
		w.waitAfterFailure(who)
		return
	}
	w.startFile(who)
}

// writeFile puts a file into the buffer, if it fits.
func (w *buffer) writeFile(who uint32) {
	w.incomplete--
	size := int64(w.sim.Dice().Float64() * w.File * megabyte)
	if size > w.free {
		w.collisions++
		w.wasted += w.free // as much as went in
		w.waitAfterFailure(who)
		return
	}
	w.free -= size
	w.stored += size
	w.complete = append(w.complete, size)
	w.producers[who].done++
	w.beginFile(who)
	w.beginAttempt(who)
}

// waitAfterFailure lets a producer wait.
func (w *buffer) waitAfterFailure(who uint32) {
	at, _ := w.producers[who].loop.Failed(w.sim.Now(), 0) // nothing limits it
	w.sim.At(at, herd.Event{Who: who, What: producerTries})
}

// consumeOldest has the consumer read the oldest file.
func (w *buffer) consumeOldest() {
	if len(w.complete) == 0 {
		w.starved += w.Look
		w.sim.After(max(w.Look, time.Microsecond), herd.Event{What: consumerLooks})
		return
	}
	takes := float64(w.complete[0]) / (w.Rate * megabyte) * float64(time.Second)
	w.sim.After(time.Duration(takes), herd.Event{What: consumerDeletes})
}

// endOfFile is the end of a file.
func (w *buffer) endOfFile() {
	size := w.complete[0]
	w.complete = w.complete[1:]
	w.stored -= size
	w.free += size
	w.consumed++
	w.sim.After(max(w.Look, time.Microsecond), herd.Event{What: consumerLooks})
}
