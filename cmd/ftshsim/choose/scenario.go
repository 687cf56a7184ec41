package choose

import (
	"context"
	"math"
	"slices"
	"time"

	"ftsh/cmd/ftshsim/herd/server"
	"ftsh/cmd/ftshsim/simulate"
	"ftsh/cmd/ftshsim/world"
)

// scenario is an outage, or none.
type scenario struct {
	world  *world.World
	length time.Duration // of the outage
	from   time.Duration
}

// scenarios lists what the settings have to stand, the longest outage first: there it shows
// soonest which of them cannot.
func (q *Question) scenarios() (list []scenario) {
	lengths := slices.Clone(q.Outages)
	slices.Sort(lengths)
	slices.Reverse(lengths)
	for _, length := range slices.Compact(lengths) {
		w := *q.World
		w.Servers = slices.Clone(w.Servers)
		w.Servers[0].Spec.Outages = nil
		if length > 0 {
			w.Servers[0].Spec.Outages = []server.Outage{{From: q.At, To: q.At + length, Mode: q.Mode}}
		}
		list = append(list, scenario{&w, length, q.At})
	}
	return list
}

// result holds the figures of one run.
type result struct {
	share    float64 // of the crowd that was done in time, 0 to 1
	clients  float64
	requests float64
	median   float64 // seconds until half were done; +Inf if they never were
	late     float64 // until 95 % were done, or the deadline
	flood    float64 // how many of the first server's slots refusals kept busy, when it was worst
	offered  float64 // requests per second then
	wasted   float64 // the share of the servers' work that was of no use, 0 to 1
	events   uint64
	cut      bool // it was stopped for its load
}

// runScenario tries a candidate in a scenario, up to so many requests; 0: any number.
func (s *search) runScenario(ctx context.Context, c *candidate, at scenario, seed uint64, most int) (result, error) {
	crowd := s.Crowd
	crowd.Script, crowd.World, crowd.Until, crowd.Most = c.script, at.world, s.until, most
	tally, err := simulate.Run(ctx, crowd, seed)
	if err != nil {
		return result{}, err
	}
	inTime := 0
	for _, took := range tally.Took {
		if took <= s.Deadline {
			inTime++
		}
	}
	r := result{
		share:   float64(inTime) / float64(max(tally.Wanted, 1)),
		clients: float64(tally.Wanted), requests: float64(tally.Requests), median: tally.Percentile(50),
		late: math.Min(tally.Percentile(95), s.Deadline.Seconds()), wasted: wastedShare(tally), events: tally.Events,
		cut: most > 0 && tally.Requests >= most,
	}
	r.offered = s.highestRate(tally, at)
	if spec := at.world.Servers[0].Spec; spec.Slots > 0 {
		r.flood = r.offered * spec.Refusal.Seconds() / float64(spec.Slots)
	}
	return r, nil
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
func (s *search) highestRate(t *simulate.Tally, at scenario) float64 {
	highest, down := 0.0, at.from+at.length
	for from := time.Duration(0); from+pressing <= t.Until; from += pressing / 2 {
		if at.length > 0 && from < down && from+pressing > at.from {
			continue
		}
		highest = math.Max(highest, t.Sent.Between(from, from+pressing)/pressing.Seconds())
	}
	return highest
}
