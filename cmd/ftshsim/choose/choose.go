package choose

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"ftsh/cmd/ftshsim/herd"
	"ftsh/cmd/ftshsim/herd/experiment"
	"ftsh/cmd/ftshsim/herd/measure"
	"ftsh/cmd/ftshsim/herd/server"
	"ftsh/cmd/ftshsim/simulate"
)

// Question holds what is to be found out.
type Question struct {
	simulate.Crowd                 // its Script as it is; Until is not used
	Deadline       time.Duration   // of each client, from its own beginning; more than 0
	Share          float64         // of the crowd that must be done by then, 0 to 1
	Load           float64         // the most load; 0: as little as possible. More than 0: as quick as that allows
	Settings       []Setting       // that are tried, beside the script as it is
	Outages        []time.Duration // of the first server, one at a time, instead of its own; 0: none
	At             time.Duration   // when an outage begins
	Mode           server.Mode     // of the outages
}

// Setting holds a backoff and a resource that a script can have instead of its own.
type Setting struct {
	Backoff  string // a clause; "": the script's own
	Resource string // the lines of a resource; "": none is added
}

// String returns its name in reports.
func (s Setting) String() string {
	name := s.backoffText()
	if s.Resource != "" {
		name += "; " + strings.ReplaceAll(s.Resource, "\n", ", ")
	}
	return name
}

func (s Setting) backoffText() string { return cmp.Or(s.Backoff, "the script as it is") }

// resourceKind is the first words of the resource's lines: slots+breaker; "" if there is none.
func (s Setting) resourceKind() string {
	var words []string
	for line := range strings.Lines(s.Resource) {
		word, _, _ := strings.Cut(line, " ")
		words = append(words, word)
	}
	return strings.Join(words, "+")
}

// candidate is a setting, and what it came to.
type candidate struct {
	Setting
	number  int // the script as it is has 0
	script  *simulate.Script
	runs    [][]result // by seed, then by scenario
	stopped bool       // it cannot win
}

// search is a question under way.
type search struct {
	*Question
	runs      herd.Runs
	scenarios []scenario
	all       []*candidate
	until     time.Duration
	needed    float64    // requests of a client if nothing ever fails
	answer    *candidate // that is preferred; nil: the first
	strength  strength   // of the answer
	done      int        // runs of all scenarios
	planned   int
	events    uint64
}

// Find answers a question. When ctx is cancelled it reports what it has until then. The
// error is a *[simulate.Runaway], or says that the question has no answer.
func (q *Question) Find(ctx context.Context, runs herd.Runs) (*experiment.Report, error) {
	s := &search{Question: q, runs: runs, scenarios: q.scenarios(), until: q.Start + q.Deadline}
	if len(q.World.Arrivals) > 0 {
		s.until = q.World.Arrived(q.Clients) + q.Deadline
	}
	if err := s.gatherScripts(ctx); err != nil {
		return nil, err
	}
	if err := s.raceCandidates(ctx); err != nil && ctx.Err() == nil {
		return nil, err
	}
	if err := s.preferCheap(ctx); err != nil && ctx.Err() == nil {
		return nil, err
	}
	if len(s.all[0].runs) == 0 {
		return nil, fmt.Errorf("interrupted before the script as it is was tried: %w", context.Cause(ctx))
	}
	r := s.makeReport()
	r.Interrupted = ctx.Err() != nil
	return r, nil
}

// gatherScripts makes a script of each setting.
func (s *search) gatherScripts(ctx context.Context) error {
	for number, setting := range append([]Setting{{}}, s.Settings...) {
		script, err := s.Script, error(nil)
		if setting.Backoff != "" {
			script, err = script.WithBackoff(setting.Backoff)
		}
		if err == nil && setting.Resource != "" {
			script, err = script.WithResource(setting.Resource)
		}
		if err != nil {
			return fmt.Errorf("%v: %w", setting, err)
		}
		s.all = append(s.all, &candidate{Setting: setting, number: number, script: script})
	}
	if len(s.Script.Headers()) == 0 {
		return fmt.Errorf("%s has no try that waits as its backoff says: "+
			"wanted one with limits and without `every`", s.Script.Name)
	}
	crowd := s.Crowd
	crowd.Until = s.until
	needed, err := simulate.Needed(ctx, crowd, s.runs.First)
	if err == nil && needed == 0 {
		err = fmt.Errorf("%s calls no server", s.Script.Name)
	}
	s.needed = needed
	return err
}

// inTimeShare returns the share of the crowd that is done in time in the worst scenario, on average over
// the seeds, 0 to 1; NaN if it has not run.
func (c *candidate) inTimeShare() float64 {
	worst := math.NaN()
	for n := range c.triedScenarios() {
		if share := c.scenarioMean(n, func(r result) float64 { return r.share }); !(share >= worst) {
			worst = share
		}
	}
	return worst
}

// triedScenarios is in how many scenarios it has run with its first seed.
func (c *candidate) triedScenarios() int {
	if len(c.runs) == 0 {
		return 0
	}
	return len(c.runs[0])
}

// scenarioMean is the average of a scenario's runs.
func (c *candidate) scenarioMean(scenario int, of func(result) float64) float64 {
	sum := 0.0
	for _, run := range c.runs {
		sum += of(run[scenario])
	}
	return sum / float64(len(c.runs))
}

// highestEach are the values of each seed in the scenario in which they are highest on average: an average over outages
// would hide the one that matters.
func (c *candidate) highestEach(of func(result) float64) (list measure.Sample) {
	at := 0
	for n := range c.triedScenarios() {
		if c.scenarioMean(n, of) > c.scenarioMean(at, of) {
			at = n
		}
	}
	for _, run := range c.runs {
		list = append(list, of(run[at]))
	}
	return list
}

// loadEach is the load multiplier of each seed, at worst.
func (s *search) loadEach(c *candidate) []float64 {
	return c.highestEach(func(r result) float64 { return r.requests / (r.clients * s.needed) })
}

// slowestEach is the time by which 95 % of the crowd were done, with each seed, at worst; who was not in time counts as
// done at the deadline.
func slowestEach(c *candidate) []float64 {
	return c.highestEach(func(r result) float64 { return r.late })
}

func sumOf(run []result, of func(result) float64) (sum float64) {
	for _, r := range run {
		sum += of(r)
	}
	return sum
}

func averageOf(list []float64) float64 {
	sum := 0.0
	for _, v := range list {
		sum += v
	}
	return sum / float64(len(list))
}

// isSatisfied reports whether a setting does what is wanted.
func (s *search) isSatisfied(c *candidate) bool {
	return !c.stopped && c.inTimeShare() >= s.Share && (s.Load == 0 || averageOf(s.loadEach(c)) <= s.Load)
}

// priceEach returns the figure that is to be as low as can be, for each seed.
func (s *search) priceEach(c *candidate) []float64 {
	if s.Load > 0 {
		return slowestEach(c)
	}
	return s.loadEach(c)
}

// classOf tells those that do what is wanted, with as many seeds as any, from those with
// fewer seeds, from those that do not, and from those that were stopped.
func (s *search) classOf(c *candidate) int {
	switch {
	case c.stopped:
		return 3
	case !s.isSatisfied(c):
		return 2
	case len(c.runs) < len(s.all[0].runs):
		return 1
	}
	return 0
}

// compareRank brings the better one first: by class, then those that do what is wanted by price,
// the others by how many they get through. What differs by less than a hundredth is the same.
func (s *search) compareRank(a, b *candidate) int {
	lower := func(a, b []float64) int {
		return cmp.Compare(math.Round(100*math.Log(averageOf(a))), math.Round(100*math.Log(averageOf(b))))
	}
	switch class := s.classOf(a); {
	case class != s.classOf(b):
		return cmp.Compare(class, s.classOf(b))
	case class > 1:
		return cmp.Or(cmp.Compare(b.inTimeShare(), a.inTimeShare()), lower(s.loadEach(a), s.loadEach(b)),
			cmp.Compare(a.number, b.number))
	}
	return cmp.Or(lower(s.priceEach(a), s.priceEach(b)), lower(slowestEach(a), slowestEach(b)),
		lower(s.loadEach(a), s.loadEach(b)), cmp.Compare(a.number, b.number))
}

// rankedCandidates are the candidates that have run, the best first.
func (s *search) rankedCandidates() []*candidate {
	list := slices.DeleteFunc(slices.Clone(s.all), func(c *candidate) bool { return len(c.runs) == 0 })
	slices.SortFunc(list, s.compareRank)
	if n := slices.Index(list, s.answer); n > 0 {
		list = slices.Insert(slices.Delete(list, n, n+1), 0, s.answer)
	}
	return list
}
