package measure

import (
	"math"
	"math/bits"
	"time"
)

// Histogram counts times in steps that are at most a 128th of the time wide, so that a hundred
// million of them take little room. The zero Histogram is empty.
type Histogram struct {
	counts []uint32
	n      int
	sum    float64 // seconds
	most   time.Duration
}

// steps counts those from one power of two to the next.
const steps = 128

// Add counts a time.
func (h *Histogram) Add(d time.Duration) {
	step := stepOf(uint64(max(d, 0)))
	if step >= len(h.counts) {
		h.counts = append(h.counts, make([]uint32, step+1-len(h.counts))...)
	}
	h.counts[step]++
	h.n++
	h.sum += d.Seconds()
	h.most = max(h.most, d)
}

// stepOf is the number of the step in which a time lies: the first ones are a nanosecond wide.
func stepOf(ns uint64) int {
	shift := max(bits.Len64(ns)-8, 0)
	return shift*steps + int(ns>>shift)
}

// startOf returns the beginning of a step, in nanoseconds.
func startOf(step int) float64 {
	if step < 2*steps {
		return float64(step)
	}
	shift := step/steps - 1
	return float64(uint64(step-shift*steps)) * math.Pow(2, float64(shift))
}

// Count returns the number of times.
func (h *Histogram) Count() int { return h.n }

// Mean is in seconds; NaN if there is none.
func (h *Histogram) Mean() float64 { return h.sum / float64(h.n) }

// Percentile is the time in seconds below which that share of them lies, 0 to 100; NaN if there is none.
func (h *Histogram) Percentile(percent float64) float64 {
	if h.n == 0 {
		return math.NaN()
	}
	wanted, below := percent/100*float64(h.n), 0.0
	for step, count := range h.counts {
		if count > 0 && below+float64(count) >= wanted {
			low, high := startOf(step), startOf(step+1)
			return min(low+(wanted-below)/float64(count)*(high-low), float64(h.most)) / 1e9
		}
		below += float64(count)
	}
	return h.most.Seconds()
}

// Between is the share of the times from one to before the other, 0 to 1; NaN if there is none.
func (h *Histogram) Between(from, to time.Duration) float64 {
	n := 0.0
	for step, count := range h.counts {
		if count == 0 {
			continue
		}
		low, high := startOf(step), startOf(step+1)
		inside := (math.Min(high, float64(to)) - math.Max(low, float64(from))) / (high - low)
		n += float64(count) * math.Max(inside, 0)
	}
	return n / float64(h.n)
}
