package measure

import "time"

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

// roomFor makes room for that time.
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
func (s *Series) Between(from, to time.Duration) float64 {
	sum := 0.0
	for _, v := range s.intervalsWithin(from, to) {
		sum += v
	}
	return sum
}

// intervalsWithin is the intervals that begin in [from, to).
func (s *Series) intervalsWithin(from, to time.Duration) []float64 {
	first := min(int((max(from, 0)+s.Every-1)/s.Every), len(s.Values))
	end := min(int((max(to, 0)+s.Every-1)/s.Every), len(s.Values))
	return s.Values[first:max(first, end)]
}

// Highest is the highest value of the intervals that begin in [from, to), 0
// if there is none.
func (s *Series) Highest(from, to time.Duration) float64 {
	highest := 0.0
	for _, v := range s.intervalsWithin(from, to) {
		highest = max(highest, v)
	}
	return highest
}

// Busiest is the most within a second that ends in [from, to), per second; where intervals are longer than that, within
// one of them.
func (s *Series) Busiest(from, to time.Duration) float64 {
	cells := max(int(time.Second/s.Every), 1)
	first := min(int((from+s.Every-1)/s.Every), len(s.Values))
	end := min(int((to+s.Every-1)/s.Every), len(s.Values))
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
