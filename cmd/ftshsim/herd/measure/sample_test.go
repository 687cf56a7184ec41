package measure

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
		near(t, c.name+": deviation", c.s.deviation(), c.deviation, 1e-12)
		near(t, c.name+": half", c.s.Half(), c.half, 1e-3)
		for percent, want := range map[float64]float64{0: c.p0, 25: c.p25, 50: c.median, 90: c.ninety, 100: c.hundred} {
			near(t, c.name+": percentile", c.s.Percentile(percent), want, 1e-12)
		}
	}
}

// TestStudent compares with tables.
func TestStudent(t *testing.T) {
	for degrees, want := range map[int]float64{1: 12.706, 10: 2.228, 11: 2.201, 15: 2.131, 20: 2.086, 30: 2.042,
		60: 2.000, 120: 1.980, 1 << 20: 1.960} {
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

func TestMinus(t *testing.T) {
	got := Sample{5, 7, math.Inf(1), 4, 1}.Minus(Sample{2, 5, 1, math.NaN()})
	near(t, "the mean difference", got.Mean(), 2.5, 0)
	near(t, "the differences that are known", float64(got.Known()), 2, 0)
	near(t, "their number", float64(len(got)), 4, 0)
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

// TestPercentile holds that who has not finished is later than all who have.
func TestPercentile(t *testing.T) {
	var tally Tally
	for ms := 1; ms <= 101; ms++ {
		tally.Took = append(tally.Took, time.Duration(ms)*time.Second)
	}
	tally.Done, tally.Wanted = 101, 101
	near(t, "the median of all", tally.Percentile(50), 51, 0)
	if got := (Times{}).Percentile(100, 0); !math.IsInf(got, 1) {
		t.Errorf("of none it is %v, want +Inf", got)
	}
	near(t, "the last of all", tally.Percentile(100), 101, 0)
	tally.Wanted = 201
	near(t, "the median of twice as many", tally.Percentile(50), 101, 0)
	if late := tally.Percentile(99); !math.IsInf(late, 1) {
		t.Errorf("99 %% have finished after %v s, but half never did", late)
	}
	near(t, "what is known of it", float64(Sample{math.Inf(1), 3}.Known()), 1, 0)
	if none := new(Tally).Percentile(50); !math.IsInf(none, 1) {
		t.Errorf("nothing took %v s", none)
	}
}

// TestRecovery reads recoveries from series that are known: a first good moment is none.
func TestRecovery(t *testing.T) {
	course := func(list ...[2]float64) (s Series) {
		s.Every = time.Second
		for _, part := range list {
			for range int(part[0]) {
				s.Values = append(s.Values, part[1])
			}
		}
		return s
	}
	done := course([2]float64{40, 10}, [2]float64{20, 0}, [2]float64{10, 5}, [2]float64{6, 10}, [2]float64{20, 3},
		[2]float64{40, 9.5})
	sent := course([2]float64{40, 10}, [2]float64{20, 40}, [2]float64{40, 20}, [2]float64{36, 11})
	tally := &Tally{PerServer: []Server{{Answered: done}, {Answered: course([2]float64{136, 1})}}, Finished: done,
		Sent: sent, Until: 136 * time.Second}
	const from, to = 40 * time.Second, 60 * time.Second
	near(t, "the recovery", tally.Recovery(0, from, to), 36, 0)
	near(t, "the recovery of the other server", tally.Recovery(1, from, to), 0, 0)
	near(t, "the time until it is settled", tally.Settled(from, to), 40, 0)
	near(t, "a recovery that did not last",
		func() float64 { tally.Until = 90 * time.Second; return tally.Recovery(0, from, to) }(), math.NaN(), 0)
	near(t, "a recovery of what was not before", tally.Recovery(0, 0, to), math.NaN(), 0)
}
