package explain

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"ftsh/backoff"
)

const (
	mostStarts   = 5000    // of one run; a try that makes more is said to make more
	allStarts    = 20000   // of all runs of a try together, which take some milliseconds
	scriptStarts = 1000000 // of all tries together
	fewestRuns   = 9
	mostRuns     = 501 // odd, so that there is a median
)

// schedule is when the attempts of a try start if each fails at once.
type schedule struct {
	plan    backoff.Plan
	runs    [][]time.Duration // with random dice, once they are needed
	low     []time.Duration   // with dice that show their least numbers: the most attempts
	high    []time.Duration   // with their greatest: the fewest
	endless bool              // the most attempts are more than mostStarts
	bounded bool              // low and high are bounds: the policy draws from a range
}

// schedule makes the schedule of a plan, once.
func (s *script) schedule(plan backoff.Plan) *schedule {
	d := s.schedules[plan]
	if d == nil {
		d = &schedule{plan: plan, low: simulateStarts(plan, loaded{}), high: simulateStarts(plan, loaded{almostOne})}
		d.bounded = plan.HasEvery || plan.Backoff.Policy != backoff.Normal
		d.endless = len(d.low) == mostStarts
		s.schedules[plan] = d
	}
	return d
}

// simulateRuns runs the loop with random dice, so many runs that so many starts are made.
func (s *schedule) simulateRuns(starts int) {
	count := 1
	if first := simulateStarts(s.plan, seededDice(0)); len(first) > 0 && !(slices.Equal(s.low, s.high) && s.bounded) {
		count = min(max(starts/len(first), fewestRuns), mostRuns) | 1
	}
	for i := range count {
		s.runs = append(s.runs, simulateStarts(s.plan, seededDice(uint64(i))))
	}
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

// longestWaits adds up all waits at their longest: each without the part that was taken of it, and at least as long as
// the least.
func (s *schedule) longestWaits(taken, least time.Duration) (total time.Duration) {
	starts, last, before := s.high, time.Duration(0), time.Duration(0)
	for i := 1; i < len(starts); i++ {
		last, before = starts[i]-starts[i-1], last
		total = sum(total, max(0, last-taken, least))
	}
	if more := s.plan.Attempts - len(starts); more > 0 && len(starts) == mostStarts {
		if last > before { // they still grow
			last = max(last, cmp.Or(s.plan.Backoff.Max, time.Hour))
		}
		total = sum(total, product(max(0, last-taken, least), time.Duration(more)))
	}
	return total
}

// mostAttempts returns the most attempts that may be made; false: that is not known.
func (s *schedule) mostAttempts() (n int64, known bool) {
	if s.bounded && !s.endless {
		return int64(len(s.low)), true
	}
	return int64(s.plan.Attempts), s.plan.Attempts != backoff.Unlimited
}

// describeAttempts says how often a try attempts its group.
func (s *schedule) describeAttempts() string {
	counts := make([]int, len(s.runs))
	for i, run := range s.runs {
		counts[i] = len(run)
	}
	slices.Sort(counts)
	median, least, most := counts[len(counts)/2], min(counts[0], len(s.high)), max(counts[len(counts)-1], len(s.low))
	switch attempts := s.plan.Attempts; {
	case attempts == 0:
		return "none"
	case attempts == 1:
		return "1"
	case s.plan.Deadline == backoff.Never:
		return fmt.Sprintf("at most %d", attempts)
	case s.endless && attempts == backoff.Unlimited:
		return fmt.Sprintf("%d and more if each fails at once", least)
	case least == most:
		return fmt.Sprintf("at most %d", most)
	case s.bounded:
		return fmt.Sprintf("at most %d; %d to %d if each fails at once, %d in the median", most, least, most, median)
	}
	return fmt.Sprintf("%d to %d if each fails at once, %d in the median of %d runs", least, most, median, len(s.runs))
}

// shown limits the starts that are named; of more, the last is named, too.
const shown = 6

// describeStarts says when attempts start: the median, and the range where there is one.
func (s *schedule) describeStarts() string {
	list := []string{"0s"}
	for n := 1; n <= shown; n++ {
		start := s.describeStart(func(run []time.Duration) int { return n })
		switch {
		case start == "":
			return strings.Join(list, ", ")
		case n < shown:
			list = append(list, start)
		case s.endless:
			list = append(list, "…")
		default:
			list = append(list, "… the last at "+s.describeStart(func(run []time.Duration) int { return len(run) - 1 }))
		}
	}
	return strings.Join(list, ", ")
}

// describeStart says when one attempt of each run starts; "" if fewer than half of the runs have it.
func (s *schedule) describeStart(number func(run []time.Duration) int) string {
	var times []time.Duration
	for _, run := range s.runs {
		if n := number(run); n < len(run) {
			times = append(times, run[n])
		}
	}
	if len(times)*2 < len(s.runs) || len(times) == 0 {
		return ""
	}
	slices.Sort(times)
	median, least, most := times[len(times)/2], times[0], times[len(times)-1]
	for _, run := range [][]time.Duration{s.low, s.high} {
		if n := number(run); n < len(run) && s.bounded && !s.endless {
			least, most = min(least, run[n]), max(most, run[n])
		}
	}
	if from, to := briefTime(least), briefTime(most); from != to {
		return fmt.Sprintf("%s (%s to %s)", briefTime(median), from, to)
	}
	return briefTime(median)
}
