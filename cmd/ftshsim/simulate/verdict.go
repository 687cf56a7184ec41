package simulate

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"ftsh/cmd/ftshsim/herd/measure"
	"ftsh/cmd/ftshsim/world"
)

func meanOf(runs []*Tally, of func(*Tally) float64) float64 { return sampleOf(runs, of).Mean() }

func meanCount(runs []*Tally, of func(*Tally) int) float64 {
	return meanOf(runs, func(t *Tally) float64 { return float64(of(t)) })
}

// Some counts of clients.
func clientsDone(t *Tally) int   { return t.Done }
func clientsGaveUp(t *Tally) int { return t.GivenUp }
func lastDone(t *Tally) float64  { return t.Last.Seconds() }

// rank is what variants are sorted by, the best first: who gets all clients through, then by load, then by the last
// client; where nobody gets all through, by how many are. Loads and times that differ by less than a hundredth are the
// same.
func rank(runs []*Tally) []float64 {
	hundredth := func(v float64) float64 { return math.Round(100 * math.Log(v)) }
	load := meanOf(runs, (*Tally).loadMultiplier)
	by := []float64{0, 0, hundredth(load), hundredth(meanOf(runs, lastDone)), load}
	if slices.ContainsFunc(runs, missesSome) {
		share := func(t *Tally) float64 { return float64(t.Done) / math.Max(float64(t.Wanted), 1) }
		by[0], by[1] = 1, -meanOf(runs, share)
	}
	return by
}

// missesSome reports whether not all clients were done before the end.
func missesSome(t *Tally) bool { return t.Done != t.Wanted }

// describeBest says which variant is the best, and what it costs the server; nothing where there is only one.
func (c *Comparison) describeBest(results [][]*Tally) []string {
	if len(results) < 2 || slices.ContainsFunc(results, func(runs []*Tally) bool { return len(runs) == 0 }) {
		return nil
	}
	best := 0
	for n := range results {
		if slices.Compare(rank(results[n]), rank(results[best])) < 0 {
			best = n
		}
	}
	runs, text := results[best], "Best: "+c.Variants[best].Name+": "
	switch {
	case meanCount(runs, clientsDone) == 0:
		return []string{"Best: none, since no client is done before the end."}
	case slices.ContainsFunc(runs, missesSome):
		text = "None gets all clients through. Most are done with " + c.Variants[best].Name + ": "
	}
	text += peopleOf(runs, clientsDone) + " done"
	if last := meanOf(runs, lastDone); last > 0 {
		text += ", the last by " + longTime(last)
	}
	load, rush := meanOf(runs, (*Tally).loadMultiplier), meanCount(runs, func(t *Tally) int { return t.Rush.Most() })
	text += fmt.Sprintf(", at a load multiplier of %s and up to %.0f requests in a second", ThreeDigits(load), rush)
	if len(runs) > 1 {
		text += fmt.Sprintf(" (means of %d runs)", len(runs))
	}
	return []string{text + c.describeSharing(&c.Variants[best]) + "."}
}

// peopleOf counts some of the clients, as whole people: 16028 of 20000.
func peopleOf(runs []*Tally, of func(*Tally) int) string {
	n, all := meanCount(runs, of), meanCount(runs, func(t *Tally) int { return t.Wanted })
	whole := math.Round(n)
	if whole == all && n < all {
		whole-- // not all are
	}
	return fmt.Sprintf("%.0f of %.0f", whole, all)
}

// peopleAlone counts clients without saying of how many.
func peopleAlone(runs []*Tally, of func(*Tally) int) string {
	n := meanCount(runs, of)
	text := fmt.Sprintf("%.0f", n)
	if n > 0 && n < 0.5 {
		text = "fewer than 1"
	}
	return text + meanMark(runs, of)
}

// meanMark says that a number is a mean, where the runs differ.
func meanMark(runs []*Tally, of func(*Tally) int) string {
	if slices.ContainsFunc(runs, func(t *Tally) bool { return of(t) != of(runs[0]) }) {
		return " (mean)"
	}
	return ""
}

// describeSharing says by how many machines a resource is shared that the script of a variant goes by; "" if by none.
func (c *Comparison) describeSharing(v *Variant) string {
	switch {
	case !slices.ContainsFunc(v.Who, func(p Part) bool { return p.Script.SharesResource() }):
		return ""
	case c.Machines <= 1:
		return fmt.Sprintf("; its resource is shared by all %d clients, as on 1 machine (--machines)", v.Clients)
	case c.Machines >= v.Clients:
		return fmt.Sprintf("; its resource is of each client alone, on %d machines", c.Machines)
	}
	return fmt.Sprintf("; its resource is shared by the clients of each of %d machines", c.Machines)
}

// verdictSentences tells what became of the fleet of each variant, in a sentence each.
func (c *Comparison) verdictSentences(results [][]*Tally) (list []string) {
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
	list := disturbances(w)
	switch {
	case len(list) == 0:
		return ""
	case slices.ContainsFunc(list, func(d disturbance) bool { return d.kind != list[0].kind }):
		return "outages and brown-outs"
	case len(list) > 1:
		return list[0].kind + "s"
	}
	return list[0].kind
}

// describeFleet tells what became of the clients of some runs, how much the servers were used, and whether
// they came back. Numbers are means over the runs.
func (c *Comparison) describeFleet(runs []*Tally, what string) []string {
	text := peopleOf(runs, clientsDone) + " done" + meanMark(runs, clientsDone)
	if meanCount(runs, clientsDone) > 0 {
		text += " by " + longTime(meanOf(runs, lastDone))
	}
	parts := []string{text}
	if lost := meanCount(runs, clientsGaveUp); lost > 0 {
		meanwhile := func(t *Tally) int { return t.gaveUpDuring }
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
	if running := func(t *Tally) int { return t.Running }; meanCount(runs, running) > 0 {
		parts = append(parts, peopleAlone(runs, running)+" still ran at the end, after "+
			longTime(meanOf(runs, func(t *Tally) float64 { return t.Until.Seconds() })))
	}
	if unbegun := func(t *Tally) int { return t.Wanted - t.Begun }; meanCount(runs, unbegun) > 0 {
		parts = append(parts, peopleAlone(runs, unbegun)+" had not begun by then")
	}
	return append(append(parts, c.describeUsage(runs)), describeRecovery(runs, what)...)
}

// describeUsage tells how much the server was used that was used most.
func (c *Comparison) describeUsage(runs []*Tally) string {
	best, most := 0, -1.0
	for n := range c.World.Servers {
		used := meanOf(runs, func(t *Tally) float64 { return t.usedPercent(n, c.World) })
		if math.IsNaN(used) {
			used = 0 // there is no limit to be near to
		}
		if used > most {
			best, most = n, used
		}
	}
	name := "the server"
	if len(c.World.Servers) > 1 {
		name = c.World.Servers[best].Name()
	}
	atOnce := meanOf(runs, func(t *Tally) float64 { return t.PerServer[best].Used / t.Until.Seconds() })
	text := name + " was " + percentage(most) + " used"
	switch {
	case atOnce == 0 || math.IsNaN(atOnce):
		return name + " served nobody"
	case c.World.Servers[best].Spec.Slots == 0:
		text = name + " served " + oneDigit(atOnce) + " at a time"
	}
	vain := meanOf(runs, func(t *Tally) float64 { return 100 * t.PerServer[best].InVainShare() })
	if vain >= 0.5 {
		text += ", " + percentage(vain) + " of that for nobody"
	}
	return text
}

// usedPercent is the share of a server's slot-time that was used, in percent; NaN where it has no slots.
func (t *Tally) usedPercent(n int, w *world.World) float64 {
	slots := w.Servers[n].Spec.Slots
	if slots == 0 || t.Until <= 0 {
		return math.NaN()
	}
	return 100 * t.PerServer[n].Used / (float64(slots) * t.Until.Seconds())
}

// describeRecovery tells whether runs came back, and how many of them if they differ; nothing where there is nothing
// to tell.
func describeRecovery(runs []*Tally, what string) (parts []string) {
	took := map[verdict]measure.Sample{}
	for _, t := range runs {
		v, after := t.judge()
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

// ThreeDigits is a number with three digits, or all of those before the point.
func ThreeDigits(v float64) string {
	if v >= 100 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.3g", v)
}

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
