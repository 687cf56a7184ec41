package simulate

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"ftsh/cmd/ftshsim/herd/measure"
	"ftsh/cmd/ftshsim/world"
)

// trigger is when a world is out of order: from the first beginning to the last end.
type trigger struct{ from, to time.Duration }

// triggerOf is that of a world, as far as it begins before the end.
func triggerOf(w *world.World, until time.Duration) (t trigger) {
	add := func(from, to time.Duration) {
		if from >= until {
			return
		}
		if t.to == 0 {
			t.from = from
		}
		t.from, t.to = min(t.from, from), max(t.to, to)
	}
	for _, s := range w.Servers {
		for _, o := range s.Spec.Outages {
			add(o.From, o.To+s.Spec.Restart)
		}
		for _, b := range s.Spec.Brownouts {
			add(b.From, b.To)
		}
	}
	return t
}

// noteLacking notes whether a client lacks something, from now on.
func (s *simulation) noteLacking(c *client, lacks bool) {
	if c.lacks == lacks || s.over {
		return
	}
	s.countLacking()
	if c.lacks = lacks; lacks {
		s.lack++
	} else {
		s.lack--
	}
}

// countLacking counts what clients have lacked up to now.
func (s *simulation) countLacking() {
	s.lacking.Hold(s.held, s.virtualTime(), s.lack)
	s.held = s.virtualTime()
}

// verdictSentences tells what became of the fleet of each variant, in a sentence each.
func (c *Comparison) verdictSentences(results [][]outcome) (list []string) {
	what := triggerName(c.World)
	for n, runs := range results {
		if len(runs) == 0 {
			continue
		}
		name := ""
		if len(results) > 1 {
			name = c.Variants[n].Name + ": "
		}
		parts := c.describeFleet(runs, what)
		if sharing := c.describeSharing(&c.Variants[n]); sharing != "" {
			parts = append(parts, sharing)
		}
		list = append(list, "Verdict: "+name+strings.Join(parts, "; ")+".")
	}
	return list
}

// triggerName names the outages and brown-outs of a world.
func triggerName(w *world.World) string {
	outages, brownouts := 0, 0
	for _, s := range w.Servers {
		outages, brownouts = outages+len(s.Spec.Outages), brownouts+len(s.Spec.Brownouts)
	}
	switch {
	case outages > 0 && brownouts > 0:
		return "outages and brown-outs"
	case outages+brownouts > 1 && outages > 0:
		return "outages"
	case outages > 0:
		return "outage"
	case brownouts > 1:
		return "brown-outs"
	}
	return "brown-out"
}

// describeFleet tells what became of the clients of some runs, how much the servers were used, and whether
// they came back. Numbers are means over the runs.
func (c *Comparison) describeFleet(runs []outcome, what string) []string {
	mean := func(of func(outcome) float64) float64 { return meanOf(runs, of) }
	some := func(of func(outcome) int) bool {
		return slices.ContainsFunc(runs, func(o outcome) bool { return of(o) > 0 })
	}
	done, lost := func(o outcome) int { return o.Done }, func(o outcome) int { return o.GivenUp }
	text := peopleOf(runs, done) + " done" + meanMark(runs, done)
	if some(done) {
		text += " by " + longTime(mean(func(o outcome) float64 { return o.Last.Seconds() }))
	}
	parts := []string{text}
	if some(lost) {
		parts = append(parts, peopleAlone(runs, lost)+" gave up"+gaveUpDuring(runs, what))
	}
	if running := func(o outcome) int { return o.Running }; some(running) {
		parts = append(parts, peopleAlone(runs, running)+" still ran at the end, after "+
			longTime(mean(func(o outcome) float64 { return o.Tally.Until.Seconds() })))
	}
	if unbegun := func(o outcome) int { return o.clients - o.Begun }; some(unbegun) {
		parts = append(parts, peopleAlone(runs, unbegun)+" had not begun by then")
	}
	return append(append(parts, c.describeUsage(mean)), describeRecovery(runs, what)...)
}

// gaveUpDuring says how many of those that gave up did so meanwhile; "" if none.
func gaveUpDuring(runs []outcome, what string) string {
	meanwhile := func(o outcome) int { return o.gaveUpDuring }
	switch n := meanOf(runs, func(o outcome) float64 { return float64(o.gaveUpDuring) }); n {
	case 0:
		return ""
	case meanOf(runs, func(o outcome) float64 { return float64(o.GivenUp) }):
		return ", all of them during the " + what
	}
	return ", " + peopleAlone(runs, meanwhile) + " of them during the " + what
}

// describeUsage tells how much the server was used that was used most.
func (c *Comparison) describeUsage(mean func(func(outcome) float64) float64) string {
	best, most := 0, -1.0
	for n := range c.World.Servers {
		used := mean(func(o outcome) float64 { return o.usedPercent(n, c.World) })
		if math.IsNaN(used) {
			used = 0 // there is no limit to be near to
		}
		if used > most {
			best, most = n, used
		}
	}
	name := "the server"
	if len(c.World.Servers) > 1 {
		name = serverLabel(c.World, best)
	}
	atOnce := mean(func(o outcome) float64 { return o.PerServer[best].Used / o.Tally.Until.Seconds() })
	text := name + " was " + percentage(most) + " used"
	switch {
	case atOnce == 0 || math.IsNaN(atOnce):
		return name + " served nobody"
	case c.World.Servers[best].Spec.Slots == 0:
		text = name + " served " + oneDigit(atOnce) + " at a time"
	}
	if vain := mean(func(o outcome) float64 { return 100 * o.PerServer[best].InVainShare() }); vain >= 0.5 {
		text += ", " + percentage(vain) + " of that for nobody"
	}
	return text
}

// usedPercent is the share of a server's slot-time that was used, in percent; NaN where it has no slots.
func (o outcome) usedPercent(n int, w *world.World) float64 {
	slots := w.Servers[n].Spec.Slots
	if slots == 0 || o.Tally.Until <= 0 {
		return math.NaN()
	}
	return 100 * o.PerServer[n].Used / (float64(slots) * o.Tally.Until.Seconds())
}

// describeRecovery tells whether runs came back, and how many of them if they differ; nothing where there is nothing
// to tell.
func describeRecovery(runs []outcome, what string) (parts []string) {
	counts, took := map[verdict]int{}, map[verdict]measure.Sample{}
	for _, o := range runs {
		v, after := o.judge()
		counts[v]++
		took[v] = append(took[v], after)
	}
	for v := collapsed; v <= outlasts; v++ {
		if counts[v] == 0 {
			continue
		}
		part := verdictSentence(v, what, longTime(took[v].Mean()))
		if counts[v] < len(runs) {
			part += fmt.Sprintf(" (in %d of %d runs)", counts[v], len(runs))
		}
		parts = append(parts, part)
	}
	return parts
}

// verdictSentence is a verdict in words.
func verdictSentence(v verdict, what, after string) string {
	switch v {
	case collapsed:
		return "it collapsed without any outage: most of its work is in vain, while clients wait or give up"
	case cameBack:
		return "it came back " + after + " after the " + what
	case servedRest:
		return "those that were left were served again " + after + " after the " + what
	case fellBack:
		return "it came back after the " + what + ", and did not stay so"
	case neverBack:
		return "it did not come back after the " + what
	case neverWell:
		return "it did no work even before the " + what
	case nobodyLeft:
		return "nobody was left to be served after the " + what
	case doneBefore:
		return "all were done before the end of the " + what
	case notYetKnown:
		return "the run ended too soon after the " + what + " to say whether it came back"
	case outlasts:
		return "the run ended before the " + what + " did"
	}
	return ""
}

// whatBackMeans explains the verdicts that say it.
const whatBackMeans = "It came back when over 30 s, and at the end, the useful answers per second are " +
	"nine tenths of what they were, " +
	"or no more clients than before lack one, a twentieth aside; " +
	"if more than a twentieth gave up meanwhile, only the rate counts."

// oneDigit is a number with at most one digit behind the point.
func oneDigit(v float64) string { return strconv.FormatFloat(math.Round(10*v)/10, 'f', -1, 64) }

// percentage is a number of percent: whole, but for small ones.
func percentage(v float64) string {
	if v < 1 {
		return strconv.FormatFloat(v, 'g', 1, 64) + " %"
	}
	return strconv.FormatFloat(v, 'f', 0, 64) + " %"
}

// longTime is a number of seconds as people say it: 12 s, 4.2 min, 41 min, 3.1 h.
func longTime(seconds float64) string {
	switch {
	case seconds < 120:
		return strconv.FormatFloat(seconds, 'f', 0, 64) + " s"
	case seconds < 600:
		return oneDigit(seconds/60) + " min"
	case seconds < 2*3600:
		return strconv.FormatFloat(seconds/60, 'f', 0, 64) + " min"
	}
	return oneDigit(seconds/3600) + " h"
}

// cameBackQuantity has the share of the runs that came back, where there was something to come back from.
func (c *Comparison) cameBackQuantity() []quantity {
	if triggerOf(c.World, c.Crowd.Until) == (trigger{}) {
		return nil
	}
	return []quantity{{name: "came back (% of the runs)", worth: 50, none: "no run went on long enough to see it",
		measure: func(o outcome) float64 {
			switch v, _ := o.judge(); v {
			case noTrigger, notYetKnown, doneBefore, outlasts:
				return math.NaN()
			case cameBack:
				return 100
			}
			return 0
		}}}
}
