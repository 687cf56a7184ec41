package fit

import (
	"context"
	"math"
	"slices"
	"sync"
	"time"

	"ftsh/cmd/ftshsim/herd"
	"ftsh/cmd/ftshsim/herd/server"
	"ftsh/cmd/ftshsim/herd/spread"
)

// model holds what a server may be like, and how far its answers are from the real ones.
type model struct {
	server.Spec
	parameters int // that were chosen to fit
	distance   float64
}

// gain is the improvement that each further parameter must bring: a model that is only a little nearer fits
// the noise.
const gain = 0.07

// scoreOf is lower for better models.
func (m *model) scoreOf() float64 { return m.distance * m.weight() }

// weight is by what its distance counts more because of its parameters.
func (m *model) weight() float64 { return 1 + gain*float64(m.parameters) }

// window says how many calls are replayed, those around the most that were under way at once.
const window = 2000

// findCapacity finds the model that answers the calls most nearly as they were answered. at is
// when they began.
func findCapacity(calls []call, at []time.Duration, outages []server.Outage) model {
	list, under := calls, underWay(calls, at)
	if len(list) > window {
		from := slices.Index(under, slices.Max(under)) - window/2
		from = min(max(from, 0), len(list)-window)
		list, at, under = list[from:from+window], at[from:from+window], under[from:from+window]
	}
	until := replayEnd(list, at)
	best := nearestModel(candidates(list, under), list, at, outages, until)
	if mean := throughput(list, at, outages, best.Slots); best.Slots > 0 && mean > 0 {
		best.Response = spread.Always(mean)
	}
	return best
}

// nearestModel is the best of the models, and the first of those that are as good. The others are not replayed to
// their ends: a model that gets a worse score than another has is none of these, however much worse it would be.
func nearestModel(models []model, list []call, at []time.Duration, outages []server.Outage, until time.Duration) model {
	once := herd.Runs{Seeds: 1}
	lowest := lowestScore{score: math.Inf(1)}
	herd.Each(context.Background(), once, len(models), func(_ context.Context, n int, _ uint64) struct{} {
		m := &models[n]
		spec := m.Spec
		spec.Outages = outages
		m.distance = newReplay(spec, at).distance(list, until, func(distance float64) bool {
			return distance*m.weight() > lowest.get()+asGood
		})
		lowest.add(m.scoreOf())
		return struct{}{}
	})
	return models[slices.IndexFunc(models, func(m model) bool { return m.scoreOf() <= lowest.get()+asGood })]
}

// asGood is by how much scores may differ that are the same.
const asGood = 1e-9

// lowestScore is the lowest of the scores that were added, by several at the same time.
type lowestScore struct {
	mu    sync.Mutex
	score float64
}

func (l *lowestScore) add(score float64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.score = min(l.score, score)
}

func (l *lowestScore) get() float64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.score
}

// replayEnd is a good while after the last of the calls had ended.
func replayEnd(calls []call, at []time.Duration) (last time.Duration) {
	for i, c := range calls {
		last = max(last, at[i]+4*c.took)
	}
	return last
}

// underWay returns how many calls were, when each began, itself among them.
func underWay(calls []call, at []time.Duration) (list []int) {
	var ends []time.Duration
	for i, c := range calls {
		ends = slices.DeleteFunc(ends, func(end time.Duration) bool { return end <= at[i] })
		ends = append(ends, at[i]+c.took)
		list = append(list, len(ends))
	}
	return list
}

// candidates are the models that are tried: without a limit, with slots, and with a delay
// that grows. under counts the calls under way at each.
func candidates(calls []call, under []int) (list []model) {
	took := sortedTimes(calls, good)
	if len(took) == 0 {
		took = sortedTimes(calls, good, bad, cut)
	}
	highest := slices.Max(under)
	list = append(list, model{Spec: server.Spec{Queue: server.Unlimited, Response: spread.Always(quantile(took, 0.5))}})
	alone := idleTime(calls, under)
	bases := []time.Duration{quantile(took, 0), quantile(took, 0.05), quantile(took, 0.25), quantile(took, 0.5), alone}
	// A line is as long as many times together: one of them must be right. None is much longer than those of a
	// server that has little to do: what is longer has waited.
	exact := slices.DeleteFunc(slices.Clone(bases), func(base time.Duration) bool { return base > alone*13/10 })
	for _, tenths := range []int{7, 8, 9, 11, 12, 13} {
		exact = append(exact, alone*time.Duration(tenths)/10)
	}
	for _, base := range exact {
		for _, slots := range geometricSteps(1, highest, 1.2) {
			spec := server.Spec{Slots: slots, Queue: server.Unlimited, Response: spread.Always(base)}
			list = append(list, model{Spec: spec, parameters: 2})
		}
	}
	return append(list, growingModels(bases, highest)...)
}

// idleTime is the time in the middle of those that were taken when there was least to do.
func idleTime(calls []call, under []int) time.Duration {
	order := make([]int, len(calls))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return under[a] - under[b] })
	var least []call
	for _, i := range order {
		if calls[i].outcome == good && len(least) < max(len(calls)/20, 10) {
			least = append(least, calls[i])
		}
	}
	return medianTime(least, good)
}

// tick says how often a server with a growing delay looks whether a request may leave, and so
// do those here.
const tick = 50 * time.Millisecond

// growingModels are models whose delay grows with what is under way.
func growingModels(bases []time.Duration, highest int) (list []model) {
	var known []time.Duration
	for _, base := range bases {
		if base = max(base.Truncate(tick), tick); slices.Contains(known, base) {
			continue
		}
		known = append(known, base)
		for _, limit := range geometricSteps(0, highest, 1.5) {
			for _, percent := range []float64{0.5, 1, 2, 3, 5, 7, 10, 15, 25, 50} {
				slower := server.Slowdown{Limit: limit, Factor: 1 + percent/100, Per: 1, Every: tick}
				spec := server.Spec{Queue: server.Unlimited, Response: spread.Always(base), Slowdown: slower}
				list = append(list, model{Spec: spec, parameters: 3})
			}
		}
	}
	return list
}

// geometricSteps are whole numbers from low to below high, each so many times the one before.
func geometricSteps(low, high int, times float64) (list []int) {
	for n := low; n < high; n = max(n+1, int(math.Round(float64(n)*times))) {
		list = append(list, n)
	}
	return list
}
