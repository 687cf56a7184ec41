// Package measure counts what happens to a crowd, for both simulators:
// the crowds of the experiments (cmd/ftshsim/herd/crowd) and those of real scripts
// (cmd/ftshsim/simulate).
//
// A [Tally] holds the counts of one run, [Series] are counts over time, and a [Sample] is
// what one number came to in several runs.
//
// # Invariants
//
//   - Who has not finished is later than everybody who has: a percentile that lies among
//     the unfinished is +Inf, and not the time of somebody who was quicker.
//   - A server has recovered from an outage when its work done per second is back to what
//     it was, and stays so for [Stay]. A first good second is none.
//   - Work in progress counts: as wasted if its client has left, else as open.
package measure

import (
	"slices"
	"time"
)

// Series counts what happens in intervals of equal length, or keeps the
// highest level in each. The zero Series must be given its Every.
type Series struct {
	Every  time.Duration // the length of an interval, more than 0
	Values []float64     // of the intervals from time 0 on
}

// Add adds to the interval in which that time lies.
func (s *Series) Add(at time.Duration, value float64) { *s.roomFor(at) += value }

// Peak notes a level: the interval keeps its highest.
func (s *Series) Peak(at time.Duration, level float64) {
	v := s.roomFor(at)
	*v = max(*v, level)
}

// Hold adds a level that lasted from one time to another: level times seconds.
func (s *Series) Hold(from, to time.Duration, level float64) {
	for from < to {
		end := min(to, from.Truncate(s.Every)+s.Every)
		s.Add(from, level*(end-from).Seconds())
		from = end
	}
}

func (s *Series) roomFor(at time.Duration) *float64 {
	i := int(at / s.Every)
	for len(s.Values) <= i {
		s.Values = append(s.Values, 0)
	}
	return &s.Values[i]
}

// Cut makes the series end at that time: it gets as many values as there are
// complete intervals before.
func (s *Series) Cut(end time.Duration) {
	n := int(end / s.Every)
	s.Values = append(s.Values, make([]float64, max(0, n-len(s.Values)))...)[:n]
}

// Between is the sum over the intervals that begin in [from, to).
func (s *Series) Between(from, to time.Duration) (sum float64) {
	first, end := s.within(from, to)
	for _, v := range s.Values[first:end] {
		sum += v
	}
	return sum
}

// within is the places of the intervals that begin in [from, to).
func (s *Series) within(from, to time.Duration) (first, end int) {
	first = min(int((max(from, 0)+s.Every-1)/s.Every), len(s.Values))
	return first, max(first, min(int((max(to, 0)+s.Every-1)/s.Every), len(s.Values)))
}

// Highest is the highest value of the intervals that begin in [from, to), 0
// if there is none.
func (s *Series) Highest(from, to time.Duration) float64 {
	first, end := s.within(from, to)
	return slices.Max(append([]float64{0}, s.Values[first:end]...))
}

// Busiest is the most within a second that ends in [from, to), per second; where intervals are longer than that, within
// one of them.
func (s *Series) Busiest(from, to time.Duration) float64 {
	cells := max(int(time.Second/s.Every), 1)
	first, end := s.within(from, to)
	most := 0.0
	for last := first; last < end; last++ {
		sum := 0.0
		for _, v := range s.Values[max(last+1-cells, 0) : last+1] {
			sum += v
		}
		most = max(most, sum)
	}
	return most / (time.Duration(cells) * s.Every).Seconds()
}

// Average is a series whose values are the means of those of several runs;
// what a shorter one lacks counts as 0.
func Average(runs []*Series) *Series {
	mean := &Series{Every: time.Second}
	for _, run := range runs {
		mean.Every = run.Every
		for i, v := range run.Values {
			mean.Add(time.Duration(i)*run.Every, v/float64(len(runs)))
		}
	}
	return mean
}
