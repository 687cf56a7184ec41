// Package choose finds out which backoff a script should have, and whether its clients
// should share a resource: of many settings the one that gets enough of a crowd through
// before a deadline at the least load on the servers, after outages of several lengths and
// after none.
//
//	Settings → candidates ── all, one seed ──→ the best ── more seeds ──→ the best ── all seeds ──→ answer
//	                            └ stopped: too much load, or too few in time
//
// # Invariants
//
//   - The same question gives the same answer on any number of processors: what may stop a
//     run early was known before the batch began of which it is a part.
//   - The script as it is takes part, with all seeds, and never is stopped.
//   - A setting is stopped only where another is better by more than chance explains: it
//     costs [spare] times as much, or lets [margin] more of the crowd down.
package choose

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"ftsh/backoff"
	"ftsh/cmd/ftshsim/herd"
	"ftsh/cmd/ftshsim/herd/experiment"
	"ftsh/cmd/ftshsim/herd/measure"
	"ftsh/cmd/ftshsim/herd/server"
	"ftsh/cmd/ftshsim/simulate"
)

// Options say what a setting has to do, and what is tried. Outages are those of the first server, one at a time,
// instead of its own.
type Options struct {
	Deadline  time.Duration    `default:"1h" range:"1s 24h" help:"by which a client must be done, from its beginning"`
	Share     float64          `default:"95" range:"0 100" help:"percent of the clients that must be"`
	Load      float64          `range:"0 1000000" help:"the most load; 0: as little as there can be"`
	Policies  []backoff.Policy `default:"ethernet,full,equal,decorrelated,fixed" help:"that are tried"`
	From      []time.Duration  `default:"1s,5s,20s" range:"1ms 24h" help:"first waits that are tried"`
	To        []time.Duration  `range:"1ms 24h" help:"caps that are tried;"`
	_         struct{}         `help:"none: a 60th, a 12th and a quarter of the deadline"`
	Resources []string         `choice:"none slots budget breaker slots+breaker" help:"that are tried"`
	Outages   []time.Duration  `range:"0s 24h" help:"that are tried;"`
	_         struct{}         `help:"none: no outage, a tenth, a third and two thirds of the deadline"`
	At        time.Duration    `default:"0s" range:"0s 24h" help:"beginning of the outage"`
	Mode      server.Mode      `default:"refuse" help:"of the outage"`
}

// Question holds what is to be found out.
type Question struct {
	simulate.Crowd // without Who and Until
	Options
	Script   *simulate.Script // as it is
	Settings []Setting        // that are tried, beside the script as it is; see [Question.AddSettings]
}

// Setting holds a backoff and a resource that a script can have instead of its own.
type Setting struct {
	Backoff  string // a clause; "": the script's own
	Resource string // the lines of a resource; "": none is added
}

// String returns its name in reports.
func (s Setting) String() string {
	name := cmp.Or(s.Backoff, asItIs)
	if s.Resource != "" {
		name += "; " + strings.ReplaceAll(s.Resource, "\n", ", ")
	}
	return name
}

// asItIs names the script's own backoff.
const asItIs = "the script as it is"

// candidate is a setting, and what it came to.
type candidate struct {
	Setting
	number  int // the script as it is has 0
	script  *simulate.Script
	runs    [][]result // by seed, then by scenario
	stopped bool       // it cannot win
}

// values are those of a figure in a scenario, with each seed.
func (c *candidate) values(scenario int, f figure) (list measure.Sample) {
	for _, run := range c.runs {
		list = append(list, run[scenario].figures[f])
	}
	return list
}

func (c *candidate) mean(scenario int, f figure) float64 { return average(c.values(scenario, f)) }

// hardest returns the number of the scenario in which a figure is highest on average.
func (c *candidate) hardest(f figure) (at int) {
	for n := range c.runs[0] {
		if c.mean(n, f) > c.mean(at, f) {
			at = n
		}
	}
	return at
}

// worst are the values of a figure with each seed, in the scenario in which they are highest on average: an average
// over outages would hide the one that matters.
func (c *candidate) worst(f figure) measure.Sample { return c.values(c.hardest(f), f) }

func (c *candidate) atWorst(f figure) float64 { return average(c.worst(f)) }

// inTime is the share of the crowd that is done in time, at worst.
func (c *candidate) inTime() float64 { return 1 - c.atWorst(missed) }

// average is the mean of all values, infinite ones among them.
func average(list []float64) float64 {
	sum := 0.0
	for _, v := range list {
		sum += v
	}
	return sum / float64(len(list))
}

// search is a question under way.
type search struct {
	*Question
	runs      herd.Runs
	fail      context.CancelCauseFunc // ends it
	scenarios []scenario
	all       []*candidate // the first is the script as it is
	needed    float64      // requests of a client if nothing ever fails
	price     figure       // that is to be low
	answer    *candidate   // that is preferred; nil: the first
	margin    string       // of the answer
}

// Find answers a question. When ctx is cancelled it reports what it has until then. The
// error is a *[simulate.Runaway], or says that the question has no answer.
func (q *Question) Find(ctx context.Context, runs herd.Runs) (*experiment.Report, error) {
	searching, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	s := &search{Question: q, runs: runs, fail: fail, price: load}
	if q.Load > 0 {
		s.price = late
	}
	for _, length := range falling(q.Outages) { // after the longest it shows soonest which settings cannot stand it
		s.scenarios = append(s.scenarios, q.scenario(length, asAsked))
	}
	if err := s.gatherScripts(searching); err != nil {
		return nil, err
	}
	s.race(searching)
	s.preferSturdy(searching)
	if err := context.Cause(searching); err != nil && ctx.Err() == nil {
		return nil, err
	}
	if len(s.all[0].runs) == 0 {
		return nil, fmt.Errorf("interrupted before the script as it is was tried: %w", context.Cause(ctx))
	}
	r := s.makeReport()
	r.Interrupted = ctx.Err() != nil
	return r, nil
}

func (s *search) gatherScripts(ctx context.Context) error {
	for number, setting := range append([]Setting{{}}, s.Settings...) {
		c := &candidate{Setting: setting, number: number, script: s.Script}
		var err error
		if setting.Backoff != "" {
			c.script, err = c.script.WithBackoff(setting.Backoff)
		}
		if err == nil && setting.Resource != "" {
			c.script, err = c.script.WithResource(setting.Resource)
		}
		if err != nil {
			return fmt.Errorf("%v: %w", setting, err)
		}
		s.all = append(s.all, c)
	}
	if len(s.Script.Headers()) == 0 {
		return fmt.Errorf("%s has no try that waits as its backoff says: "+
			"wanted one with limits and without `every`", s.Script.Name)
	}
	var err error
	if s.needed, err = simulate.Needed(ctx, s.scenarios[0].Crowd, s.runs.First); err == nil && s.needed == 0 {
		err = fmt.Errorf("%s calls no server", s.Script.Name)
	}
	return err
}

// isSatisfied reports whether a setting does what is wanted.
func (s *search) isSatisfied(c *candidate) bool {
	return !c.stopped && s.isEnough(c.inTime()) && (s.Load == 0 || c.atWorst(load) <= s.Load)
}

// isEnough reports whether that share in time is what is wanted.
func (s *search) isEnough(share float64) bool { return share > s.Share/100-1e-9 }

// rank is what candidates are sorted by: first those that do what is wanted, with as many seeds as any, by price; then
// those with fewer seeds; then those that do not, by how many they get through; then those that were stopped. Prices
// that differ by less than a hundredth are the same.
func (s *search) rank(c *candidate) []float64 {
	hundredths := func(f figure) float64 { return math.Round(100 * math.Log(c.atWorst(f))) }
	satisfied := []float64{0, hundredths(s.price), hundredths(late), hundredths(load), float64(c.number)}
	switch {
	case c.stopped:
		return []float64{3, c.atWorst(missed), hundredths(load), float64(c.number)}
	case !s.isSatisfied(c):
		return []float64{2, c.atWorst(missed), hundredths(load), float64(c.number)}
	case len(c.runs) < len(s.all[0].runs):
		satisfied[0] = 1
	}
	return satisfied
}

// ranked are the candidates that have run, the best first.
func (s *search) ranked() []*candidate {
	list := slices.DeleteFunc(slices.Clone(s.all), func(c *candidate) bool { return len(c.runs) == 0 })
	slices.SortFunc(list, func(a, b *candidate) int { return slices.Compare(s.rank(a), s.rank(b)) })
	if n := slices.Index(list, s.answer); n > 0 {
		list = slices.Insert(slices.Delete(list, n, n+1), 0, s.answer)
	}
	return list
}

// best are the first n of those that were not stopped and have so many seeds; the best without a resource, which
// not everybody can share; and the script as it is.
func (s *search) best(n, seeds int) []*candidate {
	list := slices.DeleteFunc(s.ranked(), func(c *candidate) bool {
		return c.number > 0 && (c.stopped || len(c.runs) < seeds)
	})
	kept := slices.Clone(list[:min(n, len(list))])
	for _, one := range []*candidate{firstSimple(list), s.all[0]} {
		if one != nil && !slices.Contains(kept, one) {
			kept = append(kept, one)
		}
	}
	return kept
}

// firstSimple is the first of a list that has no resource and is not the script as it is; nil if there is none.
func firstSimple(list []*candidate) *candidate {
	for _, c := range list {
		if c.Resource == "" && c.number > 0 {
			return c
		}
	}
	return nil
}
