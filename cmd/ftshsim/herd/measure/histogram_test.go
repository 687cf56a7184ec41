package measure

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// TestHistogram compares with sorted times, from a microsecond to a day.
func TestHistogram(t *testing.T) {
	dice := rand.New(rand.NewPCG(1, 2))
	var h Histogram
	var times Times
	for range 20_000 {
		d := time.Duration(math.Pow(10, 3+11*dice.Float64()))
		h.Add(d)
		times = append(times, d)
	}
	slices.Sort(times)
	for _, percent := range []float64{0, 1, 50, 95, 99, 99.9, 100} {
		near(t, "a percentile", h.Percentile(percent)/times.Percentile(percent, 0), 1, 0.01)
	}
	near(t, "the mean", h.Mean(), times.Mean(), 1e-6*times.Mean())
	for _, bound := range []time.Duration{time.Millisecond, time.Second, time.Hour} {
		near(t, "the share below", h.Between(0, bound), float64(times.Between(0, bound))/20_000, 0.001)
	}
	near(t, "all", h.Between(0, math.MaxInt64), 1, 1e-9)
	var none Histogram
	near(t, "a percentile of none", none.Percentile(50), math.NaN(), 0)
	near(t, "the mean of none", none.Mean(), math.NaN(), 0)
}

// TestRush holds that a rush is seen that a curve in wide steps hides.
func TestRush(t *testing.T) {
	var r Rush
	for n := range 1000 {
		r.addRequest(time.Duration(n) * 100 * time.Millisecond)
	}
	near(t, "ten a second", float64(r.Most()), 10, 0)
	for range 500 {
		r.addRequest(time.Hour)
	}
	near(t, "500 at once", float64(r.Most()), 500, 0)
	for n := range 300 { // across the bounds of seconds
		r.addRequest(2*time.Hour + 900*time.Millisecond + time.Duration(n)*time.Millisecond/2)
	}
	near(t, "300 more, later", float64(r.Most()), 500, 0)
	var split Rush
	for n := range 400 {
		split.addRequest(1800*time.Millisecond + time.Duration(n)*time.Millisecond)
	}
	near(t, "a rush across the bound of a second", float64(split.Most()), 400, 0)
}
