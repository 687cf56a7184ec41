package choose

import (
	"context"
	"math"
	"slices"
	"time"

	"ftsh/cmd/ftshsim/herd/parameter"
	"ftsh/cmd/ftshsim/herd/server"
	"ftsh/cmd/ftshsim/simulate"
	"ftsh/cmd/ftshsim/world"
)

// strain is by what the outage, the crowd and the times of the servers differ from what was asked.
type strain [3]float64

var asAsked = strain{1, 1, 1}

// scenario is what a setting has to stand.
type scenario struct {
	world             *world.World
	length            time.Duration // of the outage; 0: there is none
	clients, machines int
	until             time.Duration
}

// scenario returns the one with an outage of that length, under a strain.
func (q *Question) scenario(length time.Duration, by strain) scenario {
	w := *q.World
	w.Servers = slices.Clone(w.Servers)
	for i := range w.Servers {
		spec := &w.Servers[i].Spec
		spec.Response, spec.Programs = spec.Response.Scaled(by[2]), slices.Clone(spec.Programs)
		for j := range spec.Programs {
			spec.Programs[j].Response = spec.Programs[j].Response.Scaled(by[2])
		}
	}
	at := scenario{world: &w, length: time.Duration(float64(length) * by[0]), machines: q.Machines,
		clients: max(int(float64(q.Clients)*by[1]+0.5), 1), until: q.Start + q.Deadline}
	w.Servers[0].Spec.Outages = nil
	if length > 0 {
		w.Servers[0].Spec.Outages = []server.Outage{{From: q.At, To: q.At + at.length, Mode: q.Mode}}
	}
	if q.Machines >= q.Clients {
		at.machines = at.clients
	}
	if len(w.Arrivals) > 0 {
		at.until = w.Arrived(at.clients) + q.Deadline
	}
	return at
}

// String names a scenario.
func (o scenario) String() string {
	if o.length == 0 {
		return "no outage"
	}
	return "an outage of " + parameter.Brief(o.length)
}

// figure is what is counted in a run. All are better the lower they are.
type figure int

const (
	missed     figure = iota // the share of the crowd that was not done in time, 0 to 1
	load                     // requests for each that is needed
	perSuccess               // requests for each client that was done in time
	median                   // seconds until half were done; +Inf if they never were
	late                     // seconds until 95 % were done, or the deadline
	offered                  // requests per second, when that was most while there was no outage
	flood                    // how many of the first server's slots refusals kept busy then
	wasted                   // the share of the servers' work that was of no use, 0 to 1
	figures
)

// result is one run.
type result struct {
	figures  [figures]float64
	requests float64
	events   uint64
	cut      bool // it was stopped for its load
}

// runScenario tries a candidate in a scenario, up to so many requests; 0: any number.
func (s *search) runScenario(ctx context.Context, c *candidate, at scenario, seed uint64, most int) result {
	crowd := s.Crowd
	crowd.Script, crowd.World, crowd.Clients, crowd.Machines = c.script, at.world, at.clients, at.machines
	crowd.Until, crowd.Most = at.until, most
	tally, err := simulate.Run(ctx, crowd, seed)
	if err != nil {
		s.fail(err)
		return result{}
	}
	inTime := 0.0
	for _, took := range tally.Took {
		if took <= s.Deadline {
			inTime++
		}
	}
	r := result{requests: float64(tally.Requests), events: tally.Events, cut: most > 0 && tally.Requests >= most}
	wanted, rate := float64(max(tally.Wanted, 1)), s.highestRate(tally, at)
	r.figures = [figures]float64{missed: (wanted - inTime) / wanted, load: r.requests / (float64(tally.Wanted) * s.needed),
		perSuccess: r.requests / inTime, median: tally.Percentile(50),
		late: min(tally.Percentile(95), s.Deadline.Seconds()), offered: rate, wasted: wastedShare(tally)}
	if spec := at.world.Servers[0].Spec; spec.Slots > 0 {
		r.figures[flood] = rate * spec.Refusal.Seconds() / float64(spec.Slots)
	}
	return r
}

// wastedShare is the share of the work of all servers that was of no use; 0 if they did nothing.
func wastedShare(t *simulate.Tally) float64 {
	var wasted, all time.Duration
	for i := range t.PerServer {
		one := &t.PerServer[i]
		wasted, all = wasted+one.Wasted, all+one.Wasted+one.Useful+one.Open
	}
	return float64(wasted) / math.Max(float64(all), 1)
}

// pressing says how long an offered load must last to count.
const pressing = 10 * time.Second

// highestRate is the highest number of requests per second that were offered while there was no
// outage, over as long as counts.
func (s *search) highestRate(t *simulate.Tally, at scenario) (highest float64) {
	for from := time.Duration(0); from+pressing <= t.Until; from += pressing / 2 {
		if at.length == 0 || from >= s.At+at.length || from+pressing <= s.At {
			highest = max(highest, t.Sent.Between(from, from+pressing)/pressing.Seconds())
		}
	}
	return highest
}
