package spread

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"
)

// TestSpread holds that distributions have the mean that they say, and are
// never negative.
func TestSpread(t *testing.T) {
	for _, text := range []string{"10ms", "uniform 5ms 15ms", "exponential 10ms", "normal 10ms 2ms",
		"lognormal 9ms 20ms", "measured 1ms 10ms 12ms 20ms"} {
		s, err := Parse(strings.Fields(text))
		if err != nil {
			t.Fatal(err)
		}
		if again, err := Parse(strings.Fields(s.String())); err != nil || !reflect.DeepEqual(again, s) {
			t.Errorf("%s: %v is read as %v, %v", text, s, again, err)
		}
		dice, sum := rand.New(rand.NewPCG(1, 1)), time.Duration(0)
		const draws = 100_000
		for range draws {
			d := s.Draw(dice)
			if sum += d; d < 0 {
				t.Fatalf("%s gives %v", text, d)
			}
		}
		if mean := sum / draws; (mean - s.Mean()).Abs() > s.Mean()/50 {
			t.Errorf("%s has the mean %v, want %v", text, mean, s.Mean())
		}
	}
	for _, text := range []string{"", "x", "-1s", "uniform 2s", "uniform 2s 1s", "normal 1s 1s 1s", "lognormal 0s 1s",
		"exponential -1s", "constant", "measured 1s", "measured 1s 3s 2s"} {
		if s, err := Parse(strings.Fields(text)); err == nil || !strings.Contains(err.Error(), "wanted") {
			t.Errorf("%q is read as %v, %v; want an error that tells what is wanted", text, s, err)
		}
	}
}

// TestScaled holds that all times of a distribution are made longer.
func TestScaled(t *testing.T) {
	for from, want := range map[string]string{"10ms": "15ms", "uniform 10ms 20ms": "uniform 15ms 30ms",
		"lognormal 10ms 1s": "lognormal 15ms 1.5s", "measured 2ms 4ms 6ms": "measured 3ms 6ms 9ms"} {
		s, err := Parse(strings.Fields(from))
		if got := s.Scaled(1.5).String(); err != nil || got != want || s.String() != from {
			t.Errorf("%s is made %s, want %s (%v)", from, got, want, err)
		}
	}
}
