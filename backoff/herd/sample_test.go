package herd

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if !(math.Abs(got-want) <= within) && !(math.IsNaN(got) && math.IsNaN(want)) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

func TestSample(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name                         string
		s                            Sample
		known                        int
		mean, deviation, half, p0    float64
		median, ninety, hundred, p25 float64
	}{
		{"none", nil, 0, nan, nan, nan, nan, nan, nan, nan, nan},
		{"one", Sample{3}, 1, 3, nan, nan, 3, 3, 3, 3, 3},
		{"two", Sample{2, 4}, 2, 3, math.Sqrt2, 12.706, 2, 3, 3.8, 4, 2.5},
		{"unsorted", Sample{5, 1, 3}, 3, 3, 2, 4.303 * 2 / math.Sqrt(3), 1, 3, 4.6, 5, 2},
		{"never", Sample{nan, 5, nan, 1, 3}, 3, 3, 2, 4.303 * 2 / math.Sqrt(3), 1, 3, 4.6, 5, 2},
		{"equal", Sample{7, 7, 7, 7}, 4, 7, 0, 0, 7, 7, 7, 7, 7},
	} {
		near(t, c.name+": known", float64(c.s.Known()), float64(c.known), 0)
		near(t, c.name+": mean", c.s.Mean(), c.mean, 1e-12)
		near(t, c.name+": deviation", c.s.Deviation(), c.deviation, 1e-12)
		near(t, c.name+": half", c.s.Half(), c.half, 1e-3)
		for percent, want := range map[float64]float64{0: c.p0, 25: c.p25, 50: c.median, 90: c.ninety, 100: c.hundred} {
			near(t, c.name+": percentile", c.s.Percentile(percent), want, 1e-12)
		}
	}
}

// TestStudent compares with tables.
func TestStudent(t *testing.T) {
	for degrees, want := range map[int]float64{1: 12.706, 10: 2.228, 11: 2.201, 15: 2.131, 20: 2.086, 30: 2.042, 60: 2.000, 120: 1.980, 1 << 20: 1.960} {
		near(t, "Student's point", student95(degrees), want, 1e-3)
	}
}

// TestConfidence holds that about 95 % of the intervals hold the truth.
func TestConfidence(t *testing.T) {
	dice, held := rand.New(rand.NewPCG(1, 1)), 0
	const experiments = 4000
	for range experiments {
		s := make(Sample, 7)
		for i := range s {
			s[i] = 10 + 3*dice.NormFloat64()
		}
		if math.Abs(s.Mean()-10) <= s.Half() {
			held++
		}
	}
	near(t, "the share of intervals that hold the truth", float64(held)/experiments, 0.95, 0.01)
}

func TestFairness(t *testing.T) {
	for _, c := range []struct {
		got  []int
		want float64
	}{
		{[]int{4, 4, 4, 4}, 1}, {[]int{8, 0, 0, 0}, 0.25}, {[]int{1, 3}, 0.8}, {[]int{0, 0}, math.NaN()}, {nil, math.NaN()},
	} {
		near(t, "fairness", Fairness(c.got), c.want, 1e-12)
	}
}

func TestSeries(t *testing.T) {
	s := &Series{Every: time.Second}
	s.Add(0, 1)
	s.Add(3500*time.Millisecond, 2)
	s.Add(3999*time.Millisecond, 3)
	near(t, "the sum", s.Between(0, time.Minute), 6, 0)
	near(t, "the sum up to 3 s", s.Between(0, 3*time.Second), 1, 0)
	near(t, "the sum from 1 s to 4 s", s.Between(time.Second, 4*time.Second), 5, 0)
	near(t, "the sum from half a second on", s.Between(500*time.Millisecond, time.Minute), 5, 0)
	near(t, "the sum of nothing", s.Between(3*time.Second, time.Second), 0, 0)
	near(t, "the sum before the beginning", s.Between(-time.Hour, -time.Minute), 0, 0)
	near(t, "the highest", s.Highest(0, time.Minute), 5, 0)
	near(t, "the highest of none", s.Highest(time.Hour, 2*time.Hour), 0, 0)
	s.Peak(0, 7)
	s.Peak(0, 4)
	near(t, "the peak", s.Values[0], 7, 0)
	s.Cut(6 * time.Second)
	near(t, "the length when it was made longer", float64(len(s.Values)), 6, 0)
	s.Cut(1500 * time.Millisecond)
	near(t, "the length when it was cut", float64(len(s.Values)), 1, 0)
	mean := Average([]*Series{s, {Every: time.Second, Values: []float64{1, 4}}})
	near(t, "the first mean", mean.Values[0], 4, 1e-12)
	near(t, "the second mean", mean.Values[1], 2, 1e-12)
}

// TestHistogram holds that percentiles are exact to 4 %.
func TestHistogram(t *testing.T) {
	var h Histogram
	near(t, "the percentile of nothing", float64(h.Percentile(50)), 0, 0)
	for ms := 1; ms <= 1000; ms++ {
		h.Add(time.Duration(ms) * time.Millisecond)
	}
	for percent, want := range map[float64]float64{1: 10, 50: 500, 99: 990, 100: 1000} {
		near(t, "percentile", float64(h.Percentile(percent))/1e6, want, 0.04*want)
	}
	h.Add(0)
	h.Add(Horizon)
	near(t, "the longest", float64(h.Percentile(100))/float64(Horizon), 1, 0.04)
}
