// Package spread has times that differ from one draw to the next: how long a server takes, how
// long a client thinks. A [Time] is read from a few words, such as `lognormal 100ms 2s`, or made
// of what was measured.
package spread

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Time is a distribution of times. The zero Time is always 0. It does not change, and may be copied.
type Time struct {
	kind  kind
	a, b  time.Duration
	times *[]time.Duration // of a measured one
}

type kind uint8

const (
	constant    kind = iota // a
	uniform                 // from a to b
	exponential             // with mean a
	normal                  // with mean a and deviation b, folded at 0
	lognormal               // with median a and 99th percentile b
	measured                // anywhere between two of times that stand side by side, all pairs alike
)

// kinds names the distributions of a SPEC, and how many times
// they want. A time alone is a constant.
var kinds = [...]struct {
	name  string
	times int // 0: two or more
	usage string
}{
	constant:    {"constant", 1, "constant T"},
	uniform:     {"uniform", 2, "uniform FROM TO"},
	exponential: {"exponential", 1, "exponential MEAN"},
	normal:      {"normal", 2, "normal MEAN DEVIATION"},
	lognormal:   {"lognormal", 2, "lognormal MEDIAN P99"},
	measured:    {"measured", 0, "measured LEAST … MOST"},
}

// Always is a time that is always the same.
func Always(d time.Duration) Time { return Time{kind: constant, a: d} }

// Exponential has that mean.
func Exponential(mean time.Duration) Time { return Time{kind: exponential, a: mean} }

// Measured has these times, at least two and in order, as its least, its most, and what
// divides those between into parts that are as likely.
func Measured(times []time.Duration) Time {
	times = slices.Clone(times)
	return Time{kind: measured, times: &times}
}

// Draw returns a time, at least 0.
func (s Time) Draw(dice *rand.Rand) time.Duration {
	a, b := float64(s.a), float64(s.b)
	switch s.kind {
	case uniform:
		return s.a + time.Duration(dice.Float64()*(b-a))
	case exponential:
		return time.Duration(dice.ExpFloat64() * a)
	case normal:
		return time.Duration(math.Abs(a + dice.NormFloat64()*b))
	case lognormal:
		const z99 = 2.326348
		return time.Duration(a * math.Exp(dice.NormFloat64()*math.Log(b/a)/z99))
	case measured:
		place := dice.Float64() * float64(len(*s.times)-1)
		low, high := (*s.times)[int(place)], (*s.times)[int(place)+1]
		return low + time.Duration((place-math.Floor(place))*float64(high-low))
	}
	return s.a
}

// Mean is the expected value (of a folded normal one: unfolded).
func (s Time) Mean() time.Duration {
	switch s.kind {
	case uniform:
		return (s.a + s.b) / 2
	case lognormal:
		const z99 = 2.326348
		sigma := math.Log(float64(s.b)/float64(s.a)) / z99
		return time.Duration(float64(s.a) * math.Exp(sigma*sigma/2))
	case measured:
		list := *s.times
		sum := -(list[0] + list[len(list)-1]) / 2
		for _, t := range list {
			sum += t
		}
		return sum / time.Duration(len(list)-1)
	}
	return s.a
}

// String is the distribution as a SPEC has it.
func (s Time) String() string {
	times := []time.Duration{s.a, s.b}[:max(kinds[s.kind].times, 1)]
	if s.kind == measured {
		times = *s.times
	}
	var words []string
	if s.kind != constant {
		words = append(words, kinds[s.kind].name)
	}
	for _, t := range times {
		words = append(words, timeText(t))
	}
	return strings.Join(words, " ")
}

// timeText writes a time as a SPEC has it, where ms is the shortest unit: 0.35ms.
func timeText(d time.Duration) string {
	if d > 0 && d < time.Millisecond {
		return strconv.FormatFloat(d.Seconds()*1000, 'f', -1, 64) + "ms"
	}
	return d.String()
}

// Parse reads a distribution: a time such as 100ms, or one of uniform,
// exponential, normal and lognormal with their times.
func Parse(words []string) (Time, error) {
	k, times := constant, words
	for i, known := range kinds {
		if len(words) > 0 && words[0] == known.name {
			k, times = kind(i), words[1:]
		}
	}
	if wanted := kinds[k].times; len(times) != wanted && (wanted > 0 || len(times) < 2) {
		var usages []string
		for _, known := range kinds {
			usages = append(usages, known.usage)
		}
		return Time{}, fmt.Errorf("found %q, wanted a time such as 100ms, or %s", strings.Join(words, " "),
			strings.Join(usages, ", "))
	}
	s, list := Time{kind: k}, make([]time.Duration, len(times))
	for i, word := range times {
		d, err := time.ParseDuration(word)
		if err != nil || d < 0 {
			return Time{}, fmt.Errorf("found %q, wanted a time such as 100ms or 2s", word)
		}
		list[i] = d
	}
	if k == measured && slices.IsSorted(list) {
		return Measured(list), nil
	}
	if s.a = list[0]; len(list) > 1 {
		s.b = list[1]
	}
	if wanted := s.senseless(); wanted != "" {
		return Time{}, &SenselessError{strings.Join(words, " "), wanted}
	}
	if k == measured || (k == uniform && s.b < s.a) || (k == lognormal && (s.a <= 0 || s.b < s.a)) {
		return Time{}, fmt.Errorf("found %q, wanted %s with the smaller time first",
			strings.Join(words, " "), kinds[k].usage)
	}
	return s, nil
}

// SenselessError is a distribution that would not be what it says.
type SenselessError struct{ Found, Wanted string }

// Error says what was found, and what to write.
func (e *SenselessError) Error() string { return fmt.Sprintf("found %q, wanted %s", e.Found, e.Wanted) }

// senseless says what to write instead of a distribution whose times are not as it says; "" if they are.
func (s Time) senseless() string {
	switch {
	case s.kind == exponential && s.a == 0:
		return "exponential with a mean of more than 0; a server that takes no time has no `takes`"
	case s.kind == normal && s.b > s.a/2:
		return fmt.Sprintf("a deviation of at most half the mean, since no time is below 0; "+
			"for times that scatter more write lognormal MEDIAN P99, such as lognormal %v %v", s.a, s.a+2*s.b)
	}
	return ""
}

// Scaled is the distribution with all times that many times as long.
func (s Time) Scaled(by float64) Time {
	longer := func(d time.Duration) time.Duration { return time.Duration(float64(d) * by) }
	s.a, s.b = longer(s.a), longer(s.b)
	if s.kind == measured {
		times := slices.Clone(*s.times)
		for i := range times {
			times[i] = longer(times[i])
		}
		s.times = &times
	}
	return s
}
