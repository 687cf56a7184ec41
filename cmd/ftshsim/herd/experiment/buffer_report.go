package experiment

import (
	"context"

	"ftsh/cmd/ftshsim/herd"
	"ftsh/cmd/ftshsim/herd/measure"
	"ftsh/cmd/ftshsim/herd/parameter"
)

// buffered is the experiment: figures 4 and 5 of Thain and Livny 2003.
type buffered struct {
	Clients []int `default:"5,10,15,20,25,30,35,40,45,50" range:"1 100000" help:"producers"`
	buffering
}

// bufferPreset is the shared disk buffer of Thain and Livny 2003.
func bufferPreset() *Preset {
	e := &buffered{}
	return &Preset{
		Name: "buffer", Seeds: 10,
		Title: "shared disk buffer: 5 to 50 producers and one consumer (Thain and Livny 2003, figures 4 and 5)",
		About: "Producers write files of random size into a buffer, and one consumer takes them out. " +
			"A file that does not fit is\n" +
			"deleted and made anew: fixed does that at once, " +
			"aloha is a plain try, ethernet looks before whether there will be\n" +
			"room. They share a processor, so that the files of the unlucky slow the consumer down.",
		Assumed: "Printed: the sizes, a file a second, 1 MB/s, the waits. Chosen to fit the figures: " +
			"the processor times (--begin, --probe,\n" +
			"--consume), the consumer's pause (--look), --own, --start, " +
			"and the length of a run (--limit), which is not printed.",
		Parameters: parameter.Of(e), run: e.makeReport,
	}
}

func (w *buffer) eventCount() uint64 { return w.events }

// makeReport runs the sweep.
func (e *buffered) makeReport(ctx context.Context, runs herd.Runs) *Report {
	results := herd.Each(ctx, runs, len(disciplines)*len(e.Clients),
		func(ctx context.Context, point int, seed uint64) *buffer {
			w := e.simulateProducers(ctx, disciplines[point/len(e.Clients)], e.Clients[point%len(e.Clients)], seed)
			w.sim, w.cpu, w.complete = nil, processor{}, nil
			return w
		})
	r := &Report{Events: sumEvents(results)}
	e.publishedFigure(r, results, "figure 4", "files", "files consumed", "fig4_",
		func(w *buffer) float64 { return float64(w.consumed) })
	e.publishedFigure(r, results, "figure 5", "collisions", "collisions", "fig5_",
		func(w *buffer) float64 { return float64(w.collisions) })
	e.unpublishedTable(r, results)
	return r
}

// publishedFigure is one of the published ones.
func (e *buffered) publishedFigure(r *Report, results [][]*buffer, source, name, title, file string,
	value func(*buffer) float64) {
	s := sweep{
		name: name, title: title, label: "producers",
		x: Axis{Label: "producers"}, y: Axis{Label: title + " in " + parameter.Brief(e.Limit)},
	}
	for i, d := range disciplines {
		s.addCurve(d.String(), e.Clients, publishedCurve(file+d.String()), 1, func(at int) measure.Sample {
			return sampleOf(results[i*len(e.Clients)+at], value)
		})
	}
	s.putInto(r, source)
}

// unpublishedTable adds the figures that were not published.
func (e *buffered) unpublishedTable(r *Report, results [][]*buffer) {
	t := Table{Name: "work", Title: "deferrals, wasted work, idle time and fairness", Labels: []string{"producers"}}
	addDisciplines(r, t, e.Clients, []quantity[*buffer]{
		{"attempts per file", "", func(w *buffer) float64 {
			return float64(w.filesWritten()+w.collisions) / float64(w.filesWritten())
		}},
		{"deferrals", "", func(w *buffer) float64 { return float64(w.deferrals) }},
		{"wasted", "% of the files begun", func(w *buffer) float64 {
			return 100 * float64(w.collisions) / float64(w.filesWritten()+w.collisions)
		}},
		{"idle", "% of the consumer's time", func(w *buffer) float64 {
			return 100 * w.starved.Seconds() / e.Limit.Seconds()
		}},
		{"fairness", "", func(w *buffer) float64 { return measure.Fairness(w.producerShares()) }},
	}, results)
}

// producerShares counts the files that each producer got done.
func (w *buffer) producerShares() []int {
	var list []int
	for i := range w.producers {
		list = append(list, w.producers[i].done)
	}
	return list
}

// filesWritten counts the files that went into the buffer.
func (w *buffer) filesWritten() int {
	sum := 0
	for _, n := range w.producerShares() {
		sum += n
	}
	return sum
}
