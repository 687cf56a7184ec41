package fit

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"ftsh/cmd/ftshsim/herd/measure"
	"ftsh/cmd/ftshsim/herd/server"
	"ftsh/cmd/ftshsim/herd/spread"
	"ftsh/cmd/ftshsim/world"
)

// Spec is the text of a SPEC with what the log shows. programs are those that call a server
// although their words name no host; takes gives the time of requests if the log does not
// say so (nil: the log must). The error says what is missing.
func (l *Log) Spec(programs []string, takes *spread.Time) (string, error) {
	if err := l.sortAll(); err != nil {
		return "", err
	}
	servers, commands := l.sortCalls(programs)
	if len(servers) == 0 {
		return "", fmt.Errorf("%s: none of the programs %s is named by --calls",
			strings.Join(l.from, ", "), strings.Join(slices.Sorted(maps.Keys(commands)), ", "))
	}
	var text strings.Builder
	fmt.Fprintf(&text, "# Made by ftshsim fit from %s.\n", strings.Join(l.from, ", "))
	if l.access {
		text.WriteString("# Each address counts as one client: what came from it is taken for one run of a script.\n")
	}
	text.WriteString("\n")
	text.WriteString(l.arrivalRates() + l.countSeen(servers).String())
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		block, err := l.describeServer(name, servers[name], takes)
		if err != nil {
			return "", err
		}
		text.WriteString("\n" + block)
	}
	for _, name := range slices.Sorted(maps.Keys(commands)) {
		text.WriteString("\n" + describeLocal(name, commands[name]))
	}
	return text.String(), nil
}

// sortCalls finds out which calls went to which server; those of commands went to none. The name
// "" is the server of all that name no host.
func (l *Log) sortCalls(programs []string) (servers, commands map[string][]call) {
	servers, commands = map[string][]call{}, map[string][]call{}
	for _, c := range l.calls {
		program := path.Base(c.words[0])
		switch host := hostNamed(c.words); {
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

// hostNamed is the host of the first URL among words.
func hostNamed(words []string) string {
	for _, word := range words {
		if strings.Contains(word, "://") {
			return world.Host(word)
		}
	}
	return ""
}

// From when on the rate of beginnings is written, and in how many parts at most: fewer tell
// nothing.
const (
	many   = 50
	within = time.Minute
	rates  = 20
)

// arrivalRates are the rates at which shells began, if they were many, and took their time; "":
// they began at random moments within a while.
func (l *Log) arrivalRates() (text string) {
	last := time.Duration(0)
	for _, s := range l.shells {
		last = max(last, l.sinceStart(s.began))
	}
	if len(l.shells) < many || last < within {
		return ""
	}
	parts := min(rates, len(l.shells)/10)
	counts, width := make([]int, parts), threeDigits(last/time.Duration(parts)+1)
	for _, s := range l.shells {
		counts[min(int(l.sinceStart(s.began)/width), parts-1)]++
	}
	for n, count := range counts {
		text += fmt.Sprintf("arrivals %d per %v from %v\n", count, width, time.Duration(n)*width)
	}
	return text + "\n"
}

// countSeen returns the figures that were counted, to stand in a SPEC.
func (l *Log) countSeen(servers map[string][]call) *world.Seen {
	s := &world.Seen{Clients: len(l.shells), Period: l.sinceStart(l.ended), Finished: world.Unsaid}
	for _, list := range servers {
		s.Requests += len(list)
		for _, c := range list {
			if c.outcome == good {
				s.Good++
			}
		}
	}
	told := slices.ContainsFunc(l.shells, func(s *shell) bool { return s.over })
	tally := measure.Tally{Wanted: len(l.shells)}
	for _, one := range l.shells {
		s.Start = max(s.Start, l.sinceStart(one.began))
		if !one.failed && (one.over || !told) {
			tally.Done++
			tally.Took = append(tally.Took, one.ended.Sub(one.began))
		}
	}
	if !l.access {
		s.Finished = tally.Done
		s.Median, s.P95 = knownTime(tally.Percentile(50)), knownTime(tally.Percentile(95))
	}
	s.Start, s.Period = s.Start.Round(time.Millisecond), max(s.Period.Round(time.Millisecond), time.Millisecond)
	return s
}

// knownTime is a number of seconds; 0 if it was not reached.
func knownTime(s float64) time.Duration {
	if s > 1e9 {
		return 0
	}
	return asDuration(s).Round(time.Millisecond)
}

var errNoTimes = errors.New("the log does not tell how long requests take: " +
	"wanted lines with that at their end ($request_time of nginx, %D of Apache), or --takes")

// block is the lines of a SPEC from server or command to end.
type block struct{ strings.Builder }

func (b *block) writeLine(format string, args ...any) { fmt.Fprintf(b, "    "+format+"\n", args...) }

// describeServer describes one of them.
func (l *Log) describeServer(name string, calls []call, takes *spread.Time) (string, error) {
	var at []time.Duration
	for _, c := range calls {
		at = append(at, l.sinceStart(c.began))
	}
	down, in := findOutages(calls, at)
	var up []call
	for i, c := range calls {
		if !in[i] {
			up = append(up, c)
		}
	}
	timed := len(sortedTimes(calls, good, cut)) > 0
	if !timed && takes == nil {
		return "", fmt.Errorf("%s: %w", strings.Join(l.from, ", "), errNoTimes)
	}
	var b block
	b.WriteString(strings.TrimSpace("server "+name) + "\n")
	switch {
	case takes != nil:
		b.writeLine("slots unknown at least %d", atOnce(calls, at, takes.Mean()))
		b.writeLine("takes %v", takes)
	default:
		b.writeCapacity(calls, at, down)
	}
	b.writeFailures(up, calls)
	for _, o := range down {
		b.writeLine("outage from %v to %v %v", o.From.Round(time.Millisecond), o.To.Round(time.Millisecond), o.Mode)
	}
	b.WriteString("end\n")
	return b.String(), nil
}

// writeCapacity writes what the server can do, and how long it takes.
func (b *block) writeCapacity(calls []call, at []time.Duration, down []server.Outage) {
	m := findCapacity(calls, at, down)
	switch {
	case m.Slots > 0:
		b.writeLine("slots %d", m.Slots)
		m.Outages = down
		b.writeLine("takes %v", measuredSpread(servingTimes(calls, replayAnswers(m.Spec, at, replayEnd(calls, at)),
			m.Response.Mean())))
	case m.Slowdown.Factor > 0:
		b.writeLine("slots unknown at least %d", atOnce(calls, at, 0))
		b.writeLine("takes %v", threeDigits(m.Response.Mean()))
		b.writeLine("slowdown above %d by %.3g percent per 1", m.Slowdown.Limit, 100*(m.Slowdown.Factor-1))
	default:
		b.writeLine("slots unknown at least %d", atOnce(calls, at, 0))
		b.writeLine("takes %v", measuredSpread(patientTimes(calls)))
	}
}

// atOnce returns how many calls the server has answered well at the same time, which are as many slots as it has for
// sure. takes gives the time of each whose time is not known.
func atOnce(calls []call, at []time.Duration, takes time.Duration) int {
	var list []call
	var begun []time.Duration
	for i, c := range calls {
		if c.outcome != good {
			continue
		}
		if !c.timed {
			c.took = takes
		}
		list, begun = append(list, c), append(begun, at[i])
	}
	return slices.Max(append(underWay(list, begun), 1))
}

// servingTimes are the times without those in line, as the model has them, made longer or shorter
// so that their mean is that of the model: it is known best how much the server does in all.
func servingTimes(calls []call, answers []time.Duration, mean time.Duration) (list []time.Duration) {
	if list = withoutLine(calls, answers, mean, shortLine*mean); len(list) < parts/4 { // in a long line chance adds up
		return []time.Duration{mean}
	}
	sum := time.Duration(0)
	for _, d := range list {
		sum += d
	}
	for i := range list {
		list[i] = time.Duration(float64(list[i]) * float64(mean) * float64(len(list)) / float64(sum))
	}
	slices.Sort(list)
	return list
}

// shortLine limits the line, in times of service, in which calls still show the spread of times.
const shortLine = 3

// withoutLine are the times of good calls without those in line, of those that the model answers within that time.
func withoutLine(calls []call, answers []time.Duration, mean, within time.Duration) (list []time.Duration) {
	least := quantile(sortedTimes(calls, good), 0)
	for i, c := range calls {
		if c.outcome == good && answers[i] != never && answers[i] <= within {
			list = append(list, max(c.took-(answers[i]-mean), least))
		}
	}
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

// parts is into how many a measured distribution is divided.
const parts = 40

// measuredSpread is a list of times as a distribution, in at most so many parts.
func measuredSpread(list []time.Duration) spread.Time {
	if n := len(list); n < 2 || list[0] == list[n-1] {
		return spread.Always(threeDigits(quantile(list, 0)))
	}
	n := min(parts, len(list)-1)
	var times []time.Duration
	for i := range n + 1 {
		times = append(times, threeDigits(list[i*(len(list)-1)/n]))
	}
	return spread.Measured(times)
}

// writeFailures writes what share of answers are errors while the server is up, and how
// those fail that it turns away.
func (b *block) writeFailures(up, all []call) {
	var failed, answered int
	var slow, quick []int
	var trips []call
	served := quantile(sortedTimes(all, good), 0.05) // without what others waited in line
	for _, c := range all {
		switch {
		case c.outcome == bad && c.timed && c.took <= served*3/4:
			quick, trips = append(quick, c.status), append(trips, c)
		case c.outcome == bad:
			slow = append(slow, c.status)
		}
	}
	for _, c := range up {
		if c.outcome != cut {
			answered++
		}
		if c.outcome == bad {
			failed++
		}
	}
	if failed > 0 {
		b.writeLine("failure %.3g percent", 100*float64(failed)/float64(answered))
	}
	if len(slow) > 0 {
		b.writeLine("error status %d", programStatus(mostFrequent(slow)))
	}
	if len(quick) > 0 {
		b.writeLine("refused status %d", programStatus(mostFrequent(quick)))
		b.writeLine("trip %v", max(threeDigits(medianTime(trips, bad)), time.Microsecond))
	}
}

// programStatus makes a program's status of one of HTTP: what curl --fail ends with.
func programStatus(n int) int {
	if n > 255 {
		return 22
	}
	return max(n, 1)
}

// describeLocal describes a program that calls nobody.
func describeLocal(name string, calls []call) string {
	var b block
	b.WriteString("command " + name + "\n")
	b.writeLine("takes %v", measuredSpread(patientTimes(calls)))
	var failed []int
	for _, c := range calls {
		if c.outcome == bad {
			failed = append(failed, c.status)
		}
	}
	if len(failed) > 0 {
		b.writeLine("failure %.3g percent", 100*float64(len(failed))/float64(len(calls)))
		b.writeLine("error status %d", programStatus(mostFrequent(failed)))
	}
	b.WriteString("end\n")
	return b.String()
}
