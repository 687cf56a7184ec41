package fit

import (
	"math"
	"time"

	"ftsh/cmd/ftshsim/herd/server"
)

// outageCalls is how many calls in a row must fail, at least, to be an outage.
const outageCalls = 5

// outages finds the times in which all calls failed, where chance does not explain that. It
// tells for each call whether it was in one. What clients gave up says nothing: a slow server
// is no outage. Calls that were under way when an outage ended may have met the one or
// the other, whichever began first.
func outages(calls []call, at []time.Duration) (list []server.Outage, in []bool) {
	in = make([]bool, len(calls))
	share, overlap := failing(calls), 2*median(calls, bad)
	for from := 0; from < len(calls); from++ {
		if calls[from].outcome != bad {
			continue
		}
		last, count := from, 0
		for next := from; next < len(calls) && (calls[next].outcome != good || at[next] <= at[last]+overlap); next++ {
			if calls[next].outcome == bad {
				last = next
				count++
			}
		}
		if count >= outageCalls && float64(len(calls))*math.Pow(share, float64(count)) < 0.01 {
			if o := span(calls, at, from, last); o.To > o.From {
				list = append(list, o)
				for n := from; n <= last; n++ {
					in[n] = calls[n].outcome != good
				}
			}
		}
		from = last
	}
	return list, in
}

// median is the time that half of the calls with an outcome took.
func median(calls []call, of outcome) time.Duration { return at(sorted(calls, of), 0.5) }

// failing is the share of calls that fail, as far as runs of failures do not make it: how
// often a good one is followed by a bad one. It is at least that of one among all.
func failing(calls []call) float64 {
	after, failed := 1, 1
	before := bad
	for _, c := range calls {
		if c.outcome == cut {
			continue
		}
		if before == good {
			after++
			if c.outcome == bad {
				failed++
			}
		}
		before = c.outcome
	}
	return math.Min(float64(failed)/float64(after), 0.9)
}

// span is the outage in which the calls from the first to the last have failed. It ends in the
// middle between the last that failed and the first that did not, and begins likewise.
func span(calls []call, at []time.Duration, first, last int) server.Outage {
	o := server.Outage{To: at[last] + time.Millisecond, Mode: server.Refuse}
	if first > 0 {
		o.From = (at[first-1] + at[first]) / 2
	}
	for n := first; n < len(calls); n++ {
		if calls[n].outcome == good {
			o.To = (at[last] + at[n]) / 2
			break
		}
	}
	if usual := median(calls, good); usual > 0 && median(calls[first:last+1], bad) > usual*3/4 {
		o.Mode = server.Fail // errors after the usual time; else refusals, which come sooner
	}
	return o
}
