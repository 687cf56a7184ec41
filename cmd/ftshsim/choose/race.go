package choose

import (
	"context"

	"ftsh/cmd/ftshsim/herd"
)

// What stops a candidate early.
const (
	spare  = 3.0  // times the load of the best that does what is wanted
	margin = 0.05 // of the crowd that fewer are done in time
)

// third is how many go on with a fourth seed and further ones.
const third = 8

// goOn returns how many go on with a seed, counted from 0.
func goOn(seed int) int {
	if seed > 2 {
		return third
	}
	return 24
}

// race tries all candidates with one seed, the better ones with more, and the best with all. How many run at the same
// time has no influence: what stops a candidate was known before the batch began of which it is a part. Batches are
// small at first, so that soon something is known.
func (s *search) race(ctx context.Context) {
	done, planned := 0, len(s.all)
	for seed := 1; seed < s.runs.Seeds; seed++ {
		planned += min(goOn(seed)+2, len(s.all))
	}
	try := func(list []*candidate, seed int, known map[bool]bounds) {
		runs := herd.Runs{Seeds: 1, First: s.runs.First + uint64(seed), Workers: s.runs.Workers}
		if s.runs.Progress != nil {
			runs.Progress = func(n, _ int) { s.runs.Progress(done+n, planned) }
		}
		herd.Each(ctx, runs, len(list), func(ctx context.Context, n int, seed uint64) struct{} {
			s.tryCandidate(ctx, list[n], seed, known[list[n].Resource != ""])
			return struct{}{}
		})
		done += len(list)
	}
	try(s.all[:1], 0, nil)
	for rest, size := s.all[1:], 8; len(rest) > 0 && ctx.Err() == nil; size *= 2 {
		n := min(size, len(rest))
		try(rest[:n], 0, map[bool]bounds{false: s.boundsShown(false), true: s.boundsShown(true)})
		rest = rest[n:]
	}
	for seed := 1; seed < s.runs.Seeds && ctx.Err() == nil; seed++ {
		try(s.best(goOn(seed), seed), seed, nil)
	}
}

// bounds holds the figures beyond which a candidate cannot win; 0: none is known.
type bounds struct {
	requests float64 // over all scenarios
	missed   float64 // the share that is not in time, in any of them
}

// boundsShown returns the bounds that the candidates so far have shown, of those with a resource or those without.
func (s *search) boundsShown(resource bool) (b bounds) {
	lower := func(bound *float64, v float64) {
		if *bound == 0 || v < *bound {
			*bound = v
		}
	}
	for _, c := range s.all {
		if len(c.runs) == 0 || c.stopped || (c.Resource != "") != resource {
			continue
		}
		lower(&b.missed, max(c.atWorst(missed), 1-s.Share)+margin)
		if s.Load == 0 && s.isSatisfied(c) {
			requests := 0.0
			for _, r := range c.runs[0] {
				requests += r.requests
			}
			lower(&b.requests, spare*requests)
		}
	}
	if s.Load > 0 && b.missed > 0 {
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
		if b.requests > 0 {
			most = max(int(left), 1)
		}
		r := s.runScenario(ctx, c, s.scenarios[n], seed, most)
		run, left = append(run, r), left-r.requests
		stopped = r.cut || b.missed > 0 && r.figures[missed] > b.missed
	}
	if ctx.Err() == nil {
		c.runs, c.stopped = append(c.runs, run), stopped
	}
}
