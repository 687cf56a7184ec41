package choose

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"ftsh/cmd/ftshsim/herd"
	"ftsh/cmd/ftshsim/herd/parameter"
	"ftsh/cmd/ftshsim/herd/server"
	"ftsh/cmd/ftshsim/simulate"
)

// strain is by what the outage, the crowd and the times of the servers differ from what was asked.
type strain [3]float64

var asAsked = strain{1, 1, 1}

// scenario is what a setting has to stand.
type scenario struct {
	simulate.Crowd
	length time.Duration // of the outage; 0: there is none
}

// scenario returns the one with an outage of that length, under a strain.
func (q *Question) scenario(length time.Duration, by strain) scenario {
	at := scenario{q.Crowd, time.Duration(float64(length) * by[0])}
	at.Who = simulate.All(q.Script)
	at.Clients, at.Until = max(int(float64(q.Clients)*by[1]+0.5), 1), q.Start+q.Deadline
	at.World = q.World.Changed(func(s *server.Spec) {
		s.Response = s.Response.Scaled(by[2])
		for i := range s.Programs {
			s.Programs[i].Response = s.Programs[i].Response.Scaled(by[2])
		}
	})
	first := &at.World.Servers[0].Spec
	if first.Outages = nil; length > 0 {
		first.Outages = []server.Outage{{From: q.At, To: q.At + at.length, Mode: q.Mode}}
	}
	if q.Machines >= q.Clients {
		at.Machines = at.Clients
	}
	if len(at.World.Arrivals) > 0 {
		at.Until = at.World.Arrived(at.Clients) + q.Deadline
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
	at.Who, at.Most = simulate.All(c.script), most
	tally, err := simulate.Run(ctx, at.Crowd, seed)
	if err != nil {
		s.fail(err)
		return result{}
	}
	inTime := float64(tally.Took.Between(0, s.Deadline+1))
	r := result{requests: float64(tally.Requests), events: tally.Events, cut: most > 0 && tally.Requests >= most}
	wanted, rate := float64(max(tally.Wanted, 1)), s.highestRate(tally, at)
	var vain, all time.Duration // work of the servers that was of no use, and all
	for i := range tally.PerServer {
		one := &tally.PerServer[i]
		vain, all = vain+one.Wasted, all+one.Wasted+one.Useful+one.Open
	}
	r.figures = [figures]float64{missed: (wanted - inTime) / wanted, load: r.requests / (float64(tally.Wanted) * s.needed),
		perSuccess: r.requests / inTime, median: tally.Percentile(50),
		late: min(tally.Percentile(95), s.Deadline.Seconds()), offered: rate, wasted: float64(vain) / max(float64(all), 1)}
	if spec := at.World.Servers[0].Spec; spec.Slots > 0 {
		r.figures[flood] = rate * spec.Refusal.Seconds() / float64(spec.Slots)
	}
	return r
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

// What stops a candidate early.
const (
	spare  = 3.0  // times the load of the best that does what is wanted
	margin = 0.05 // of the crowd that fewer are done in time
)

// How many go on with a second and a third seed, and with further ones.
const (
	second = 24
	third  = 8
)

func goOn(seed int) int {
	if seed > 2 {
		return third
	}
	return second
}

// race tries all candidates with one seed, the better ones with more, and the best with all. How many run at the same
// time has no influence: what stops a candidate was known before the batch began of which it is a part. Batches are
// small at first, so that soon something is known.
func (s *search) race(ctx context.Context) {
	done, planned := 0, len(s.all)
	for seed := 1; seed < s.runs.Seeds; seed++ {
		planned += min(goOn(seed)+2, len(s.all))
	}
	try := func(list []*candidate, seed int, alone, sharing bounds) {
		runs := herd.Runs{Seeds: 1, First: s.runs.First + uint64(seed), Workers: s.runs.Workers}
		if s.runs.Progress != nil {
			runs.Progress = func(n, _ int) { s.runs.Progress(done+n, planned) }
		}
		herd.Each(ctx, runs, len(list), func(ctx context.Context, n int, seed uint64) struct{} {
			if list[n].Resource != "" {
				s.tryCandidate(ctx, list[n], seed, sharing)
			} else {
				s.tryCandidate(ctx, list[n], seed, alone)
			}
			return struct{}{}
		})
		done += len(list)
	}
	try(s.all[:1], 0, unbounded, unbounded)
	for rest, size := s.all[1:], 8; len(rest) > 0 && ctx.Err() == nil; size *= 2 {
		n := min(size, len(rest))
		try(rest[:n], 0, s.boundsShown(false), s.boundsShown(true))
		rest = rest[n:]
	}
	for seed := 1; seed < s.runs.Seeds && ctx.Err() == nil; seed++ {
		try(s.best(goOn(seed), seed), seed, unbounded, unbounded)
	}
}

// bounds holds the figures beyond which a candidate cannot win.
type bounds struct {
	requests float64 // over all scenarios
	missed   float64 // the share that is not in time, in any of them
}

var unbounded = bounds{math.Inf(1), math.Inf(1)}

// boundsShown returns the bounds that the candidates so far have shown, of those with a resource or those without.
func (s *search) boundsShown(resource bool) bounds {
	b := unbounded
	for _, c := range s.all {
		if len(c.runs) == 0 || c.stopped || (c.Resource != "") != resource {
			continue
		}
		b.missed = min(b.missed, max(c.atWorst(missed), 1-s.Share/100)+margin)
		if s.Load == 0 && s.isSatisfied(c) {
			requests := 0.0
			for _, r := range c.runs[0] {
				requests += r.requests
			}
			b.requests = min(b.requests, spare*requests)
		}
	}
	if s.Load > 0 && b != unbounded {
		b.requests = spare / 2 * s.Load * float64(len(s.scenarios)*s.Clients) * s.needed
	}
	return b
}

// tryCandidate runs a candidate in all scenarios, until it is plain that it cannot win.
func (s *search) tryCandidate(ctx context.Context, c *candidate, seed uint64, b bounds) {
	var run []result
	left, stopped := b.requests, false
	for n := 0; n < len(s.scenarios) && !stopped; n++ {
		most := 0
		if !math.IsInf(left, 1) {
			most = max(int(left), 1)
		}
		r := s.runScenario(ctx, c, s.scenarios[n], seed, most)
		run, left = append(run, r), left-r.requests
		stopped = r.cut || r.figures[missed] > b.missed
	}
	if ctx.Err() == nil {
		c.runs, c.stopped = append(c.runs, run), stopped
	}
}

const (
	even  = 1.3  // is the strain of each kind alone that a preferred setting has to bear
	cheap = 1.05 // times the least price is the most that a setting may cost to be preferred for what it bears
)

// steps lists how much worse each thing is tried alone for the answer.
var steps = []float64{1.1, 1.2, even, 1.5, 2, 3}

func strainsAlone(by float64) []strain { return []strain{{by, 1, 1}, {1, by, 1}, {1, 1, by}} }

// preferSturdy finds the answer: of those that cost next to nothing more than the first the one that bears most.
func (s *search) preferSturdy(ctx context.Context) {
	ranked := s.ranked()
	if ctx.Err() != nil || !s.isSatisfied(ranked[0]) {
		return
	}
	var close []*candidate
	for _, c := range ranked {
		if s.rank(c)[0] == 0 && len(close) < third && c.atWorst(s.price) <= cheap*ranked[0].atWorst(s.price) {
			close = append(close, c)
		}
	}
	answer, most := ranked[0], -1
	for n, shares := range s.strainedShares(ctx, close, strainsAlone(even)) {
		bears := len(slices.DeleteFunc(shares, func(share float64) bool { return !s.isEnough(share) }))
		if bears > most {
			answer, most = close[n], bears
		}
	}
	if margin := s.describeMargin(ctx, answer); ctx.Err() == nil {
		s.answer, s.margin = answer, margin
	}
}

// describeMargin says how much worse it may be for an answer.
func (s *search) describeMargin(ctx context.Context, answer *candidate) string {
	list := []strain{{1 / even, 1 / even, 1 / even}, {even, even, even}}
	for _, by := range steps {
		list = append(list, strainsAlone(by)...)
	}
	shares := s.strainedShares(ctx, []*candidate{answer}, list)[0]
	length := s.scenarios[answer.hardest(missed)].length
	var parts []string
	for what, name := range []string{"the outage", "the load", "the slowness"} {
		by, n := 1.0, 0
		for ; n < len(steps) && s.isEnough(shares[2+3*n+what]); n++ {
			by = steps[n]
		}
		amount := ""
		switch what {
		case 0:
			amount = ", " + parameter.Brief(time.Duration(by*float64(length)).Round(time.Second))
		case 1:
			amount = fmt.Sprintf(", %.0f clients", by*float64(s.Clients))
		}
		text := fmt.Sprintf("%s (%+.0f %%%s)", name, 100*(by-1), amount)
		if n == len(steps) {
			text += " and more"
		}
		if what > 0 || length > 0 {
			parts = append(parts, text)
		}
	}
	return fmt.Sprintf("Margin, each alone: it holds up to %s. With all of them 30 %% more %s of the clients are done "+
		"in time, with all 30 %% less %s.", strings.Join(parts, ", "), shareText(shares[1]), shareText(shares[0]))
}

// strainedShares are the shares that candidates get through in time under each strain, in the scenario that is hardest
// for them, on average over two seeds at most.
func (s *search) strainedShares(ctx context.Context, list []*candidate, strains []strain) [][]float64 {
	runs := herd.Runs{Seeds: min(2, s.runs.Seeds), First: s.runs.First, Workers: s.runs.Workers}
	all := herd.Each(ctx, runs, len(list)*len(strains), func(ctx context.Context, n int, seed uint64) float64 {
		c := list[n/len(strains)]
		at := s.scenario(s.scenarios[c.hardest(missed)].length, strains[n%len(strains)])
		return 1 - s.runScenario(ctx, c, at, seed, 0).figures[missed]
	})
	shares := make([][]float64, len(list))
	for n, inTime := range all {
		shares[n/len(strains)] = append(shares[n/len(strains)], average(inTime))
	}
	return shares
}
