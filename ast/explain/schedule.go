package explain

import (
	"math/rand/v2"
	"slices"
	"time"

	"ftsh/backoff"
)

const (
	mostStarts = 5000  // of one run; a try that makes more is said to make more
	allStarts  = 20000 // of all runs together, which take some milliseconds
	fewestRuns = 9
	mostRuns   = 501 // odd, so that there is a median
)

// schedule is when the attempts of a try start if each fails at once.
type schedule struct {
	runs    [][]time.Duration // with random dice
	low     []time.Duration   // with dice that show their least numbers: the most attempts
	high    []time.Duration   // with their greatest: the fewest
	endless bool              // the most attempts are more than mostStarts
	bounded bool              // low and high are bounds: the policy draws from a range
}

// simulatePlan makes the schedule of a plan.
func simulatePlan(plan backoff.Plan) schedule {
	s := schedule{low: simulateStarts(plan, loaded{}), high: simulateStarts(plan, loaded{almostOne})}
	s.bounded = plan.HasEvery || plan.Backoff.Policy != backoff.Normal
	s.endless = len(s.low) == mostStarts
	count := mostRuns
	if slices.Equal(s.low, s.high) && s.bounded {
		count = 1
	} else if first := len(simulateStarts(plan, seededDice(0))); first > 0 {
		count = min(max(allStarts/first, fewestRuns), mostRuns) | 1
	}
	for i := range count {
		s.runs = append(s.runs, simulateStarts(plan, seededDice(uint64(i))))
	}
	return s
}

// simulateStarts runs the loop once.
func simulateStarts(plan backoff.Plan, dice backoff.Dice) (list []time.Duration) {
	loop := backoff.NewLoop(plan, dice)
	now := time.Duration(0)
	for len(list) < mostStarts && loop.Begin(now) == "" {
		list = append(list, now)
		at, stop := loop.Failed(now, 0)
		if stop != "" {
			break
		}
		now = at
	}
	return list
}

func seededDice(n uint64) backoff.Dice { return rand.New(rand.NewPCG(1, n)) }

// loaded is dice that always show the same number.
type loaded struct{ number float64 }

// almostOne is the greatest number that dice show.
const almostOne = 1 - 1.0/(1<<53)

func (l loaded) Float64() float64   { return l.number }
func (loaded) NormFloat64() float64 { return 0 }

// spread is a number in the median, and the range that it lies in.
type spread struct{ median, least, most time.Duration }

// countAttempts returns the median of the attempts over all runs, the fewest and the most.
func (s *schedule) countAttempts() (median, least, most int) {
	counts := make([]int, len(s.runs))
	for i, run := range s.runs {
		counts[i] = len(run)
	}
	slices.Sort(counts)
	return counts[len(counts)/2], min(counts[0], len(s.high)), max(counts[len(counts)-1], len(s.low))
}

// startOf is when attempt n (from 0) starts, in the runs that have it; false if fewer than half have.
func (s *schedule) startOf(n int) (spread, bool) {
	return s.pickEach(func(run []time.Duration) (time.Duration, bool) {
		if n >= len(run) {
			return 0, false
		}
		return run[n], true
	})
}

// lastStart is when the last attempt starts.
func (s *schedule) lastStart() (spread, bool) {
	return s.pickEach(func(run []time.Duration) (time.Duration, bool) {
		if len(run) == 0 {
			return 0, false
		}
		return run[len(run)-1], true
	})
}

// pickEach gathers one time of each run.
func (s *schedule) pickEach(of func(run []time.Duration) (time.Duration, bool)) (spread, bool) {
	var times []time.Duration
	for _, run := range s.runs {
		if t, ok := of(run); ok {
			times = append(times, t)
		}
	}
	if len(times)*2 < len(s.runs) || len(times) == 0 {
		return spread{}, false
	}
	slices.Sort(times)
	out := spread{times[len(times)/2], times[0], times[len(times)-1]}
	for _, run := range [][]time.Duration{s.low, s.high} {
		if t, ok := of(run); ok && s.bounded && !s.endless {
			out.least, out.most = min(out.least, t), max(out.most, t)
		}
	}
	return out, true
}
