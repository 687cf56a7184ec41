package choose

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"ftsh/cmd/ftshsim/herd/experiment"
	"ftsh/cmd/ftshsim/herd/measure"
)

// explain adds the answer in words.
func (s *search) explain(r *experiment.Report, ranked []*candidate) {
	s.tell(r, ranked)
	best, asItIs := ranked[0], s.all[0]
	if !s.wins(best) {
		r.Note("No setting gets %s of the clients through within %s%s. The nearest is %v: %s, after %s.",
			percent(s.Share), when(s.Deadline), s.limit(), best, percent(best.share()), s.hardest(best))
	} else {
		r.Note("Answer: %v. At worst %s of the clients are done within %s (after %s), half of them %s at worst; "+
			"the load is at most %.3g requests for each that is needed.",
			best, percent(best.share()), when(s.Deadline), s.hardest(best), half(best), average(s.load(best)))
		r.Note("%s", s.strength.words(s))
	}
	if best != asItIs {
		r.Note("Compared with the script as it is: %s.", s.compare(best, asItIs))
	}
	if s.wins(best) {
		s.second(r, ranked)
	}
	s.warn(r, best)
	s.paste(r, best)
}

// limit is what holds beside the deadline.
func (s *search) limit() string {
	if s.Load > 0 {
		return fmt.Sprintf(" with a load of at most %.3g", s.Load)
	}
	return ""
}

// tell says what was tried.
func (s *search) tell(r *experiment.Report, ranked []*candidate) {
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
		len(ranked)-1, strings.Join(lengths, ", "), s.Mode, when(s.At), s.replaced(), stopped, whole, s.runs.Seeds)
	if slices.ContainsFunc(ranked, func(c *candidate) bool { return c.Resource != "" }) {
		r.Note("%s.", s.sharing())
	}
}

// replaced says that the outages of SPEC are left out; "" if it has none.
func (s *search) replaced() string {
	if len(s.World.Servers[0].Spec.Outages) == 0 {
		return ""
	}
	return ", and not with what SPEC says of outages of its first server"
}

// sharing says who shares a resource.
func (s *search) sharing() string {
	if s.Machines <= 1 {
		return fmt.Sprintf("A resource is shared by all %d clients, as on one machine; "+
			"--machines N says that there are more", s.Clients)
	}
	text := fmt.Sprintf("A resource is shared by the clients of each of %d machines", s.Machines)
	slots, limit := (&Space{World: s.World, Machines: s.Machines}).slots(), s.World.Servers[0].Spec.Slots
	if slots > 0 && limit > 0 {
		text += fmt.Sprintf(": slots %d on each add up to %d at the same time, against the server's %d",
			slots, slots*s.Machines, limit)
	}
	return text
}

// String is what a scenario is called.
func (o scenario) String() string {
	if o.length == 0 {
		return "no outage"
	}
	return "an outage of " + when(o.length)
}

// hardest is the scenario in which the fewest are done in time.
func (s *search) hardest(c *candidate) scenario {
	at := 0
	for n := range c.tried() {
		if c.mean(n, func(r result) float64 { return r.share }) < c.mean(at, func(r result) float64 { return r.share }) {
			at = n
		}
	}
	return s.scenarios[at]
}

// compare says what one candidate has that another has not.
func (s *search) compare(c, other *candidate) string {
	mine, others := average(s.load(c)), average(s.load(other))
	text := fmt.Sprintf("load %.3g instead of %.3g (%+.0f %%)", mine, others, 100*(mine/others-1))
	text += fmt.Sprintf(", %s done in time instead of %s", percent(c.share()), percent(other.share()))
	return text + fmt.Sprintf(", half of the clients %s instead of %s%s", half(c), half(other), s.usual(c, other))
}

// usual compares the nights without an outage, which an average over outages hides; "" if
// none was tried, or there is nothing else.
func (s *search) usual(c, other *candidate) string {
	last := len(s.scenarios) - 1
	if last == 0 || s.scenarios[last].length > 0 || min(c.tried(), other.tried()) <= last {
		return ""
	}
	median := func(r result) float64 { return r.median }
	mine, others := c.mean(last, median), other.mean(last, median)
	if math.IsInf(mine, 0) || math.IsInf(others, 0) {
		return ""
	}
	return fmt.Sprintf("; without an outage after %s s instead of after %s s", short(mine), short(others))
}

// half says when half of the clients were done.
func half(c *candidate) string {
	if v := average(c.medians()); !math.IsInf(v, 0) {
		return "after " + short(v) + " s"
	}
	return "not by the deadline"
}

// second says what is next, and why it is not first.
func (s *search) second(r *experiment.Report, ranked []*candidate) {
	best := ranked[0]
	as := 0
	for as+1 < len(ranked) && s.wins(ranked[as+1]) && average(s.price(ranked[as+1])) < 1.01*average(s.price(best)) {
		as++
	}
	if as > 0 {
		r.Note("As good within a hundredth, and no quicker: %s, such as %v.", count(as, "other setting"), ranked[1])
	}
	var next *candidate
	if as+1 < len(ranked) {
		next = ranked[as+1]
		r.Note("Second: %v; %s.", next, s.reason(best, next))
	}
	if simple := s.simple(ranked); best.Resource != "" && simple != nil && simple != next {
		r.Note("The best without a resource: %v; %s.", simple, s.reason(best, simple))
	}
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// reason is why a candidate is not the best.
func (s *search) reason(best, c *candidate) string {
	mine, others := average(s.load(c)), average(s.load(best))
	switch {
	case c.stopped:
		return fmt.Sprintf("it was stopped with %s done in time and a load of %.3g in what it had run",
			percent(c.share()), mine)
	case c.share() < s.Share:
		return fmt.Sprintf("only %s of its clients are done in time after %s", percent(c.share()), s.hardest(c))
	case s.Load > 0 && mine > s.Load:
		return fmt.Sprintf("its load is %.3g", mine)
	}
	what, difference := "load", mine/others-1
	if s.Load > 0 {
		what, difference = "time until 95 % are done", average(slow(c))/average(slow(best))-1
	}
	change := measure.Sample(s.price(c)).Minus(s.price(best))
	switch {
	case math.Abs(change.Mean()) < change.Half():
		return fmt.Sprintf("its %s is %.0f %% higher, which may be chance", what, 100*difference)
	}
	return fmt.Sprintf("its %s is %.0f %% higher (%.3g)", what, 100*difference, average(s.price(c)))
}

// warn tells of livelocks: of the answer, of the script as it is, and of how many others.
func (s *search) warn(r *experiment.Report, best *candidate) {
	others := 0
	for _, c := range s.all {
		text := s.livelock(c)
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

// livelock says how a candidate keeps a server from its work; "" if it does not.
func (s *search) livelock(c *candidate) string {
	spec := s.World.Servers[0].Spec
	for n := range c.tried() {
		flood := c.mean(n, func(r result) float64 { return r.flood })
		offered := c.mean(n, func(r result) float64 { return r.offered })
		share := c.mean(n, func(r result) float64 { return r.share })
		wasted := c.mean(n, func(r result) float64 { return r.wasted })
		switch {
		case flood >= 1:
			return fmt.Sprintf("with %v up to %s requests/s are offered while the server works; "+
				"at %v for turning one away %s/s keep all of its %d slots busy",
				s.scenarios[n], short(offered), spec.Refusal, short(float64(spec.Slots)/spec.Refusal.Seconds()), spec.Slots)
		case share < s.Share && wasted > 0.5:
			return fmt.Sprintf("with %v %s of the servers' work is for nobody, and only %s of the clients are done in time",
				s.scenarios[n], percent(wasted), percent(share))
		}
	}
	return ""
}

// paste shows what to write into the script.
func (s *search) paste(r *experiment.Report, best *candidate) {
	switch {
	case best.number == 0 && s.wins(best):
		r.Note("The script can stay as it is.")
		return
	case best.number == 0, best.share() == 0:
		r.Note("Nothing that was tried is enough, so there is nothing to write: " +
			"try more (--from, --to), give them more time (--deadline), or the server more room.")
		return
	}
	text := "Write:\n"
	if !s.wins(best) {
		text = "The nearest, although it is not enough:\n"
	}
	if best.Resource != "" {
		text += "\n" + indented(best.script.Resource(best.script.ResourceName()))
	}
	for _, header := range best.script.Headers() {
		text += "\n" + indented(fmt.Sprintf("# %s:%d\n%s", header.Pos.Source.Name, header.Pos.Line, header.Text))
	}
	r.Note("%s", strings.TrimSuffix(text, "\n"))
	r.Note("Tried in each try that has limits and no `every`; " +
		"a resource in those of them with a time limit, none of their own, and no other such try inside.")
}

// indented moves lines to the right.
func indented(text string) string {
	out := ""
	for line := range strings.Lines(strings.TrimSuffix(text, "\n") + "\n") {
		out += "    " + line
	}
	return out
}

// short is a number with three digits.
func short(v float64) string {
	if v >= 100 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.3g", v)
}
