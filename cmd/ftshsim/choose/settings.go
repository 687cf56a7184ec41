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
// load will do.
func (s *Space) Settings() (list []Setting) {
	from, to := slices.Clone(s.From), slices.Clone(s.To)
	if len(to) == 0 {
		to = []time.Duration{roundTime(s.Deadline / 4), roundTime(s.Deadline / 12), roundTime(s.Deadline / 60)}
	}
	for _, times := range []*[]time.Duration{&from, &to} {
		slices.Sort(*times)
		slices.Reverse(*times)
		*times = slices.Compact(*times)
	}
	resources := s.resources()
	for at, most := range to {
		for _, first := range from {
			for _, policy := range s.Policies {
				clause, known := backoffClause(policy, first, most, at == 0)
				for _, resource := range resources {
					if known {
						list = append(list, Setting{clause, resource})
					}
				}
			}
		}
	}
	return list
}

// backoffClause writes a backoff; false if there is none such. Fixed waits have no cap: they stand
// with the first.
func backoffClause(policy backoff.Policy, first, most time.Duration, atFirst bool) (text string, known bool) {
	switch {
	case policy == backoff.Fixed && atFirst:
		return fmt.Sprintf("%v from %s", policy, timeText(first)), true
	case policy == backoff.Fixed, first > most:
		return "", false
	}
	return fmt.Sprintf("%v from %s to %s", policy, timeText(first), timeText(most)), true
}

// timeText writes a time as scripts have it: 5 s, 90 s, 15 minutes.
func timeText(d time.Duration) string {
	for _, unit := range []struct {
		length time.Duration
		name   string
	}{{time.Hour, "hour"}, {time.Minute, "minute"}, {time.Second, "s"}} {
		if n := d / unit.length; n > 0 && d%unit.length == 0 {
			if n > 1 && unit.length > time.Second {
				unit.name += "s"
			}
			return fmt.Sprintf("%d %s", n, unit.name)
		}
	}
	return fmt.Sprintf("%d ms", d/time.Millisecond)
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
	slots := ""
	if n := s.slotsEach(); n > 0 {
		slots = fmt.Sprintf("slots %d", n)
	}
	for _, name := range s.Resources {
		switch {
		case strings.HasPrefix(name, "slots") && slots == "":
		case name == "none":
			list = append(list, "")
		case name == "slots":
			list = append(list, slots)
		case name == "budget":
			list = append(list, "budget 10 percent")
		case name == "breaker":
			list = append(list, breaker)
		default:
			list = append(list, slots+"\n"+breaker)
		}
	}
	return list
}

// slotsEach returns how many clients of a machine the first server can serve at the same time if all
// machines ask for as much; 0 if it has no limit.
func (s *Space) slotsEach() int {
	spec := s.World.Servers[0].Spec
	limit := spec.Slots
	if limit == 0 {
		limit = spec.Slowdown.Limit
	}
	if limit == 0 {
		return 0
	}
	return min(max(limit/s.Machines, 1), 1000)
}
