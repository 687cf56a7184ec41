package choose

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"ftsh/backoff"
)

// AddSettings adds settings of each policy with each first wait, each cap (none: some that fit the deadline) and each
// resource. The calmest come first: those show soonest how little load will do. Fixed waits have no cap.
func (q *Question) AddSettings() {
	caps := q.To
	if len(caps) == 0 {
		caps = []time.Duration{roundTime(q.Deadline / 4), roundTime(q.Deadline / 12), roundTime(q.Deadline / 60)}
	}
	lines := q.resourceLines()
	for n, most := range falling(caps) {
		for _, first := range falling(q.From) {
			for _, policy := range q.Policies {
				clause := fmt.Sprintf("%v from %s", policy, timeText(first))
				if policy == backoff.Fixed && n > 0 || policy != backoff.Fixed && first > most {
					continue
				}
				if policy != backoff.Fixed {
					clause += " to " + timeText(most)
				}
				for _, resource := range lines {
					q.Settings = append(q.Settings, Setting{clause, resource})
				}
			}
		}
	}
}

// falling are times once each, the longest first.
func falling(times []time.Duration) []time.Duration {
	list := slices.Compact(slices.Sorted(slices.Values(times)))
	slices.Reverse(list)
	return list
}

// timeText writes a time as scripts have it: 5 s, 90 s, 15 minutes.
func timeText(d time.Duration) string {
	switch {
	case d%time.Hour == 0:
		return plural(int(d/time.Hour), "hour")
	case d%time.Minute == 0:
		return plural(int(d/time.Minute), "minute")
	case d%time.Second == 0:
		return fmt.Sprintf("%d s", d/time.Second)
	}
	return fmt.Sprintf("%d ms", d/time.Millisecond)
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// roundTime makes a time a round one, of at most two digits: 37.5 s are 40 s.
func roundTime(d time.Duration) time.Duration {
	for _, unit := range []time.Duration{time.Hour, time.Minute, time.Second, 100 * time.Millisecond} {
		for _, n := range []time.Duration{30, 20, 15, 10, 5, 2, 1} {
			if d*20 >= n*unit*19 {
				return n * unit
			}
		}
	}
	return max(d, 10*time.Millisecond)
}

// resourceLines are the lines of each resource that fits the first server.
func (q *Question) resourceLines() (list []string) {
	breaker := "breaker 5 failures in 1 minute probe every " + timeText(max(roundTime(q.Deadline/120), time.Second))
	n := q.slotsEach()
	slots := fmt.Sprintf("slots %d", n)
	lines := map[string]string{"none": "", "slots": slots, "budget": "budget 10 percent", "breaker": breaker,
		"slots+breaker": slots + "\n" + breaker}
	for _, name := range q.Resources {
		if n > 0 || !strings.HasPrefix(name, "slots") {
			list = append(list, lines[name])
		}
	}
	return list
}

// slotsEach returns how many clients of a machine the first server can serve at the same time if all
// machines ask for as much; 0 if it has no limit.
func (q *Question) slotsEach() int {
	spec := q.World.Servers[0].Spec
	limit := cmp.Or(spec.Slots, spec.Slowdown.Limit)
	return min(max(limit/max(q.Machines, 1), min(limit, 1)), 1000)
}
