package fit

import (
	"math"
	"slices"
	"time"
)

// model is what a server may be like: how long it takes for a call, and what makes others wait.
type model struct {
	base   time.Duration // for each call
	slots  int           // calls served at the same time; 0: any number
	growth float64       // by how much longer base is for each call under way above limit; 0: it does not grow
	limit  int
	weight float64 // by what its distance counts more because of the parameters that were chosen to fit
}

// gain is the improvement that each parameter chosen to fit must bring: a model that is only a little nearer fits the
// noise.
const gain = 0.07

// window limits how many calls the models are asked for: those around the most that were under way at once.
const window = 2000

// nearestModel finds the model that answers the calls, in the order of their beginnings, most nearly as they were.
func nearestModel(calls []call) (best model) {
	under := underWay(calls)
	if len(calls) > window {
		from := slices.Index(under, slices.Max(under)) - window/2
		from = min(max(from, 0), len(calls)-window)
		calls, under = calls[from:from+window], under[from:from+window]
	}
	least := math.Inf(1)
	for _, m := range models(calls, under) {
		if score := m.distance(calls) * m.weight; score < least-1e-9 {
			best, least = m, score
		}
	}
	return best
}

// underWay returns how many calls were, when each began, itself among them.
func underWay(calls []call) (list []int) {
	var ends []time.Duration
	for _, c := range calls {
		ends = slices.DeleteFunc(ends, func(end time.Duration) bool { return end <= c.at })
		ends = append(ends, c.end())
		list = append(list, len(ends))
	}
	return list
}

// models are those that are tried: without a limit, with slots, and with a delay that grows. under counts the calls
// under way at each.
func models(calls []call, under []int) []model {
	took := sortedTimes(calls, good)
	if len(took) == 0 {
		took = sortedTimes(calls, good, bad, cut)
	}
	highest, alone := slices.Max(under), idleTime(calls, under)
	list := []model{{base: quantile(took, 0.5), weight: 1}}
	for _, slots := range steps(1, highest, 1.2) {
		served, base := servingTimes(calls, slots, alone), time.Duration(0)
		for _, d := range served {
			base += d
		}
		base /= time.Duration(max(len(served), 1))
		// A server that has much to do takes no longer for each than one that has little: what is longer has waited.
		if base > 0 && base <= alone*13/10 {
			list = append(list, model{base: base, slots: slots, weight: 1 + 2*gain})
		}
	}
	for _, share := range []float64{0, 0.05, 0.25, 0.5} {
		base := max(quantile(took, share).Truncate(tick), tick)
		for _, limit := range steps(0, highest, 1.5) {
			for _, percent := range []float64{0.5, 1, 2, 3, 5, 7, 10, 15, 25, 50} {
				list = append(list, model{base: base, limit: limit, growth: percent / 100, weight: 1 + 3*gain})
			}
		}
	}
	return list
}

// idleTime is the median of the times of good calls that were made when there was least to do. under counts the calls
// under way at each.
func idleTime(calls []call, under []int) time.Duration {
	little := slices.Sorted(slices.Values(under))[min(max(len(calls)/20, 10), len(calls))-1]
	var idle []call
	for i, c := range calls {
		if under[i] <= little {
			idle = append(idle, c)
		}
	}
	return quantile(sortedTimes(idle, good), 0.5)
}

// steps are whole numbers from low to below high, each so many times the one before.
func steps(low, high int, times float64) (list []int) {
	for n := low; n < high; n = max(n+1, int(math.Round(float64(n)*times))) {
		list = append(list, n)
	}
	return list
}

// servingTimes returns how long good calls were served by a server with that many slots, without their time in line:
// the first to come is the first to be served, as soon as enough of those before it have left. Calls that were given
// up are served all the same, for that guess of a time.
func servingTimes(calls []call, slots int, guess time.Duration) (list []time.Duration) {
	free := make([]time.Duration, slots) // when each slot is, the soonest first
	for _, c := range calls {
		start := max(c.at, free[0])
		end := max(c.end(), start)
		if c.outcome == cut {
			end = max(end, start+guess)
		}
		at, _ := slices.BinarySearch(free[1:], end)
		copy(free, free[1:at+1])
		free[at] = end
		if c.outcome == good {
			list = append(list, end-start)
		}
	}
	return list
}

// worst is the distance of an answer that is far off.
const worst = 3

// distance returns how far the answers of a model are from those of the calls, in the mean of their logarithms. Of a
// call that was given up it is known only that its answer would have come later, and of one that failed nothing.
func (m *model) distance(calls []call) float64 {
	sum, n := 0.0, 0
	for i, end := range m.ends(calls) {
		c := &calls[i]
		if c.outcome == bad {
			continue
		}
		n++
		if ratio := math.Log(float64(max(end-c.at, 1)) / float64(max(c.took, 1))); c.outcome == good || ratio < 0 {
			sum += min(math.Abs(ratio), worst)
		}
	}
	return sum / float64(max(n, 1))
}

// ends returns when the model would have answered each call.
func (m *model) ends(calls []call) []time.Duration {
	ends := make([]time.Duration, len(calls))
	if m.growth > 0 {
		m.growingEnds(calls, ends)
		return ends
	}
	for i, c := range calls {
		start := c.at
		if m.slots > 0 && i >= m.slots {
			start = max(start, ends[i-m.slots])
		}
		ends[i] = start + m.base
	}
	return ends
}

// growingEnds finds the ends with a delay that grows with the calls under way: the first to come is the first to leave,
// once it has been there for the time that is right by then.
func (m *model) growingEnds(calls []call, ends []time.Duration) {
	first, now := 0, time.Duration(0) // of those under way; the last arrival or leave
	leaveUntil := func(when time.Duration, came int) {
		for ; first < came; first++ {
			left := max(now, calls[first].at+m.delay(came-first))
			if left > when {
				break
			}
			ends[first], now = left, left
		}
		now = when
	}
	for i, c := range calls {
		leaveUntil(c.at, i)
	}
	leaveUntil(math.MaxInt64, len(calls))
}

// tick says how often a request to a server with `slowdown` looks whether it may leave.
const tick = 50 * time.Millisecond

// delay returns how long a call takes while so many are under way.
func (m *model) delay(under int) time.Duration {
	if under <= m.limit {
		return m.base
	}
	longer := float64(m.base) * math.Pow(1+m.growth, float64(under-m.limit))
	return time.Duration(min(longer, float64(time.Hour))) + tick/2 // on average
}
