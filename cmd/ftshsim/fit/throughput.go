package fit

import (
	"cmp"
	"slices"
	"time"

	"ftsh/cmd/ftshsim/herd/server"
)

// busyCalls is of how many answers the throughput of a server can be told, at least.
const busyCalls = 30

// throughput returns how long a server with that many slots takes for a call, in the mean, told from how many it
// answers while some wait all the time; 0: there are too few of those. Calls that were given up, which it may serve
// or not, leave that open, too.
func throughput(calls []call, at []time.Duration, outages []server.Outage, slots int) time.Duration {
	type change struct {
		when  time.Duration
		by    int
		ended *call
	}
	var changes []change
	for i := range calls {
		if calls[i].outcome == cut || !calls[i].timed {
			return 0
		}
		changes = append(changes, change{at[i], 1, nil}, change{at[i] + calls[i].took, -1, &calls[i]})
	}
	slices.SortStableFunc(changes, func(a, b change) int {
		return cmp.Or(cmp.Compare(a.when, b.when), cmp.Compare(a.by, b.by))
	})
	answered, level, counts := 0, 0, false // from the first answer on: what came before was under way already
	var busy, last, stretch time.Duration
	n := 0 // answers in this stretch
	for _, c := range changes {
		down := slices.ContainsFunc(outages, func(o server.Outage) bool { return c.when >= o.From && c.when <= o.To })
		waited := level > slots && !down
		if waited && counts {
			stretch += c.when - last
			if c.ended != nil {
				n++
			}
		}
		if !waited {
			if n >= busyCalls { // a short stretch says little: it begins and ends with an answer
				busy, answered = busy+stretch, answered+n
			}
			stretch, n = 0, 0
		}
		counts = waited && (counts || c.ended != nil)
		last = c.when
		level += c.by
	}
	if answered == 0 {
		return 0
	}
	return busy * time.Duration(slots) / time.Duration(answered)
}
