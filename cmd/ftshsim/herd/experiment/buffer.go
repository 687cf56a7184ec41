package experiment

import (
	"maps"
	"time"

	"ftsh/backoff"
	"ftsh/cmd/ftshsim/herd"
	"ftsh/cmd/ftshsim/herd/crowd"
	"ftsh/cmd/ftshsim/herd/measure"
)

// buffering is figures 4 and 5 of Thain and Livny 2003: a disk buffer between producers and one consumer, all on one
// machine, whose processor they share.
type buffering struct {
	Clients []int         `default:"5,10,15,20,25,30,35,40,45,50" range:"1 100000" help:"producers"`
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
	*buffering
	machine
	free       int64
	complete   []int64 // sizes of the complete files, in order
	stored     int64   // their sum
	incomplete int
	consumed   int
	starved    time.Duration // the consumer found nothing
}

const megabyte = 1e6

func (e *buffering) studies() []study {
	return []study{{part: "sweep", names: disciplines, along: numbersOf("%d", e.Clients), within: 1,
		of: func(d, n int, sim *herd.Sim) episode {
			w := &buffer{buffering: e, free: int64(e.Size * megabyte)}
			w.machine = machine{Sim: sim, discipline: discipline(d), probe: e.Probe, enough: w.hasRoom, work: w.create}
			return episode{clients: crowd.Config{Clients: e.Clients[n], Start: e.Start, Attempt: w.attempt,
				Layers: e.layers(w.discipline, backoff.Never)}, until: e.Limit, beside: w.consume, measure: w.measure}
		}}}
}

func (w *buffer) measure(t *measure.Tally, one *run) {
	written, failed := float64(t.Done), float64(w.collisions)
	maps.Copy(one.values, map[string]float64{
		"files": float64(w.consumed), "collisions": failed, "deferrals": float64(w.deferrals),
		"attempts per file": (written + failed) / written, "wasted": 100 * failed / (written + failed),
		"idle": 100 * w.starved.Seconds() / w.Limit.Seconds()})
}

// hasRoom is ethernet's probe: would there be room for all files that are being written, and this one, if they became
// as large as the complete ones are on average?
func (w *buffer) hasRoom() bool {
	expected := int64(0)
	if n := int64(len(w.complete)); n > 0 {
		expected = int64(w.incomplete+w.Own) * w.stored / n
	}
	return w.free-expected > 0
}

// create creates a file, runs the program that fills it, and puts it into the buffer, if it fits.
func (w *buffer) create(c *crowd.Client) bool {
	w.incomplete++
	w.compute(c.Process, w.Begin)
	c.Sleep(w.Every)
	w.incomplete--
	size := int64(w.Dice().Float64() * w.File * megabyte)
	if size > w.free {
		return false
	}
	w.free, w.stored, w.complete = w.free-size, w.stored+size, append(w.complete, size)
	return true
}

// consume looks for the oldest file again and again, and reads it if there is one.
func (w *buffer) consume(p *herd.Process) {
	for p.Sleep(0); ; p.Sleep(max(w.Look, time.Microsecond)) {
		w.compute(p, w.Consume)
		if len(w.complete) == 0 {
			w.starved += w.Look
			continue
		}
		size := w.complete[0]
		p.Sleep(time.Duration(float64(size) / (w.Rate * megabyte) * float64(time.Second)))
		w.free, w.stored, w.complete = w.free+size, w.stored-size, w.complete[1:]
		w.consumed++
	}
}
