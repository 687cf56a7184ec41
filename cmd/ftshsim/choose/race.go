package choose

import (
	"context"
	"math"
	"slices"

	"ftsh/cmd/ftshsim/herd"
)

// What stops a candidate early.
const (
	spare  = 3.0  // times the load of the best that does what is wanted
	margin = 0.05 // of the crowd that fewer are done in time
)

// How many go on after the first seed, and after the second and third.
const (
	second = 24
	third  = 8
)

// bounds holds the figures beyond which a candidate cannot win, as known before a batch began.
type bounds struct {
	requests float64 // over all scenarios, beyond which nobody wins
	share    float64 // below which nobody does
}

// raceCandidates tries all candidates with one seed, the better ones with more, and the best with all.
func (s *search) raceCandidates(ctx context.Context) error {
	s.countRuns()
	if err := s.tryBatch(ctx, s.all[:1], s.runs.First, nil); err != nil {
		return err
	}
	rest := slices.Clone(s.all[1:])
	for size := 8; len(rest) > 0; size *= 2 { // few at first, so that soon something is known
		n := min(size, len(rest))
		limits := map[bool]bounds{false: s.boundsShown(false), true: s.boundsShown(true)}
		if err := s.tryBatch(ctx, rest[:n], s.runs.First, limits); err != nil {
			return err
		}
		rest = rest[n:]
	}
	for seed := 1; seed < s.runs.Seeds; seed++ {
		n := second
		if seed > 2 {
			n = third
		}
		list := slices.DeleteFunc(s.bestCandidates(n), func(c *candidate) bool { return len(c.runs) < seed })
		if err := s.tryBatch(ctx, list, s.runs.First+uint64(seed), nil); err != nil {
			return err
		}
	}
	return nil
}

// countRuns counts the runs that there will be at most.
func (s *search) countRuns() {
	s.planned = len(s.all)
	for seed := 1; seed < s.runs.Seeds; seed++ {
		n := second
		if seed > 2 {
			n = third
		}
		s.planned += min(n+2, len(s.all))
	}
}

// bestCandidates are the first of those that were not stopped; the best without a resource, which
// not everybody can share; and the script as it is.
func (s *search) bestCandidates(n int) []*candidate {
	list := slices.DeleteFunc(s.rankedCandidates(), func(c *candidate) bool { return c.stopped && c.number > 0 })
	kept := slices.Clone(list[:min(n, len(list))])
	for _, one := range []*candidate{s.firstSimple(list), s.all[0]} {
		if one != nil && !slices.Contains(kept, one) {
			kept = append(kept, one)
		}
	}
	return kept
}

// firstSimple is the first of a list that is no resource's, and not the script as it is; nil if
// there is none.
func (s *search) firstSimple(list []*candidate) *candidate {
	for _, c := range list {
		if c.Resource == "" && c.number > 0 {
			return c
		}
	}
	return nil
}

// boundsShown returns the bounds that the candidates so far have shown, of those with a resource or those
// without.
func (s *search) boundsShown(resource bool) bounds {
	b := bounds{requests: math.Inf(1)}
	for _, c := range s.all {
		if len(c.runs) == 0 || c.stopped || (c.Resource != "") != resource {
			continue
		}
		b.share = max(b.share, min(c.inTimeShare(), s.Share)-margin)
		if requests := sumOf(c.runs[0], func(r result) float64 { return r.requests }); s.Load == 0 && s.isSatisfied(c) {
			b.requests = min(b.requests, spare*requests)
		}
	}
	if s.Load > 0 {
		b.requests = spare / 2 * s.Load * float64(len(s.scenarios)*s.Clients) * s.needed
	}
	return b
}

// tryBatch tries candidates with one seed, on all processors; known are the bounds of those
// with and without a resource, nil: there are none.
func (s *search) tryBatch(ctx context.Context, list []*candidate, seed uint64, known map[bool]bounds) error {
	type outcome struct {
		runs    []result
		stopped bool
		err     error
	}
	before := s.done
	progress := func(done, _ int) {
		if s.done = before + done; s.runs.Progress != nil {
			s.runs.Progress(s.done, s.planned)
		}
	}
	runs := herd.Runs{Seeds: 1, First: seed, Workers: s.runs.Workers, Progress: progress}
	all := herd.Each(ctx, runs, len(list), func(ctx context.Context, n int, seed uint64) outcome {
		b, bounded := known[list[n].Resource != ""]
		if !bounded {
			b.requests = math.Inf(1)
		}
		runs, stopped, err := s.tryCandidate(ctx, list[n], seed, b)
		return outcome{runs, stopped, err}
	})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	for n, c := range list {
		o := all[n][0]
		if o.err != nil {
			return o.err
		}
		c.runs, c.stopped = append(c.runs, o.runs), c.stopped || o.stopped
		for _, r := range o.runs {
			s.events += r.events
		}
	}
	return nil
}

// tryCandidate runs a candidate in all scenarios, until it is plain that it cannot win.
func (s *search) tryCandidate(ctx context.Context, c *candidate, seed uint64, b bounds) (
	runs []result, stopped bool, err error) {
	left := b.requests
	for n := range s.scenarios {
		most := 0
		if !math.IsInf(left, 1) {
			most = max(int(left), 1)
		}
		r, err := s.runScenario(ctx, c, s.scenarios[n], seed, most)
		if err != nil {
			return nil, false, err
		}
		runs = append(runs, r)
		left -= r.requests
		if r.cut || r.share < b.share {
			return runs, true, nil
		}
	}
	return runs, false, nil
}
