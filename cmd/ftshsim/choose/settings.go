package choose

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"ftsh/backoff"
	"ftsh/cmd/ftshsim/world"
)

// Space holds what settings are made of: each policy with each first wait, each cap, and
// each resource.
type Space struct {
	Policies  []backoff.Policy
	From, To  []time.Duration // first waits and caps; none of To: what fits the deadline
	Resources []string        // of none, slots, budget, breaker and slots+breaker
	Deadline  time.Duration
	Machines  int // that share the server, at least 1
	World     *world.World
}

// Settings are all that the space has, the calmest first: those show soonest how little
// load will do. Fixed waits have no cap.
func (s *Space) Settings() (list []Setting) {
	caps := s.To
	if len(caps) == 0 {
		caps = []time.Duration{roundTime(s.Deadline / 4), roundTime(s.Deadline / 12), roundTime(s.Deadline / 60)}
	}
	resources := s.resources()
	for n, most := range falling(caps) {
		for _, first := range falling(s.From) {
			for _, policy := range s.Policies {
				clause := fmt.Sprintf("%v from %s", policy, timeText(first))
				if policy == backoff.Fixed && n > 0 || policy != backoff.Fixed && first > most {
					continue
				}
				if policy != backoff.Fixed {
					clause += " to " + timeText(most)
				}
				for _, resource := range resources {
					list = append(list, Setting{clause, resource})
				}
			}
		}
	}
	return list
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

// resources are the lines of each resource that fits the first server.
func (s *Space) resources() (list []string) {
	breaker := "breaker 5 failures in 1 minute probe every " + timeText(max(roundTime(s.Deadline/120), time.Second))
	n := slotsEach(s.World, s.Machines)
	slots := fmt.Sprintf("slots %d", n)
	lines := map[string]string{"none": "", "slots": slots, "budget": "budget 10 percent", "breaker": breaker,
		"slots+breaker": slots + "\n" + breaker}
	for _, name := range s.Resources {
		if n > 0 || !strings.HasPrefix(name, "slots") {
			list = append(list, lines[name])
		}
	}
	return list
}

// slotsEach returns how many clients of a machine the first server can serve at the same time if all
// machines ask for as much; 0 if it has no limit.
func slotsEach(w *world.World, machines int) int {
	spec := w.Servers[0].Spec
	limit := spec.Slots
	if limit == 0 {
		limit = spec.Slowdown.Limit
	}
	if limit == 0 {
		return 0
	}
	return min(max(limit/machines, 1), 1000)
}

// resourceKind is the first words of the resource's lines: slots+breaker; "" if there is none.
func (s Setting) resourceKind() string {
	var words []string
	for line := range strings.Lines(s.Resource) {
		word, _, _ := strings.Cut(line, " ")
		words = append(words, word)
	}
	return strings.Join(words, "+")
}
