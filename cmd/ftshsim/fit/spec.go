package fit

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"ftsh/cmd/ftshsim/herd/measure"
	"ftsh/cmd/ftshsim/herd/spread"
	"ftsh/cmd/ftshsim/world"
)

// Spec is the text of a SPEC with what the log shows. programs are those that call a server
// although their words name no host; takes gives the time of requests if the log does not
// say so (nil: the log must). The error says what is missing.
func (l *Log) Spec(programs []string, takes *spread.Time) (string, error) {
	files := strings.Join(l.from, ", ")
	if len(l.calls) == 0 {
		return "", fmt.Errorf("%s: no program was run in it: wanted a log of level 20 or more (-l 30)", files)
	}
	l.sortCalls()
	servers, commands := l.divideCalls(programs)
	if len(servers) == 0 {
		return "", fmt.Errorf("%s: none of the programs %s is named by --calls",
			files, strings.Join(slices.Sorted(maps.Keys(commands)), ", "))
	}
	text := fmt.Sprintf("# Made by ftshsim fit from %s.\n", files)
	if l.access {
		text += "# Each address counts as one client: what came from it is taken for one run of a script.\n"
	}
	last := slices.MaxFunc(l.shells, func(a, b *shell) int { return a.began.Compare(b.began) }).began.Sub(l.began)
	text += "\n" + l.arrivalRates(last) + l.countSeen(servers, last).String()
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		calls := servers[name]
		if takes == nil && len(sortedTimes(calls, good, cut)) == 0 {
			return "", fmt.Errorf("%s: the log does not tell how long requests take: wanted lines with that at "+
				"their end ($request_time of nginx, %%D of Apache), or --takes", files)
		}
		text += "\n" + strings.TrimSpace("server "+name) + "\n" + describeServer(calls, takes) + "end\n"
	}
	for _, name := range slices.Sorted(maps.Keys(commands)) {
		text += "\ncommand " + name + "\n" + line("takes %v", measuredSpread(patientTimes(commands[name]))) +
			describeErrors(commands[name]) + "end\n"
	}
	return text, nil
}

// divideCalls returns the calls of each server, and those of each command that calls none. The name "" is the
// server of all that name no host.
func (l *Log) divideCalls(programs []string) (servers, commands map[string][]call) {
	servers, commands = map[string][]call{}, map[string][]call{}
	for _, c := range l.calls {
		program := path.Base(c.words[0])
		url := slices.IndexFunc(c.words, func(word string) bool { return strings.Contains(word, "://") })
		host := ""
		if url >= 0 {
			host = world.Host(c.words[url])
		}
		switch {
		case host != "":
			servers[host] = append(servers[host], c)
		case l.access, slices.Contains(programs, program):
			servers[""] = append(servers[""], c)
		default:
			commands[program] = append(commands[program], c)
		}
	}
	if len(servers) == 0 && len(programs) == 0 { // nothing tells them apart
		return map[string][]call{"": l.calls}, nil
	}
	return servers, commands
}

// arrivalRates are the rates at which shells began, up to the last, if they were many, and took their time; "":
// they began at random moments within a while.
func (l *Log) arrivalRates(last time.Duration) (text string) {
	if len(l.shells) < 50 || last < time.Minute {
		return ""
	}
	parts := min(20, len(l.shells)/10) // more would tell nothing
	counts, width := make([]int, parts), threeDigits(last/time.Duration(parts)+1)
	for _, s := range l.shells {
		counts[min(int(s.began.Sub(l.began)/width), parts-1)]++
	}
	for n, count := range counts {
		text += fmt.Sprintf("arrivals %d per %v from %v\n", count, width, time.Duration(n)*width)
	}
	return text + "\n"
}

// countSeen returns the figures that were counted, to stand in a SPEC.
func (l *Log) countSeen(servers map[string][]call, last time.Duration) *world.Seen {
	s := &world.Seen{Clients: len(l.shells), Start: last.Round(time.Millisecond), Period: time.Millisecond,
		Finished: world.Unsaid}
	for _, calls := range servers {
		s.Requests += len(calls)
		for _, c := range calls {
			if c.outcome == good {
				s.Good++
			}
		}
	}
	ends := slices.ContainsFunc(l.shells, func(s *shell) bool { return s.over }) // the log has them
	var took measure.Times
	for _, one := range l.shells {
		s.Period = max(s.Period, one.ended.Sub(l.began).Round(time.Millisecond))
		if !one.failed && (one.over || !ends) {
			took = append(took, one.ended.Sub(one.began))
		}
	}
	if !l.access {
		s.Finished = len(took)
		for percent, at := range map[float64]*time.Duration{50: &s.Median, 95: &s.P95} {
			if seconds := took.Percentile(percent, len(l.shells)-len(took)); seconds < 1e9 { // else so many were not reached
				*at = asDuration(seconds).Round(time.Millisecond)
			}
		}
	}
	return s
}

func line(format string, args ...any) string { return fmt.Sprintf("    "+format+"\n", args...) }

func describeServer(calls []call, takes *spread.Time) (text string) {
	outages := findOutages(calls)
	served := quantile(sortedTimes(calls, good), 0.05) // without what others waited in line
	var trips []time.Duration
	var refusals []int
	for i := range calls {
		if c := &calls[i]; c.outcome == bad && c.timed && c.took <= served*3/4 {
			c.refused = true
			trips, refusals = append(trips, c.took), append(refusals, c.status)
		}
	}
	if takes != nil {
		text = line("slots unknown at least %d", atOnce(calls, takes.Mean())) + line("takes %v", takes)
	} else {
		text = describeCapacity(calls)
	}
	text += describeErrors(calls)
	if len(trips) > 0 {
		slices.Sort(trips)
		text += line("refused status %d", mostFrequent(refusals)) +
			line("trip %v", spread.Always(max(threeDigits(quantile(trips, 0.5)), time.Microsecond)))
	}
	for _, o := range outages {
		text += line("outage from %v to %v %v", o.From.Round(time.Millisecond), o.To.Round(time.Millisecond), o.Mode)
	}
	return text
}

// describeCapacity returns what a server can do, and how long it takes.
func describeCapacity(calls []call) string {
	served := slices.DeleteFunc(slices.Clone(calls), func(c call) bool { return c.down || c.refused || !c.timed })
	m := nearestModel(served)
	unknown := line("slots unknown at least %d", atOnce(calls, 0))
	switch {
	case m.slots > 0:
		times := servingTimes(served, m.slots, m.base)
		slices.Sort(times)
		return line("slots %d", m.slots) + line("takes %v", measuredSpread(times))
	case m.growth > 0:
		return unknown + line("takes %v", threeDigits(m.base)) +
			line("slowdown above %d by %.3g percent per 1", m.limit, 100*m.growth)
	}
	return unknown + line("takes %v", measuredSpread(patientTimes(calls)))
}

// atOnce returns how many calls the server has answered well at the same time, which are as many slots as it has for
// sure. takes is the time of each whose time is not known.
func atOnce(calls []call, takes time.Duration) int {
	var list []call
	for _, c := range calls {
		if !c.timed {
			c.took = takes
		}
		if c.outcome == good {
			list = append(list, c)
		}
	}
	return slices.Max(append(underWay(list), 1))
}

// describeErrors returns what share of the answers are errors while the server is up, and how calls end that get one.
func describeErrors(calls []call) (text string) {
	failed, answered := 0, 0
	var statuses []int
	for _, c := range calls {
		if c.outcome == bad && !c.refused {
			statuses = append(statuses, c.status)
		}
		if c.outcome != cut && !c.down {
			answered++
			if c.outcome == bad {
				failed++
			}
		}
	}
	if failed > 0 {
		text = line("failure %.3g percent", 100*float64(failed)/float64(answered))
	}
	if len(statuses) > 0 {
		text += line("error status %d", mostFrequent(statuses))
	}
	return text
}

// mostFrequent returns the status that stands most often in a list, the least of several.
func mostFrequent(list []int) int {
	count := map[int]int{}
	for _, n := range list {
		count[n]++
	}
	return max(1, slices.MaxFunc(slices.Sorted(maps.Keys(count)), func(a, b int) int { return count[a] - count[b] }))
}

// sortedTimes are the known times of calls with one of these outcomes.
func sortedTimes(calls []call, of ...outcome) (list []time.Duration) {
	for _, c := range calls {
		if c.timed && slices.Contains(of, c.outcome) {
			list = append(list, c.took)
		}
	}
	slices.Sort(list)
	return list
}

// patientTimes are the times of all answers, and of those that were given up: they would have
// taken longer, how long is not known. They count as twice as long.
func patientTimes(calls []call) []time.Duration {
	list := sortedTimes(calls, good)
	for _, d := range sortedTimes(calls, cut) {
		list = append(list, 2*d)
	}
	slices.Sort(list)
	return list
}

// quantile is the value of a sorted list below which that share lies, 0 to 1; 0 if there is none.
func quantile(list []time.Duration, share float64) time.Duration {
	if len(list) == 0 {
		return 0
	}
	return list[min(int(share*float64(len(list))), len(list)-1)]
}

// measuredSpread is a sorted list of times as a distribution, in at most 40 parts.
func measuredSpread(list []time.Duration) spread.Time {
	n := min(40, len(list)-1)
	if n < 1 || list[0] == list[len(list)-1] {
		return spread.Always(threeDigits(quantile(list, 0)))
	}
	var times []time.Duration
	for i := range n + 1 {
		times = append(times, threeDigits(list[i*(len(list)-1)/n]))
	}
	return spread.Measured(times)
}

func threeDigits(d time.Duration) time.Duration {
	unit := time.Duration(1)
	for d/unit >= 1000 {
		unit *= 10
	}
	return d.Round(unit)
}
