package measure

import (
	"math"
	"slices"
)

// Sample holds what the same experiment gave with different seeds, in the order
// of the seeds. NaN stands for what could not be measured (a recovery that
// never came), +Inf for what lies beyond the end (a percentile of which too few
// have finished): both are left out of all figures here, and [Sample.Known] tells
// how many there are besides.
type Sample []float64

// Known counts the values that are numbers.
func (s Sample) Known() int { return len(s.knownValues()) }

func (s Sample) knownValues() []float64 {
	return slices.DeleteFunc(slices.Clone(s), func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
}

// Mean is the average, NaN if there is none.
func (s Sample) Mean() float64 {
	sum, known := 0.0, s.knownValues()
	for _, v := range known {
		sum += v
	}
	return sum / float64(len(known))
}

// Minus is the differences to another sample, seed by seed: of two experiments with the
// same seeds. Where one of both has no value, there is none.
func (s Sample) Minus(other Sample) Sample {
	var differences Sample
	for i := range min(len(s), len(other)) {
		d := s[i] - other[i]
		if math.IsInf(d, 0) {
			d = math.NaN()
		}
		differences = append(differences, d)
	}
	return differences
}

// deviation is the standard deviation of the population that the sample was
// drawn from; NaN below two values.
func (s Sample) deviation() float64 {
	sum, known, mean := 0.0, s.knownValues(), s.Mean()
	if len(known) < 2 {
		return math.NaN()
	}
	for _, v := range known {
		sum += (v - mean) * (v - mean)
	}
	return math.Sqrt(sum / float64(len(known)-1))
}

// Half is half the width of the interval around the mean that holds the true
// mean with 95 % confidence, by Student's distribution: exactly so for normal
// values, nearly so for averages and counts. NaN below two values.
func (s Sample) Half() float64 {
	n := s.Known()
	return student95(n-1) * s.deviation() / math.Sqrt(float64(n))
}

// Percentile is the value below which that share of the sample lies, 0 to 100,
// with linear interpolation between neighbours; NaN if there is none.
func (s Sample) Percentile(percent float64) float64 {
	known := s.knownValues()
	if len(known) == 0 {
		return math.NaN()
	}
	slices.Sort(known)
	place := percent / 100 * float64(len(known)-1)
	low := min(max(int(place), 0), len(known)-1)
	high := min(low+1, len(known)-1)
	return known[low] + (place-float64(low))*(known[high]-known[low])
}

// student95 is the 97.5 % point of Student's distribution: exact to three
// digits for few degrees of freedom, and by the expansion of Fisher and Cornish
// (Abramowitz and Stegun 26.7.5) for more.
func student95(degrees int) float64 {
	exact := [...]float64{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228}
	switch {
	case degrees < 1:
		return math.NaN()
	case degrees <= len(exact):
		return exact[degrees-1]
	}
	const z = 1.959964
	n := float64(degrees)
	z3, z5, z7 := z*z*z, math.Pow(z, 5), math.Pow(z, 7)
	return z + (z3+z)/(4*n) + (5*z5+16*z3+3*z)/(96*n*n) + (3*z7+19*z5+17*z3-15*z)/(384*n*n*n)
}

// Fairness is Jain's index of what each client got: 1 if all got the same,
// 1/n if one of n got everything, NaN if there is nothing to share out.
func Fairness[N ~int | ~uint32 | ~float64](got []N) float64 {
	var sum, squares float64
	for _, v := range got {
		sum += float64(v)
		squares += float64(v) * float64(v)
	}
	return sum * sum / (float64(len(got)) * squares)
}
