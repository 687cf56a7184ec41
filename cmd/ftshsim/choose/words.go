package choose

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"ftsh/cmd/ftshsim/herd/experiment"
	"ftsh/cmd/ftshsim/herd/measure"
	"ftsh/cmd/ftshsim/herd/parameter"
)

// explainAnswer adds the answer in words.
func (s *search) explainAnswer(r *experiment.Report, ranked []*candidate) {
	s.tellTried(r, ranked)
	best, asItIs := ranked[0], s.all[0]
	if !s.isSatisfied(best) {
		r.Answer = []string{fmt.Sprintf("%sNo setting gets %s of the clients through within %s%s. The nearest is %v: "+
			"%s, after %s.",
			s.tellMachines(), shareText(s.Share), parameter.Brief(s.Deadline), s.limitText(), best,
			shareText(best.inTimeShare()), s.hardestScenario(best))}
	} else {
		r.Answer = []string{fmt.Sprintf("Answer: %s%v. At worst %s of the clients are done within %s (after %s), "+
			"half of them %s at worst; the load is at most %.3g requests for each that is needed.",
			s.tellMachines(), best, shareText(best.inTimeShare()), parameter.Brief(s.Deadline), s.hardestScenario(best),
			halfDone(best),
			averageOf(s.loadEach(best)))}
		r.Note("%s", s.strength.describeMargin(s))
	}
	if best != asItIs {
		r.Note("Compared with the script as it is: %s.", s.compareWords(best, asItIs))
	}
	if s.isSatisfied(best) {
		s.tellSecond(r, ranked)
	}
	s.warnLivelocks(r, best)
	s.showClause(r, best)
}

// tellMachines begins an answer that depends on how many machines there are; "" for one that does not.
func (s *Question) tellMachines() string {
	switch {
	case !s.DependsOnMachines():
		return ""
	case s.Machines <= 1:
		return "on 1 machine, all of whose clients share a resource: "
	case s.Machines >= s.Clients:
		return fmt.Sprintf("on %d machines, one for each client: ", s.Machines)
	}
	return fmt.Sprintf("on %d machines: ", s.Machines)
}

// DependsOnMachines reports whether it matters on how many machines the clients run: those of one share its resources.
func (s *Question) DependsOnMachines() bool {
	return s.Script.SharesResource() || slices.ContainsFunc(s.Settings,
		func(one Setting) bool { return one.Resource != "" })
}

// limitText names the limits beside the deadline.
func (s *search) limitText() string {
	if s.Load > 0 {
		return fmt.Sprintf(" with a load of at most %.3g", s.Load)
	}
	return ""
}

// tellTried says what was tried.
func (s *search) tellTried(r *experiment.Report, ranked []*candidate) {
	var lengths []string
	for n := range s.scenarios {
		lengths = append(lengths, s.scenarios[len(s.scenarios)-1-n].String())
	}
	stopped := 0
	for _, c := range ranked {
		if c.stopped {
			stopped++
		}
	}
	whole := len(slices.DeleteFunc(slices.Clone(ranked), func(c *candidate) bool { return len(c.runs) < s.runs.Seeds }))
	r.Note("Tried: the script as it is and %d settings, each with %s (%v, beginning at %s)%s. "+
		"%d were stopped early, since they could not win; "+
		"%d had %d runs of each. The load is requests for each one that would do if no server ever failed, "+
		"after the outage after which that is most, as all figures here are the worst of all outages; "+
		"load after the deadline does not count.",
		len(ranked)-1, strings.Join(lengths, ", "), s.Mode, parameter.Brief(s.At), s.tellReplaced(), stopped, whole,
		s.runs.Seeds)
	if slices.ContainsFunc(ranked, func(c *candidate) bool { return c.Resource != "" }) {
		r.Note("%s.", s.tellSharing())
	}
}

// tellReplaced says that the outages of SPEC are left out; "" if it has none.
func (s *search) tellReplaced() string {
	if len(s.World.Servers[0].Spec.Outages) == 0 {
		return ""
	}
	return ", and not with what SPEC says of outages of its first server"
}

// tellSharing says who shares a resource.
func (s *search) tellSharing() string {
	if s.Machines <= 1 {
		return fmt.Sprintf("A resource is shared by all %d clients, as on one machine", s.Clients)
	}
	text := fmt.Sprintf("A resource is shared by the clients of each of %d machines", s.Machines)
	slots, limit := (&Space{World: s.World, Machines: s.Machines}).slotsEach(), s.World.Servers[0].Spec.Slots
	if slots > 0 && limit > 0 {
		text += fmt.Sprintf(": slots %d on each add up to %d at the same time, against the server's %d",
			slots, slots*s.Machines, limit)
	}
	return text
}

// String names a scenario.
func (o scenario) String() string {
	if o.length == 0 {
		return "no outage"
	}
	return "an outage of " + parameter.Brief(o.length)
}

// hardestScenario is the scenario in which the fewest are done in time.
func (s *search) hardestScenario(c *candidate) scenario {
	at := 0
	for n := range c.triedScenarios() {
		if c.scenarioMean(n, func(r result) float64 { return r.share }) < c.scenarioMean(at,
			func(r result) float64 { return r.share }) {
			at = n
		}
	}
	return s.scenarios[at]
}

// compareWords says what one candidate has that another has not.
func (s *search) compareWords(c, other *candidate) string {
	mine, others := averageOf(s.loadEach(c)), averageOf(s.loadEach(other))
	text := fmt.Sprintf("load %.3g instead of %.3g (%+.0f %%)", mine, others, 100*(mine/others-1))
	text += fmt.Sprintf(", %s done in time instead of %s", shareText(c.inTimeShare()), shareText(other.inTimeShare()))
	return text + fmt.Sprintf(", half of the clients %s instead of %s%s", halfDone(c), halfDone(other),
		s.compareUsual(c, other))
}

// compareUsual compares the nights without an outage, which an average over outages hides; "" if
// none was tried, or there is nothing else.
func (s *search) compareUsual(c, other *candidate) string {
	last := len(s.scenarios) - 1
	if last == 0 || s.scenarios[last].length > 0 || min(c.triedScenarios(), other.triedScenarios()) <= last {
		return ""
	}
	median := func(r result) float64 { return r.median }
	mine, others := c.scenarioMean(last, median), other.scenarioMean(last, median)
	if math.IsInf(mine, 0) || math.IsInf(others, 0) {
		return ""
	}
	return fmt.Sprintf("; without an outage after %s s instead of after %s s", threeDigits(mine), threeDigits(others))
}

// halfDone says when half of the clients were done.
func halfDone(c *candidate) string {
	if v := averageOf(c.worstMedians()); !math.IsInf(v, 0) {
		return "after " + threeDigits(v) + " s"
	}
	return "not by the deadline"
}

// tellSecond says what is next, and why it is not first.
func (s *search) tellSecond(r *experiment.Report, ranked []*candidate) {
	best := ranked[0]
	as := 0
	for as+1 < len(ranked) && s.isSatisfied(ranked[as+1]) &&
		averageOf(s.priceEach(ranked[as+1])) < 1.01*averageOf(s.priceEach(best)) {
		as++
	}
	if as > 0 {
		r.Note("As good within a hundredth, and no quicker: %s, such as %v.", countOf(as, "other setting"), ranked[1])
	}
	var next *candidate
	if as+1 < len(ranked) {
		next = ranked[as+1]
		r.Note("Second: %v; %s.", next, s.whyNotBest(best, next))
	}
	if simple := s.firstSimple(ranked); best.Resource != "" && simple != nil && simple != next {
		r.Note("The best without a resource: %v; %s.", simple, s.whyNotBest(best, simple))
	}
}

func countOf(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// whyNotBest is why a candidate is not the best.
func (s *search) whyNotBest(best, c *candidate) string {
	mine, others := averageOf(s.loadEach(c)), averageOf(s.loadEach(best))
	switch {
	case c.stopped:
		return fmt.Sprintf("it was stopped with %s done in time and a load of %.3g in what it had run",
			shareText(c.inTimeShare()), mine)
	case c.inTimeShare() < s.Share:
		return fmt.Sprintf("only %s of its clients are done in time after %s", shareText(c.inTimeShare()),
			s.hardestScenario(c))
	case s.Load > 0 && mine > s.Load:
		return fmt.Sprintf("its load is %.3g", mine)
	}
	what, difference := "load", mine/others-1
	if s.Load > 0 {
		what, difference = "time until 95 % are done", averageOf(slowestEach(c))/averageOf(slowestEach(best))-1
	}
	change := measure.Sample(s.priceEach(c)).Minus(s.priceEach(best))
	switch {
	case math.Abs(change.Mean()) < change.Half():
		return fmt.Sprintf("its %s is %.0f %% higher, which may be chance", what, 100*difference)
	}
	return fmt.Sprintf("its %s is %.0f %% higher (%.3g)", what, 100*difference, averageOf(s.priceEach(c)))
}

// warnLivelocks tells of livelocks: of the answer, of the script as it is, and of how many others.
func (s *search) warnLivelocks(r *experiment.Report, best *candidate) {
	others := 0
	for _, c := range s.all {
		text := s.describeLivelock(c)
		switch {
		case text == "":
		case c == best, c.number == 0:
			r.Note("Warning: livelock with %v: %s.", c, text)
		default:
			others++
		}
	}
	if others > 0 {
		r.Note("Livelock with %d other settings: what they offer keeps the server busy with refusals, "+
			"or with work for nobody.", others)
	}
}

// describeLivelock says how a candidate keeps a server from its work; "" if it does not.
func (s *search) describeLivelock(c *candidate) string {
	spec := s.World.Servers[0].Spec
	for n := range c.triedScenarios() {
		flood := c.scenarioMean(n, func(r result) float64 { return r.flood })
		offered := c.scenarioMean(n, func(r result) float64 { return r.offered })
		share := c.scenarioMean(n, func(r result) float64 { return r.share })
		wasted := c.scenarioMean(n, func(r result) float64 { return r.wasted })
		switch {
		case flood >= 1:
			return fmt.Sprintf("with %v up to %s requests/s are offered while the server works; "+
				"at %v for turning one away %s/s keep all of its %d slots busy",
				s.scenarios[n], threeDigits(offered), spec.Refusal, threeDigits(float64(spec.Slots)/spec.Refusal.Seconds()),
				spec.Slots)
		case share < s.Share && wasted > 0.5:
			return fmt.Sprintf("with %v %s of the servers' work is for nobody, and only %s of the clients are done in time",
				s.scenarios[n], shareText(wasted), shareText(share))
		}
	}
	return ""
}

// showClause shows what to write into the script.
func (s *search) showClause(r *experiment.Report, best *candidate) {
	switch {
	case best.number == 0 && s.isSatisfied(best):
		r.Note("The script can stay as it is.")
		return
	case best.number == 0, best.inTimeShare() == 0:
		r.Note("Nothing that was tried is enough, so there is nothing to write: " +
			"try more (--from, --to), give them more time (--deadline), or the server more room.")
		return
	}
	text := "Write:\n"
	if !s.isSatisfied(best) {
		text = "The nearest, although it is not enough:\n"
	}
	if best.Resource != "" {
		text += "\n" + indentText(best.script.Resource(best.script.ResourceName()))
	}
	for _, header := range best.script.Headers() {
		text += "\n" + indentText(fmt.Sprintf("# %s:%d\n%s", header.Pos.Source.Name, header.Pos.Line, header.Text))
	}
	r.Note("%s", strings.TrimSuffix(text, "\n"))
	r.Note("Tried in each try that has limits and no `every`; " +
		"a resource in those of them with a time limit, none of their own, and no other such try inside.")
}

// indentText moves lines to the right.
func indentText(text string) string {
	out := ""
	for line := range strings.Lines(strings.TrimSuffix(text, "\n") + "\n") {
		out += "    " + line
	}
	return out
}

// threeDigits is a number with three digits.
func threeDigits(v float64) string {
	if v >= 100 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.3g", v)
}
