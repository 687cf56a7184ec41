package simulate

import (
	"fmt"
	"math"
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

// lack notes whether a client lacks something, from now on.
func (s *simulation) lack(c *client, lacks bool) {
	if c.lacks == lacks || s.over {
		return
	}
	s.hold()
	if c.lacks = lacks; lacks {
		s.Lack++
	} else {
		s.Lack--
	}
}

// hold counts what clients have lacked up to now.
func (s *simulation) hold() {
	s.Lacking.Hold(s.held, s.time(), s.Lack)
	s.held = s.time()
}

// Judge says whether the crowd and the servers came back from all outages and brown-outs
// of the world, and if so, how many seconds after the last of them. See [measure.Tally.Judge].
func (t *Tally) Judge() (v measure.Verdict, after float64) {
	return t.Tally.Judge(t.trigger.from, t.trigger.to)
}

// verdicts tells in words what became of each variant.
func (c *Comparison) verdicts(results [][]outcome) string {
	if triggerOf(c.World, c.Crowd.Until) == (trigger{}) {
		return "Verdict: no trigger. SPEC has no outage and no brown-out to come back from."
	}
	var parts []string
	for n, runs := range results {
		counts, took := map[measure.Verdict]int{}, measure.Sample{}
		for _, o := range runs {
			v, after := o.Judge()
			if counts[v]++; v == measure.CameBack {
				took = append(took, after)
			}
		}
		for v := measure.NoTrigger; v <= measure.NotYetKnown; v++ {
			if counts[v] == 0 {
				continue
			}
			part := fmt.Sprintf("%s %v in %d of %d runs", c.Variants[n].Name, v, counts[v], len(runs))
			if v == measure.CameBack {
				part += fmt.Sprintf(" (after %s s)", strconv.FormatFloat(took.Mean(), 'f', 1, 64))
			}
			parts = append(parts, part)
		}
	}
	return "Verdict: " + strings.Join(parts, "; ") + ". It is back when over 30 s, " +
		"and at the end, the work done per second is nine tenths of " +
		"what it was, or no more clients than before lack an answer, a twentieth aside."
}

// judged has the share of the runs that came back, where there was something to come back from.
func (c *Comparison) judged(results [][]outcome) []quantity {
	if !anyOf(results, func(o outcome) bool { v, _ := o.Judge(); return v != measure.NoTrigger }) {
		return nil
	}
	return []quantity{{"came back (% of the runs)", func(o outcome) float64 {
		switch v, _ := o.Judge(); v {
		case measure.NoTrigger, measure.NotYetKnown:
			return math.NaN()
		case measure.CameBack:
			return 100
		}
		return 0
	}}}
}
