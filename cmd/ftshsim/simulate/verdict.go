package simulate

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"ftsh/cmd/ftshsim/herd/measure"
	"ftsh/cmd/ftshsim/world"
)

// standing is what decides which of several variants is the best.
type standing struct {
	all        bool    // of its clients were done before the end, in every run
	share      float64 // of them that was done
	load, last float64
}

func meanOf(runs []outcome, of func(outcome) float64) float64 { return sampleOf(runs, of).Mean() }

func meanCount(runs []outcome, of func(outcome) int) float64 {
	return meanOf(runs, func(o outcome) float64 { return float64(of(o)) })
}

// Some counts of clients.
func clientsDone(o outcome) int   { return o.Done }
func clientsGaveUp(o outcome) int { return o.GivenUp }
func lastDone(o outcome) float64  { return o.Last.Seconds() }

func standingOf(runs []outcome) standing {
	return standing{load: meanOf(runs, outcome.loadMultiplier), last: meanOf(runs, lastDone),
		share: meanOf(runs, func(o outcome) float64 { return float64(o.Done) / math.Max(float64(o.clients), 1) }),
		all:   !slices.ContainsFunc(runs, func(o outcome) bool { return o.Done != o.clients })}
}

// compare brings the better one first: who gets all through, then by load, then by the last client; where nobody gets
// all through, by how many are. Loads and times that differ by less than a hundredth are the same.
func (s standing) compare(other standing) int {
	if s.all != other.all {
		if s.all {
			return -1
		}
		return 1
	}
	hundredth := func(v float64) float64 { return math.Round(100 * math.Log(v)) }
	byCost := cmp.Or(cmp.Compare(hundredth(s.load), hundredth(other.load)),
		cmp.Compare(hundredth(s.last), hundredth(other.last)), cmp.Compare(s.load, other.load))
	if s.all {
		return byCost
	}
	return cmp.Or(cmp.Compare(other.share, s.share), byCost)
}

// describeBest says which variant is the best, and what it costs the server; nothing where there is only one.
func (c *Comparison) describeBest(results [][]outcome) []string {
	best, least := -1, standing{}
	for n, runs := range results {
		if len(runs) == 0 {
			return nil
		}
		if s := standingOf(runs); best < 0 || s.compare(least) < 0 {
			best, least = n, s
		}
	}
	if len(results) < 2 {
		return nil
	}
	if least.share == 0 {
		return []string{"Best: none, since no client is done before the end."}
	}
	runs, text := results[best], "Best: "+c.Variants[best].Name+": "
	if !least.all {
		text = "None gets all clients through. Most are done with " + c.Variants[best].Name + ": "
	}
	text += peopleOf(runs, clientsDone) + " done"
	if least.last > 0 {
		text += ", the last by " + longTime(least.last)
	}
	load, rush := fmt.Sprintf("%.3g", least.load), meanCount(runs, func(o outcome) int { return o.Rush.Most() })
	if least.load >= 100 {
		load = fmt.Sprintf("%.0f", least.load)
	}
	text += fmt.Sprintf(", at a load multiplier of %s and up to %.0f requests in a second", load, rush)
	if len(runs) > 1 {
		text += fmt.Sprintf(" (means of %d runs)", len(runs))
	}
	return []string{text + c.describeSharing(&c.Variants[best]) + "."}
}

// peopleOf counts some of the clients, as whole people: 16028 of 20000.
func peopleOf(runs []outcome, of func(outcome) int) string {
	n, all := meanCount(runs, of), meanCount(runs, func(o outcome) int { return o.clients })
	whole := math.Round(n)
	if whole == all && n < all {
		whole-- // not all are
	}
	return fmt.Sprintf("%.0f of %.0f", whole, all)
}

// peopleAlone counts clients without saying of how many.
func peopleAlone(runs []outcome, of func(outcome) int) string {
	n := meanCount(runs, of)
	text := fmt.Sprintf("%.0f", n)
	if n > 0 && n < 0.5 {
		text = "fewer than 1"
	}
	return text + meanMark(runs, of)
}

// meanMark says that a number is a mean, where the runs differ.
func meanMark(runs []outcome, of func(outcome) int) string {
	if slices.ContainsFunc(runs, func(o outcome) bool { return of(o) != of(runs[0]) }) {
		return " (mean)"
	}
	return ""
}

// describeSharing says by how many machines a resource is shared that the script of a variant goes by; "" if by none.
func (c *Comparison) describeSharing(v *Variant) string {
	switch {
	case !slices.ContainsFunc(v.allScripts(), (*Script).SharesResource):
		return ""
	case c.Machines <= 1:
		return fmt.Sprintf("; its resource is shared by all %d clients, as on 1 machine (--machines)", v.Clients)
	case c.Machines >= v.Clients:
		return fmt.Sprintf("; its resource is of each client alone, on %d machines", c.Machines)
	}
	return fmt.Sprintf("; its resource is shared by the clients of each of %d machines", c.Machines)
}

// verdictSentences tells what became of the fleet of each variant, in a sentence each.
func (c *Comparison) verdictSentences(results [][]outcome) (list []string) {
	for n, runs := range results {
		if len(runs) == 0 {
			continue
		}
		name := ""
		if len(results) > 1 {
			name = c.Variants[n].Name + ": "
		}
		list = append(list, "Verdict: "+name+strings.Join(c.describeFleet(runs, triggerName(c.World)), "; ")+
			c.describeSharing(&c.Variants[n])+".")
	}
	return list
}

func triggerName(w *world.World) string {
	outages, brownouts := 0, 0
	for _, s := range w.Servers {
		outages, brownouts = outages+len(s.Spec.Outages), brownouts+len(s.Spec.Brownouts)
	}
	switch {
	case outages > 0 && brownouts > 0:
		return "outages and brown-outs"
	case outages > 1:
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
	text := peopleOf(runs, clientsDone) + " done" + meanMark(runs, clientsDone)
	if meanCount(runs, clientsDone) > 0 {
		text += " by " + longTime(meanOf(runs, lastDone))
	}
	parts := []string{text}
	if lost := meanCount(runs, clientsGaveUp); lost > 0 {
		meanwhile := func(o outcome) int { return o.gaveUpDuring }
		text := peopleAlone(runs, clientsGaveUp) + " gave up"
		switch n := meanCount(runs, meanwhile); n {
		case 0:
		case lost:
			text += ", all of them during the " + what
		default:
			text += ", " + peopleAlone(runs, meanwhile) + " of them during the " + what
		}
		parts = append(parts, text)
	}
	if running := func(o outcome) int { return o.Running }; meanCount(runs, running) > 0 {
		parts = append(parts, peopleAlone(runs, running)+" still ran at the end, after "+
			longTime(meanOf(runs, func(o outcome) float64 { return o.Tally.Until.Seconds() })))
	}
	if unbegun := func(o outcome) int { return o.clients - o.Begun }; meanCount(runs, unbegun) > 0 {
		parts = append(parts, peopleAlone(runs, unbegun)+" had not begun by then")
	}
	return append(append(parts, c.describeUsage(runs)), describeRecovery(runs, what)...)
}

// describeUsage tells how much the server was used that was used most.
func (c *Comparison) describeUsage(runs []outcome) string {
	best, most := 0, -1.0
	for n := range c.World.Servers {
		used := meanOf(runs, func(o outcome) float64 { return o.usedPercent(n, c.World) })
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
	atOnce := meanOf(runs, func(o outcome) float64 { return o.PerServer[best].Used / o.Tally.Until.Seconds() })
	text := name + " was " + percentage(most) + " used"
	switch {
	case atOnce == 0 || math.IsNaN(atOnce):
		return name + " served nobody"
	case c.World.Servers[best].Spec.Slots == 0:
		text = name + " served " + oneDigit(atOnce) + " at a time"
	}
	vain := meanOf(runs, func(o outcome) float64 { return 100 * o.PerServer[best].InVainShare() })
	if vain >= 0.5 {
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
	took := map[verdict]measure.Sample{}
	for _, o := range runs {
		v, after := o.judge()
		took[v] = append(took[v], after)
	}
	for v := collapsed; v <= outlasts; v++ {
		n := len(took[v])
		if n == 0 {
			continue
		}
		part := strings.NewReplacer("AFTER", longTime(took[v].Mean()), "TRIGGER", what).Replace(sentences[v])
		if n < len(runs) {
			part += fmt.Sprintf(" (in %d of %d runs)", n, len(runs))
		}
		parts = append(parts, part)
	}
	return parts
}

// sentences are the verdicts in words.
var sentences = [...]string{
	collapsed:   "it collapsed without any outage: most of its work is in vain, while clients wait or give up",
	cameBack:    "it came back AFTER after the TRIGGER",
	servedRest:  "those that were left were served again AFTER after the TRIGGER",
	fellBack:    "it came back after the TRIGGER, and did not stay so",
	neverBack:   "it did not come back after the TRIGGER",
	neverWell:   "it did no work even before the TRIGGER",
	nobodyLeft:  "nobody was left to be served after the TRIGGER",
	doneBefore:  "all were done before the end of the TRIGGER",
	notYetKnown: "the run ended too soon after the TRIGGER to say whether it came back",
	outlasts:    "the run ended before the TRIGGER did",
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
