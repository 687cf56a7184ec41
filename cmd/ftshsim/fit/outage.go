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

// findOutages finds the times in which all calls failed, where chance does not explain that, and marks the calls.
// What clients gave up says nothing: a slow server is no outage. Calls are looked at in the order in which they
// ended: one that waited in line when the outage began has begun long before it.
func findOutages(calls []call) (list []server.Outage) {
	var ended []*call
	for i := range calls {
		if calls[i].outcome != cut {
			ended = append(ended, &calls[i])
		}
	}
	slices.SortStableFunc(ended, func(a, b *call) int { return cmp.Compare(a.end(), b.end()) })
	share := failingShare(ended)
	for from := 0; from < len(ended); from++ {
		to := from
		for to < len(ended) && ended[to].outcome == bad {
			to++
		}
		if n := to - from; n < outageCalls || float64(len(calls))*math.Pow(share, float64(n)) >= 0.01 {
			from = to
			continue
		}
		if o := outageSpan(calls, ended, from, to); o.To > o.From {
			list = append(list, o)
			for _, c := range ended[from:to] {
				c.down = true
			}
		}
		from = to
	}
	return list
}

// failingShare is the share of calls that fail, as far as runs of failures do not make it: how
// often a good one is followed by a bad one. It is at least that of one among all.
func failingShare(ended []*call) float64 {
	after, failed := 1.0, 1.0
	for i, c := range ended {
		if i > 0 && ended[i-1].outcome == good {
			after++
			if c.outcome == bad {
				failed++
			}
		}
	}
	return min(failed/after, 0.9)
}

// outageSpan is the outage in which the calls ended[from:to] have failed. It begins in the middle between the end of
// the last good call and that of the first that failed, and ends in the middle between the beginning of the last that
// failed and that of the first good one after it.
func outageSpan(calls []call, ended []*call, from, to int) server.Outage {
	var o server.Outage
	if from > 0 {
		o.From = (ended[from-1].end() + ended[from].end()) / 2
	}
	latest, took := time.Duration(0), []time.Duration(nil)
	for _, c := range ended[from:to] {
		latest, took = max(latest, c.at), append(took, c.took)
	}
	next := latest + 2*time.Millisecond
	after := func(c call) bool { return c.outcome == good && c.at > latest }
	if i := slices.IndexFunc(calls, after); i >= 0 {
		next = calls[i].at
	}
	o.To = (latest + next) / 2
	slices.Sort(took)
	if usual := quantile(sortedTimes(calls, good), 0.25); usual > 0 && quantile(took, 0.25) > usual*3/4 {
		o.Mode = server.Fail // errors after the usual time; else refusals, which come sooner
		o.From = max(o.From-usual, 0)
	}
	return o
}
