package fit

import (
	"cmp"
	"math"
	"slices"
	"time"

	"ftsh/cmd/ftshsim/herd/server"
)

// outageCalls says how many calls in a row must fail, at least, to be an outage.
const outageCalls = 5

// findOutages finds the times in which all calls failed, where chance does not explain that. It
// tells for each call whether it was in one. What clients gave up says nothing: a slow server
// is no outage. Calls are looked at in the order in which they ended: one that waited in line
// when the outage began has begun long before it.
func findOutages(calls []call, begun []time.Duration) (list []server.Outage, in []bool) {
	in = make([]bool, len(calls))
	order := byEnd(calls, begun)
	share := failingShare(calls, order)
	for from := 0; from < len(order); from++ {
		if calls[order[from]].outcome != bad {
			continue
		}
		last := from
		for last+1 < len(order) && calls[order[last+1]].outcome == bad {
			last++
		}
		run := order[from : last+1]
		if n := len(run); n >= outageCalls && float64(len(calls))*math.Pow(share, float64(n)) < 0.01 {
			if o := outageSpan(calls, begun, order, from, last); o.To > o.From {
				list = append(list, o)
				for _, i := range run {
					in[i] = true
				}
			}
		}
		from = last
	}
	return list, in
}

// byEnd are the numbers of the calls that came to an end, in the order of that.
func byEnd(calls []call, begun []time.Duration) (order []int) {
	for i := range calls {
		if calls[i].outcome != cut {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(begun[a]+calls[a].took, begun[b]+calls[b].took) })
	return order
}

// medianTime is the time that half of the calls with an outcome took.
func medianTime(calls []call, of outcome) time.Duration { return quantile(sortedTimes(calls, of), 0.5) }

// failingShare is the share of calls that fail, as far as runs of failures do not make it: how
// often a good one is followed by a bad one. It is at least that of one among all.
func failingShare(calls []call, order []int) float64 {
	after, failed := 1, 1
	before := bad
	for _, i := range order {
		if before == good {
			after++
			if calls[i].outcome == bad {
				failed++
			}
		}
		before = calls[i].outcome
	}
	return math.Min(float64(failed)/float64(after), 0.9)
}

// outageSpan is the outage in which the calls from the first to the last have failed, in the order of their ends. It
// begins in the middle between the end of the last good call and that of the first that failed, and ends in the
// middle between the beginning of the last that failed and that of the first good one after it.
func outageSpan(calls []call, begun []time.Duration, order []int, first, last int) server.Outage {
	ends := func(n int) time.Duration { return begun[order[n]] + calls[order[n]].took }
	o := server.Outage{Mode: server.Refuse}
	if first > 0 {
		o.From = (ends(first-1) + ends(first)) / 2
	}
	latest := time.Duration(0)
	var took []time.Duration
	for _, i := range order[first : last+1] {
		latest = max(latest, begun[i])
		took = append(took, calls[i].took)
	}
	next := latest + 2*time.Millisecond
	for i := range calls { // by their beginnings
		if calls[i].outcome == good && begun[i] > latest {
			next = begun[i]
			break
		}
	}
	o.To = (latest + next) / 2
	slices.Sort(took)
	if usual := quantile(sortedTimes(calls, good), 0.25); usual > 0 && quantile(took, 0.25) > usual*3/4 {
		o.Mode = server.Fail // errors after the usual time; else refusals, which come sooner
		o.From = max(o.From-usual, 0)
	}
	return o
}
