package choose

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"ftsh/cmd/ftshsim/herd/experiment"
	"ftsh/cmd/ftshsim/herd/measure"
	"ftsh/cmd/ftshsim/herd/parameter"
	"ftsh/cmd/ftshsim/simulate"
)

func (s *search) explainAnswer(r *experiment.Report, ranked []*candidate) {
	best, asItIs := ranked[0], s.all[0]
	satisfied, deadline := s.isSatisfied(best), parameter.Brief(s.Deadline)
	s.noteTried(r, ranked)
	hardest := s.scenarios[best.hardest(missed)]
	if satisfied {
		r.Answer = []string{fmt.Sprintf("Answer: %s%v. At worst %s of the clients are done within %s (after %s), "+
			"half of them %s at worst; the load is at most %.3g requests for each that is needed.",
			s.describeMachines(), best, shareText(best.inTime()), deadline, hardest, halfDone(best), best.atWorst(load))}
		if s.margin != "" {
			r.Note("%s", s.margin)
		}
	} else {
		limit := ""
		if s.Load > 0 {
			limit = fmt.Sprintf(" with a load of at most %.3g", s.Load)
		}
		r.Answer = []string{fmt.Sprintf("%sNo setting gets %s of the clients through within %s%s. The nearest is %v: "+
			"%s, after %s.",
			s.describeMachines(), shareText(s.Share/100), deadline, limit, best, shareText(best.inTime()), hardest)}
	}
	if best != asItIs {
		r.Note("Compared with the script as it is: load %.3g instead of %.3g (%+.0f %%), %s done in time instead of %s, "+
			"half of the clients %s instead of %s%s.", best.atWorst(load), asItIs.atWorst(load),
			100*(best.atWorst(load)/asItIs.atWorst(load)-1), shareText(best.inTime()), shareText(asItIs.inTime()),
			halfDone(best), halfDone(asItIs), s.compareUsual(best, asItIs))
	}
	if satisfied {
		s.noteNext(r, ranked)
	}
	s.warnLivelocks(r, best)
	s.showClause(r, best)
}

// describeMachines begins an answer that depends on how many machines there are; "" for one that does not.
func (s *search) describeMachines() string {
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
func (q *Question) DependsOnMachines() bool {
	return q.Script.SharesResource() || slices.ContainsFunc(q.Settings, hasResource)
}

func hasResource(s Setting) bool { return s.Resource != "" }

func (s *search) noteTried(r *experiment.Report, ranked []*candidate) {
	var outages []string
	for _, at := range slices.Backward(s.scenarios) {
		outages = append(outages, at.String())
	}
	stopped, whole, replaced := 0, 0, ""
	for _, c := range ranked {
		if c.stopped {
			stopped++
		}
		if len(c.runs) == s.runs.Seeds {
			whole++
		}
	}
	if len(s.World.Servers[0].Spec.Outages) > 0 {
		replaced = ", and not with what SPEC says of outages of its first server"
	}
	r.Note("Tried: the script as it is and %d settings, each with %s (%v, beginning at %s)%s. "+
		"%d were stopped early, since they could not win; "+
		"%d had %d runs of each. The load is requests for each one that would do if no server ever failed, "+
		"after the outage after which that is most, as all figures here are the worst of all outages; "+
		"load after the deadline does not count.", len(ranked)-1, strings.Join(outages, ", "), s.Mode,
		parameter.Brief(s.At), replaced, stopped, whole, s.runs.Seeds)
	if !slices.ContainsFunc(s.Settings, hasResource) {
		return
	}
	if s.Machines <= 1 {
		r.Note("A resource is shared by all %d clients, as on one machine.", s.Clients)
		return
	}
	text := ""
	if slots, limit := s.slotsEach(), s.World.Servers[0].Spec.Slots; limit > 0 {
		text = fmt.Sprintf(": slots %d on each add up to %d at the same time, against the server's %d",
			slots, slots*s.Machines, limit)
	}
	r.Note("A resource is shared by the clients of each of %d machines%s.", s.Machines, text)
}

// compareUsual compares the nights without an outage, if one was tried: the worst of all outages hides them.
func (s *search) compareUsual(best, asItIs *candidate) string {
	last := len(s.scenarios) - 1
	if last == 0 || s.scenarios[last].length > 0 || min(len(best.runs[0]), len(asItIs.runs[0])) <= last {
		return ""
	}
	mine, others := best.mean(last, median), asItIs.mean(last, median)
	if math.IsInf(mine+others, 0) {
		return ""
	}
	return fmt.Sprintf("; without an outage after %s s instead of after %s s", simulate.ThreeDigits(mine),
		simulate.ThreeDigits(others))
}

func halfDone(c *candidate) string {
	if v := c.atWorst(median); !math.IsInf(v, 0) {
		return "after " + simulate.ThreeDigits(v) + " s"
	}
	return "not by the deadline"
}

// noteNext says what is next, and why it is not first.
func (s *search) noteNext(r *experiment.Report, ranked []*candidate) {
	best, rest := ranked[0], ranked[1:]
	alike := slices.IndexFunc(rest, func(c *candidate) bool {
		return !s.isSatisfied(c) || c.atWorst(s.price) >= 1.01*best.atWorst(s.price)
	})
	if alike < 0 {
		alike = len(rest)
	}
	if alike > 0 {
		r.Note("As good within a hundredth, and no quicker: %s, such as %v.", plural(alike, "other setting"), rest[0])
	}
	var next *candidate
	if alike < len(rest) {
		next = rest[alike]
		r.Note("Second: %v; %s.", next, s.whyNotBest(best, next))
	}
	if simple := firstSimple(ranked); best.Resource != "" && simple != nil && simple != next {
		r.Note("The best without a resource: %v; %s.", simple, s.whyNotBest(best, simple))
	}
}

func (s *search) whyNotBest(best, c *candidate) string {
	switch {
	case c.stopped:
		return fmt.Sprintf("it was stopped with %s done in time and a load of %.3g in what it had run",
			shareText(c.inTime()), c.atWorst(load))
	case !s.isEnough(c.inTime()):
		return fmt.Sprintf("only %s of its clients are done in time after %s", shareText(c.inTime()),
			s.scenarios[c.hardest(missed)])
	case s.Load > 0 && c.atWorst(load) > s.Load:
		return fmt.Sprintf("its load is %.3g", c.atWorst(load))
	}
	what := "load"
	if s.Load > 0 {
		what = "time until 95 % are done"
	}
	mine, others := c.worst(s.price), best.worst(s.price)
	text := fmt.Sprintf("its %s is %.0f %% higher", what, 100*(average(mine)/average(others)-1))
	if change := measure.Sample(mine).Minus(others); math.Abs(change.Mean()) < change.Half() {
		return text + ", which may be chance"
	}
	return text + fmt.Sprintf(" (%.3g)", average(mine))
}

// warnLivelocks names the livelocks of the answer and of the script as it is, and counts the others.
func (s *search) warnLivelocks(r *experiment.Report, best *candidate) {
	others := 0
	for _, c := range s.all {
		switch text := s.describeLivelock(c); {
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
	if len(c.runs) == 0 {
		return ""
	}
	spec := s.World.Servers[0].Spec
	for n := range c.runs[0] {
		at, inTime, wasted := s.scenarios[n], 1-c.mean(n, missed), c.mean(n, wasted)
		switch {
		case c.mean(n, flood) >= 1:
			return fmt.Sprintf("with %v up to %s requests/s are offered while the server works; "+
				"at %v for turning one away %s/s keep all of its %d slots busy", at, simulate.ThreeDigits(c.mean(n, offered)),
				spec.Refusal, simulate.ThreeDigits(float64(spec.Slots)/spec.Refusal.Seconds()), spec.Slots)
		case !s.isEnough(inTime) && wasted > 0.5:
			return fmt.Sprintf("with %v %s of the servers' work is for nobody, and only %s of the clients are done in time",
				at, shareText(wasted), shareText(inTime))
		}
	}
	return ""
}

// lineStart is the first character of each line that is not empty.
var lineStart = regexp.MustCompile(`(?m)^.`)

func (s *search) showClause(r *experiment.Report, best *candidate) {
	satisfied := s.isSatisfied(best)
	if best.number == 0 && satisfied {
		r.Note("The script can stay as it is.")
		return
	}
	if best.number == 0 || best.inTime() == 0 {
		r.Note("Nothing that was tried is enough, so there is nothing to write: " +
			"try more (--from, --to), give them more time (--deadline), or the server more room.")
		return
	}
	text := best.script.Resource()
	for _, header := range best.script.Headers() {
		text += fmt.Sprintf("\n# %s:%d\n%s\n", header.Pos.Source.Name, header.Pos.Line, header.Text)
	}
	heading := "Write:"
	if !satisfied {
		heading = "The nearest, although it is not enough:"
	}
	r.Note("%s\n\n%s", heading, lineStart.ReplaceAllString(strings.TrimSpace(text), "    $0"))
	r.Note("Tried in each try that has limits and no `every`; " +
		"a resource in those of them with a time limit, none of their own, and no other such try inside.")
}

func shareText(share float64) string { return fmt.Sprintf("%.3g %%", 100*share) }
