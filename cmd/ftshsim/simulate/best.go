package simulate

import (
	"cmp"
	"fmt"
	"math"

	"ftsh/cmd/ftshsim/herd/measure"
)

// standing is what decides which of several variants is the best.
type standing struct {
	all        bool    // of its clients were done before the end, in every run
	share      float64 // of them that was done
	load, last float64
}

// meanOf is the mean of something over runs.
func meanOf(runs []outcome, of func(outcome) float64) float64 {
	var s measure.Sample
	for _, o := range runs {
		s = append(s, of(o))
	}
	return s.Mean()
}

func standingOf(runs []outcome) standing {
	s := standing{all: true, load: meanOf(runs, outcome.loadMultiplier),
		last:  meanOf(runs, func(o outcome) float64 { return o.Last.Seconds() }),
		share: meanOf(runs, func(o outcome) float64 { return float64(o.Done) / math.Max(float64(o.clients), 1) })}
	for _, o := range runs {
		s.all = s.all && o.Done == o.clients
	}
	return s
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
	text += peopleOf(runs, func(o outcome) int { return o.Done }) + " done"
	if least.last > 0 {
		text += ", the last by " + longTime(least.last)
	}
	rush := meanOf(runs, func(o outcome) float64 { return float64(o.Rush.Most()) })
	text += fmt.Sprintf(", at a load multiplier of %s and up to %.0f requests in a second", threeDigits(least.load), rush)
	if len(runs) > 1 {
		text += fmt.Sprintf(" (means of %d runs)", len(runs))
	}
	if sharing := c.describeSharing(&c.Variants[best]); sharing != "" {
		text += "; " + sharing
	}
	return []string{text + "."}
}

// threeDigits is a number with three digits, or all of those before the point.
func threeDigits(v float64) string {
	if v >= 100 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.3g", v)
}

// peopleOf counts some of the clients, as whole people: 16028 of 20000. The mean of several runs says that it is one.
func peopleOf(runs []outcome, of func(outcome) int) string {
	n := meanOf(runs, func(o outcome) float64 { return float64(of(o)) })
	all := meanOf(runs, func(o outcome) float64 { return float64(o.clients) })
	whole := math.Round(n)
	if whole == all && n < all {
		whole-- // not all are
	}
	return fmt.Sprintf("%.0f of %.0f", whole, all)
}

// peopleAlone counts clients without saying of how many.
func peopleAlone(runs []outcome, of func(outcome) int) string {
	n := meanOf(runs, func(o outcome) float64 { return float64(of(o)) })
	text := fmt.Sprintf("%.0f", n)
	if n > 0 && n < 0.5 {
		text = "fewer than 1"
	}
	return text + meanMark(runs, of)
}

// meanMark says that a number is a mean, where the runs differ.
func meanMark(runs []outcome, of func(outcome) int) string {
	for _, o := range runs {
		if of(o) != of(runs[0]) {
			return " (mean)"
		}
	}
	return ""
}

// describeSharing says by how many machines a resource is shared that the script of a variant goes by; "" if by none.
func (c *Comparison) describeSharing(v *Variant) string {
	for _, script := range v.allScripts() {
		if script.SharesResource() {
			return describeMachines(v.Clients, c.Machines)
		}
	}
	return ""
}

func describeMachines(clients, machines int) string {
	switch {
	case machines <= 1:
		return fmt.Sprintf("its resource is shared by all %d clients, as on 1 machine (--machines)", clients)
	case machines >= clients:
		return fmt.Sprintf("its resource is of each client alone, on %d machines", machines)
	}
	return fmt.Sprintf("its resource is shared by the clients of each of %d machines", machines)
}
