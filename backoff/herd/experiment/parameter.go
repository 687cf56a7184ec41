package experiment

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"ftsh/backoff"
	"ftsh/backoff/herd/server"
)

// Parameter is something that can be changed about an experiment.
type Parameter struct {
	Name, Usage string
	Value       Value
}

// Value is where a parameter is kept. An error of Set tells the allowed range.
type Value interface {
	String() string
	Set(text string) error
	Type() string // a word for the usage
}

// ranged is a value that is read from text by parse, is within a range, and
// is kept at a place.
type ranged[T any] struct {
	at     *T
	kind   string
	wanted string // what is allowed
	parse  func(string) (T, bool)
	show   func(T) string
}

// String implements [Value].
func (r ranged[T]) String() string { return r.show(*r.at) }

func (r ranged[T]) Type() string { return r.kind }

// Set implements [Value].
func (r ranged[T]) Set(text string) error {
	v, ok := r.parse(text)
	if !ok {
		return fmt.Errorf("wanted %s", r.wanted)
	}
	*r.at = v
	return nil
}

// Whole is a whole number from low to high.
func Whole(at *int, low, high int) Value {
	return ranged[int]{at, "n", fmt.Sprintf("a whole number from %d to %d", low, high), func(text string) (int, bool) {
		n, err := strconv.Atoi(text)
		return n, err == nil && n >= low && n <= high
	}, strconv.Itoa}
}

// Real is a number from low to high.
func Real(at *float64, low, high float64) Value {
	return ranged[float64]{at, "x", fmt.Sprintf("a number from %v to %v", low, high), func(text string) (float64, bool) {
		x, err := strconv.ParseFloat(text, 64)
		return x, err == nil && x >= low && x <= high
	}, func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }}
}

// Time is a duration from low to high.
func Time(at *time.Duration, low, high time.Duration) Value {
	return ranged[time.Duration]{at, "time", fmt.Sprintf("a time from %s to %s, such as 90s or 5m", Brief(low), Brief(high)), func(text string) (time.Duration, bool) {
		d, err := time.ParseDuration(text)
		return d, err == nil && d >= low && d <= high
	}, Brief}
}

// Brief is a duration without zeroes at its end: 1h, 5m, 1m30s.
func Brief(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// List is some of what of allows, with commas between.
func List[T any](at *[]T, of func(*T) Value) Value {
	var any T
	kind := of(&any).Type() + ",…"
	return list[T]{at, of, kind}
}

type list[T any] struct {
	at   *[]T
	of   func(*T) Value
	kind string
}

func (l list[T]) Type() string { return l.kind }

func (l list[T]) String() string {
	var words []string
	for _, v := range *l.at {
		words = append(words, l.of(&v).String())
	}
	return strings.Join(words, ",")
}

// Set implements [Value].
func (l list[T]) Set(text string) error {
	var all []T
	for _, word := range strings.Split(text, ",") {
		var v T
		if err := l.of(&v).Set(strings.TrimSpace(word)); err != nil {
			return fmt.Errorf("%w, not %q", err, word)
		}
		all = append(all, v)
	}
	*l.at = all
	return nil
}

// Policy is the name of a policy.
func Policy(at *backoff.Policy) Value {
	var names []string
	for p := backoff.Ethernet; p <= backoff.Fixed; p++ {
		names = append(names, p.String())
	}
	return ranged[backoff.Policy]{at, "policy", "one of " + strings.Join(names, ", "), backoff.ParsePolicy, backoff.Policy.String}
}

// Choice is one of some words.
func Choice(at *string, words ...string) Value {
	return ranged[string]{at, "word", "one of " + strings.Join(words, ", "), func(text string) (string, bool) {
		return text, slices.Contains(words, text)
	}, func(s string) string { return s }}
}

// mode is the mode of an outage.
func mode(at *string) Value {
	return Choice(at, server.Refuse.String(), server.Hang.String(), server.Fail.String(), server.Freeze.String())
}

// Spread is a distribution of times.
func Spread(at *server.Spread) Value {
	return ranged[server.Spread]{at, "times", "a time such as 100ms, or a distribution: uniform 50ms 200ms, exponential 1s, normal 1s 200ms, lognormal 100ms 2s", func(text string) (server.Spread, bool) {
		s, err := server.ParseSpread(strings.Fields(text))
		return s, err == nil
	}, server.Spread.String}
}

// Seed is any number that fits 64 bits.
func Seed(at *uint64) Value {
	return ranged[uint64]{at, "n", "a whole number from 0 to 18446744073709551615", func(text string) (uint64, bool) {
		n, err := strconv.ParseUint(text, 10, 64)
		return n, err == nil
	}, func(n uint64) string { return strconv.FormatUint(n, 10) }}
}

// Text is any text; kind is a word for it, such as FILE.
func Text(at *string, kind string) Value {
	return ranged[string]{at, kind, "", func(text string) (string, bool) { return text, true }, func(s string) string { return s }}
}

// Yes is true or false.
func Yes(at *bool) Value {
	return ranged[bool]{at, "bool", "true or false", func(text string) (bool, bool) {
		b, err := strconv.ParseBool(text)
		return b, err == nil
	}, strconv.FormatBool}
}

const (
	forever  = 24 * 365 * time.Hour
	infinity = math.MaxFloat64
)
