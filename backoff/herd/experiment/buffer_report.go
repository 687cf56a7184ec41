package experiment

import (
	"context"
	"strconv"
	"time"

	"ftsh/backoff"
	"ftsh/backoff/herd"
)

// buffered is the experiment: figures 4 and 5 of Thain and Livny 2003.
type buffered struct {
	buffering
	clients []int
}

// Buffer is the shared disk buffer of Thain and Livny 2003.
func Buffer() *Preset {
	e := &buffered{buffering: buffering{
		size: 120, file: 1, limit: time.Minute, every: time.Second,
		begin: 85 * time.Millisecond, probe: 10 * time.Millisecond,
		rate: 1, look: 400 * time.Millisecond, consume: 150 * time.Millisecond, own: 1, delay: time.Second,
		tries: tries{backoff.Ethernet, time.Second, time.Hour, 2},
	}}
	for n := 5; n <= 50; n += 5 {
		e.clients = append(e.clients, n)
	}
	return &Preset{
		Name: "buffer", Seeds: 10, Title: "shared disk buffer: 5 to 50 producers and one consumer (Thain and Livny 2003, figures 4 and 5)",
		About: "Producers write files of random size into a buffer, and one consumer takes them out. A file that does not fit is\n" +
			"deleted and made anew: fixed does that at once, aloha is a plain try, ethernet looks before whether there will be\n" +
			"room. They share a processor, so that the files of the unlucky slow the consumer down.",
		Parameters: e.parameters(), run: e.report,
	}
}

func (e *buffered) parameters() []Parameter {
	b := &e.buffering
	return append([]Parameter{
		{"clients", "producers", List(&e.clients, func(n *int) Value { return Whole(n, 1, 100_000) })},
		{"limit", "length of a run", Time(&b.limit, time.Second, 24*time.Hour)},
		{"buffer", "its size in MB", Real(&b.size, 0.001, 1e9)},
		{"file", "largest file in MB, sizes are uniform from 0", Real(&b.file, 0.001, 1e6)},
		{"every", "a producer takes so long for a file", Time(&b.every, time.Millisecond, time.Hour)},
		{"begin", "processor time of starting a producer's program", Time(&b.begin, time.Microsecond, time.Hour)},
		{"probe", "processor time of ethernet's probe", Time(&b.probe, 0, time.Hour)},
		{"own", "ethernet counts so many files more as incomplete: its own", Whole(&b.own, 0, 1000)},
		{"rate", "at which the consumer reads, in MB/s", Real(&b.rate, 0.001, 1e6)},
		{"look", "the consumer's pause before each file", Time(&b.look, 0, time.Hour)},
		{"consume", "processor time of handling a file", Time(&b.consume, 0, time.Hour)},
		{"start", "producers start at random moments within", Time(&b.delay, 0, time.Hour)},
	}, b.tries.parameters()...)
}

// report runs the sweep.
func (e *buffered) report(ctx context.Context, runs herd.Runs) *Report {
	results := herd.Each(ctx, runs, len(disciplines)*len(e.clients), func(ctx context.Context, point int, seed uint64) *buffer {
		w := e.run(ctx, disciplines[point/len(e.clients)], e.clients[point%len(e.clients)], seed)
		w.sim, w.cpu, w.complete = nil, processor{}, nil
		return w
	})
	r := &Report{}
	for _, list := range results {
		for _, w := range list {
			r.Events += w.events
		}
	}
	e.figure(r, results, "figure 4", "files", "files consumed", "fig4_", func(w *buffer) float64 { return float64(w.consumed) })
	e.figure(r, results, "figure 5", "collisions", "collisions", "fig5_", func(w *buffer) float64 { return float64(w.collisions) })
	e.others(r, results)
	return r
}

// figure is one of the published ones.
func (e *buffered) figure(r *Report, results [][]*buffer, source, name, title, file string, measure func(*buffer) float64) {
	s := sweep{
		name: name, title: title, label: "producers",
		x: Axis{Label: "producers"}, y: Axis{Label: title + " in " + Brief(e.limit)},
	}
	for i, d := range disciplines {
		s.curve(d.String(), e.clients, figure(file+d.String()), 1, func(at int) herd.Sample {
			return sample(results[i*len(e.clients)+at], measure)
		})
	}
	s.into(r, source)
}

// others is what was not published.
func (e *buffered) others(r *Report, results [][]*buffer) {
	t := Table{Name: "work", Title: "deferrals, wasted work, idle time and fairness", Labels: []string{"producers", "discipline"},
		Columns: []Column{{Name: "attempts per file"}, {Name: "deferrals"}, {Name: "wasted", Unit: "% of the files begun"}, {Name: "idle", Unit: "% of the consumer's time"}, {Name: "fairness"}}}
	for at, n := range e.clients {
		for i, d := range disciplines {
			list := results[i*len(e.clients)+at]
			t.Rows = append(t.Rows, Row{[]string{strconv.Itoa(n), d.String()}, []herd.Sample{
				sample(list, func(w *buffer) float64 { return float64(w.written()+w.collisions) / float64(w.written()) }),
				sample(list, func(w *buffer) float64 { return float64(w.deferrals) }),
				sample(list, func(w *buffer) float64 {
					return 100 * float64(w.collisions) / float64(w.written()+w.collisions)
				}),
				sample(list, func(w *buffer) float64 { return 100 * w.starved.Seconds() / e.limit.Seconds() }),
				sample(list, func(w *buffer) float64 { return herd.Fairness(w.shares()) }),
			}})
		}
	}
	r.Tables = append(r.Tables, t)
}

// shares is what each producer got done.
func (w *buffer) shares() []int {
	var list []int
	for i := range w.producers {
		list = append(list, w.producers[i].done)
	}
	return list
}

// written is how many files went into the buffer.
func (w *buffer) written() int {
	sum := 0
	for _, n := range w.shares() {
		sum += n
	}
	return sum
}
