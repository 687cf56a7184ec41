package picture

import (
	"math"
	"strconv"

	"ftsh/cmd/ftshsim/herd/experiment"
)

// scale maps values to a number of places.
type scale struct {
	low, high float64
	log       bool
	places    int
}

// figureScales returns those of a figure.
func figureScales(f experiment.Figure, width, height int) (x, y scale) {
	x = scale{math.Inf(1), math.Inf(-1), f.X.Log, width}
	y = scale{math.Inf(1), math.Inf(-1), f.Y.Log, height}
	for _, l := range f.Lines {
		for i := range l.X {
			x.reachValue(l.X[i])
			y.reachValue(l.Y[i].Mean())
		}
	}
	if !y.log {
		y.reachValue(0)
	}
	return x.roundEnd(), y.roundEnd()
}

// reachValue makes the scale long enough for a value.
func (s *scale) reachValue(v float64) {
	if !math.IsNaN(v) && (!s.log || v > 0) {
		s.low, s.high = math.Min(s.low, v), math.Max(s.high, v)
	}
}

// roundEnd gives a scale some length, and a round end.
func (s scale) roundEnd() scale {
	if s.low > s.high {
		s.low, s.high = 0, 1
	}
	if !s.log && s.low >= 0 && s.low < s.high/2 {
		s.low = 0
	}
	if s.low == s.high {
		s.high = s.low + 1
	}
	if !s.log && s.low == 0 {
		s.high = roundUp(s.high)
	}
	return s
}

// roundUp is the next number of which the half is a round one, too.
func roundUp(v float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, n := range []float64{1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8} {
		if v <= n*power*(1+1e-9) {
			return n * power
		}
	}
	return 10 * power
}

// placeOf returns the place of a value, from 0; false if it has none.
func (s scale) placeOf(v float64) (int, bool) {
	low, high := s.low, s.high
	if s.log {
		low, high, v = math.Log(low), math.Log(high), math.Log(v)
	}
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, false
	}
	p := int(math.Round((v - low) / (high - low) * float64(s.places-1)))
	return p, p >= 0 && p < s.places
}

// valueAt returns the value at a place.
func (s scale) valueAt(place int) float64 {
	share := float64(place) / float64(s.places-1)
	if s.log {
		return s.low * math.Pow(s.high/s.low, share)
	}
	return s.low + share*(s.high-s.low)
}

// Short writes a number with three digits, or all of those before the point.
func Short(v float64) string {
	switch a := math.Abs(v); {
	case math.IsNaN(v):
		return "–"
	case a >= 100 || v == math.Trunc(v):
		return strconv.FormatFloat(v, 'f', 0, 64)
	case a >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case a >= 0.1:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
	return strconv.FormatFloat(v, 'g', 2, 64)
}
