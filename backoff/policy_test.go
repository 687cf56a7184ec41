package backoff

import (
	"math"
	"math/rand/v2"
	"sort"
	"testing"
	"time"
)

// loaded dice always show the same.
type loaded struct{ uniform, normal float64 }

func (d loaded) Float64() float64     { return d.uniform }
func (d loaded) NormFloat64() float64 { return d.normal }

// seeded dice are fair, and the same in every run.
func seeded(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 2003)) }

// almost is the highest number a fair die shows.
var almost = math.Nextafter(1, 0)

func policies9() []Policy {
	return []Policy{Ethernet, Thain, Full, Equal, Decorrelated, Additive, Normal, Exact, Fixed}
}

func TestNames(t *testing.T) {
	for _, p := range policies9() {
		if back, ok := ParsePolicy(p.String()); !ok || back != p {
			t.Errorf("ParsePolicy(%q) = %v, %v", p.String(), back, ok)
		}
	}
	for _, name := range []string{"", "Ethernet", "full ", "policy 9", "aloha"} {
		if p, ok := ParsePolicy(name); ok {
			t.Errorf("ParsePolicy(%q) = %v, want none", name, p)
		}
	}
	if got := Policy(9).String(); got != "policy 9" {
		t.Errorf("Policy(9) is called %q", got)
	}
}

// TestFormulas computes the table of §8 of the reference (ftsh --manual reference) by hand, with T = 1 s, M = 10 s
// and F = 2.
func TestFormulas(t *testing.T) {
	for _, c := range []struct {
		name   string
		policy Policy
		dice   loaded
		want   []float64 // seconds
	}{
		{"ethernet, R=1", Ethernet, loaded{uniform: 0}, []float64{1, 2, 4, 5, 5}},
		{"ethernet, R=1.5", Ethernet, loaded{uniform: 0.5}, []float64{1.5, 3, 6, 7.5, 7.5}},
		{"ethernet, R=2", Ethernet, loaded{uniform: almost}, []float64{2, 4, 8, 10, 10}},
		{"thain, R=1", Thain, loaded{uniform: 0}, []float64{1, 2, 4, 8, 10}},
		{"thain, R=1.5", Thain, loaded{uniform: 0.5}, []float64{1.5, 3, 6, 10, 10}},
		{"thain, R=2", Thain, loaded{uniform: almost}, []float64{2, 4, 8, 10, 10}},
		{"full, low", Full, loaded{uniform: 0}, []float64{0, 0, 0, 0, 0}},
		{"full, middle", Full, loaded{uniform: 0.5}, []float64{0.5, 1, 2, 4, 5}},
		{"full, high", Full, loaded{uniform: almost}, []float64{1, 2, 4, 8, 10}},
		{"equal, low", Equal, loaded{uniform: 0}, []float64{0.5, 1, 2, 4, 5}},
		{"equal, middle", Equal, loaded{uniform: 0.5}, []float64{0.75, 1.5, 3, 6, 7.5}},
		{"equal, high", Equal, loaded{uniform: almost}, []float64{1, 2, 4, 8, 10}},
		{"decorrelated, low", Decorrelated, loaded{uniform: 0}, []float64{1, 1, 1, 1, 1}},
		{"decorrelated, middle", Decorrelated, loaded{uniform: 0.5}, []float64{2, 3.5, 5.75, 9.125, 10}},
		{"decorrelated, high", Decorrelated, loaded{uniform: almost}, []float64{3, 9, 10, 10, 10}},
		{"additive, low", Additive, loaded{uniform: 0}, []float64{1, 2, 4, 8, 10}},
		{"additive, middle", Additive, loaded{uniform: 0.5}, []float64{1.5, 2.5, 4.5, 8.5, 10}},
		{"normal, mean", Normal, loaded{normal: 0}, []float64{1, 2, 4, 8, 10, 10}},
		{"normal, +1 deviation", Normal, loaded{normal: 1}, []float64{1, 2.2, 4.84, 10.648, 11, 11}},
		{"normal, -1 deviation", Normal, loaded{normal: -1}, []float64{1, 1.8, 3.24, 5.832, 9, 9}},
		{"normal, -20 deviations", Normal, loaded{normal: -20}, []float64{1, 0.5, 0.5, 0.5}},
		{"exact", Exact, loaded{uniform: 0.7, normal: 3}, []float64{1, 2, 4, 8, 10, 10}},
		{"fixed", Fixed, loaded{uniform: 0.7, normal: 3}, []float64{1, 1, 1, 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var w waits
			for n, want := range c.want {
				got := w.next(Backoff{Policy: c.policy, Max: 10 * time.Second}, c.dice).Seconds()
				if math.Abs(got-want) > 1e-8 {
					t.Errorf("wait %d is %v s, want %v", n, got, want)
				}
			}
		})
	}
}

// TestFromNanoseconds holds the ends of what a time can be.
func TestFromNanoseconds(t *testing.T) {
	for n, want := range map[float64]time.Duration{
		1: 1, 1.9: 1, 0.9: 0, 0: 0, -1: 0, math.Inf(1): math.MaxInt64, math.Inf(-1): 0, math.MaxInt64: math.MaxInt64,
	} {
		if got := fromNanoseconds(n); got != want {
			t.Errorf("%v nanoseconds are %v, want %v", n, got, want)
		}
	}
	if got := fromNanoseconds(math.NaN()); got != 0 {
		t.Errorf("NaN nanoseconds are %v, want 0", got)
	}
}

func TestParameters(t *testing.T) {
	const s, h = time.Second, time.Hour
	for _, c := range []struct {
		name string
		b    Backoff
		want []time.Duration
	}{
		{"defaults", Backoff{Policy: Exact}, []time.Duration{s, 2 * s, 4 * s, 8 * s}},
		{"default cap", Backoff{Policy: Exact, Initial: 50 * time.Minute}, []time.Duration{50 * time.Minute, h, h}},
		{"default jitter", Backoff{Policy: Normal}, []time.Duration{s, 2*s + s/5}},
		{"no jitter", Backoff{Policy: Normal, Jitter: -1}, []time.Duration{s, 2 * s, 4 * s}},
		{"no initial wait", Backoff{Policy: Exact, Initial: -1}, []time.Duration{0, 0, 0}},
		{"no initial wait, additive", Backoff{Policy: Additive, Initial: -1, Factor: math.Inf(1)},
			[]time.Duration{s / 2, s / 2}},
		{"no initial wait, decorrelated", Backoff{Policy: Decorrelated, Initial: -1}, []time.Duration{0, 0}},
		{"no initial wait, fixed", Backoff{Policy: Fixed, Initial: -7 * s}, []time.Duration{0, 0}},
		{"cap of zero", Backoff{Policy: Equal, Max: -1}, []time.Duration{0, 0}},
		{"cap below the initial wait", Backoff{Policy: Exact, Initial: 9 * s, Max: s}, []time.Duration{s, s}},
		{"the same, decorrelated", Backoff{Policy: Decorrelated, Initial: 9 * s, Max: s}, []time.Duration{s, s}},
		{"the same, normal: T comes first", Backoff{Policy: Normal, Initial: 9 * s, Max: s, Jitter: -1},
			[]time.Duration{9 * s, 9 * s / 2, 9 * s / 2}},
		{"the same, fixed: T always", Backoff{Policy: Fixed, Initial: 9 * s, Max: s}, []time.Duration{9 * s, 9 * s}},
		{"factor 1", Backoff{Policy: Exact, Factor: 1}, []time.Duration{s, s, s}},
		{"factor 1.5", Backoff{Policy: Exact, Factor: 1.5}, []time.Duration{s, 3 * s / 2, 9 * s / 4}},
		{"factor of zero", Backoff{Policy: Exact, Factor: -1}, []time.Duration{s, 0, 0}},
		{"factor NaN is not given", Backoff{Policy: Exact, Factor: math.NaN()}, []time.Duration{s, 2 * s}},
		{"unknown policy is the default one", Backoff{Policy: 200}, []time.Duration{3 * s / 2, 3 * s}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var w waits
			for n, want := range c.want {
				if got := w.next(c.b, loaded{0.5, 1}); got != want {
					t.Errorf("wait %d is %v, want %v", n, got, want)
				}
			}
		})
	}
}

// wild returns parameters of all sizes, the absurd ones among them.
func wild(r *rand.Rand) Backoff {
	times := []time.Duration{-1, 0, 1, time.Millisecond, time.Second, time.Hour, math.MaxInt64 / 3, math.MaxInt64}
	factors := []float64{-1, 0, 1e-300, 0.5, 1, 1.0001, 2, math.E, 1e300, math.MaxFloat64, math.Inf(1), math.NaN()}
	return Backoff{
		Policy:  Policy(r.IntN(9)),
		Initial: times[r.IntN(len(times))],
		Max:     times[r.IntN(len(times))],
		Factor:  factors[r.IntN(len(factors))],
		Jitter:  factors[r.IntN(len(factors))],
	}
}

func TestNextIsAlwaysSane(t *testing.T) {
	r := seeded(1)
	for range 1000 {
		b := wild(r)
		for _, made := range []uint64{0, 1, 50, 1023, 1024, 1 << 40, math.MaxUint64 - 4} {
			w := waits{made: made, previous: time.Duration(r.Int64())}
			for range 4 {
				checkWait(t, b, w.next(b, r))
			}
		}
	}
}

func checkWait(t *testing.T, b Backoff, wait time.Duration) {
	t.Helper()
	if wait < 0 {
		t.Fatalf("%+v: a wait of %v", b, wait)
	}
	uncapped := b.Policy == Normal || b.Policy == Fixed
	if !uncapped && wait > b.withDefaults().Max {
		t.Fatalf("%+v: a wait of %v, above the cap", b, wait)
	}
}

func FuzzNext(f *testing.F) {
	f.Add(uint8(0), int64(time.Second), int64(time.Hour), 2.0, 0.1, uint64(3), uint64(1))
	f.Add(uint8(6), int64(math.MaxInt64), int64(-1), math.Inf(1), math.Inf(1), uint64(1)<<60, uint64(2))
	f.Fuzz(func(t *testing.T, policy uint8, initial, limit int64, factor, jitter float64, made, seed uint64) {
		b := Backoff{Policy(policy), time.Duration(initial), time.Duration(limit), factor, jitter}
		w, dice := waits{made: made}, seeded(seed)
		for range 8 {
			checkWait(t, b, w.next(b, dice))
		}
	})
}

// TestGrowth: with the dice held still, waits of a factor of at least 1 never
// shrink, and those of a policy with a cap come to rest.
func TestGrowth(t *testing.T) {
	for _, p := range policies9() {
		for _, u := range []float64{0, 0.3, almost} {
			b := Backoff{Policy: p, Initial: 37 * time.Millisecond, Max: 90 * time.Second, Factor: 1.7}
			var w waits
			before := time.Duration(0)
			for n := range 200 {
				wait := w.next(b, loaded{uniform: u})
				if wait < before {
					t.Fatalf("%v at %v: wait %d is %v, after %v", p, u, n, wait, before)
				}
				before = wait
			}
			if last := w.next(b, loaded{uniform: u}); last != before {
				t.Errorf("%v at %v: still growing after 200 waits: %v, %v", p, u, before, last)
			}
		}
	}
}

// sample draws the wait that follows `made` others, over and over.
func sample(p Policy, made uint64, previous time.Duration, size int) []float64 {
	b := Backoff{Policy: p, Max: 100 * time.Second}
	dice, drawn := seeded(uint64(p)+100*made), make([]float64, size)
	for i := range drawn {
		w := waits{made: made, previous: previous}
		drawn[i] = w.next(b, dice).Seconds()
	}
	return drawn
}

// TestDistributions compares samples with the formulas, at T = 1 s, F = 2, M =
// 100 s: mean, standard deviation, and for uniform waits the whole distribution.
func TestDistributions(t *testing.T) {
	for _, c := range []struct {
		name     string
		policy   Policy
		made     uint64
		previous time.Duration
		low      float64 // uniform in [low, high], in seconds
		high     float64
	}{
		{"ethernet, growing", Ethernet, 3, 0, 8, 16},
		{"ethernet, at the cap", Ethernet, 30, 0, 50, 100},
		{"thain, growing", Thain, 3, 0, 8, 16},
		{"full, first", Full, 0, 0, 0, 1},
		{"full, growing", Full, 3, 0, 0, 8},
		{"full, at the cap", Full, 30, 0, 0, 100},
		{"equal, growing", Equal, 3, 0, 4, 8},
		{"equal, at the cap", Equal, 30, 0, 50, 100},
		{"decorrelated, first", Decorrelated, 0, 0, 1, 3},
		{"decorrelated, growing", Decorrelated, 5, 7 * time.Second, 1, 21},
		{"additive, growing", Additive, 3, 0, 8, 9},
	} {
		t.Run(c.name, func(t *testing.T) {
			waits := sample(c.policy, c.made, c.previous, 20000)
			near(t, "mean", mean(waits), (c.low+c.high)/2, (c.high-c.low)/100)
			near(t, "deviation", deviation(waits), (c.high-c.low)/math.Sqrt(12), (c.high-c.low)/100)
			uniform(t, waits, c.low, c.high)
		})
	}
}

func TestNormalDistribution(t *testing.T) {
	waits := sample(Normal, 4, 10*time.Second, 20000)
	near(t, "mean", mean(waits), 20, 0.06)
	near(t, "deviation", deviation(waits), 2, 0.04)
	waits = sample(Normal, 4, 80*time.Second, 20000)
	near(t, "mean at the cap", mean(waits), 100, 0.3)
	near(t, "deviation at the cap", deviation(waits), 10, 0.2)
}

// TestMarchInStep shows why thain is not the default: at the cap all its waits
// are the same.
func TestMarchInStep(t *testing.T) {
	for _, p := range []Policy{Thain, Additive, Exact} {
		if d := deviation(sample(p, 30, 0, 100)); d != 0 {
			t.Errorf("%v at the cap scatters by %v s", p, d)
		}
	}
}

// TestDecorrelatedCap: a share of the waits is exactly the cap, the others are
// still uniform below it.
func TestDecorrelatedCap(t *testing.T) {
	waits := sample(Decorrelated, 9, 50*time.Second, 20000) // min(100, [1,150])
	var below []float64
	for _, wait := range waits {
		if wait < 100 {
			below = append(below, wait)
		}
	}
	near(t, "share at the cap", 1-float64(len(below))/20000, 50.0/149, 0.01)
	uniform(t, below, 1, 100)
}

// near fails unless got is within tolerance of want.
func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.Abs(got-want) > tolerance {
		t.Errorf("%s is %v, want %v ± %v", what, got, want, tolerance)
	}
}

// uniform is the Kolmogorov-Smirnov test at the level of one in a thousand.
func uniform(t *testing.T, values []float64, low, high float64) {
	t.Helper()
	sort.Float64s(values)
	n, worst := float64(len(values)), 0.0
	for i, v := range values {
		if v < low || v > high {
			t.Fatalf("%v is not in [%v, %v]", v, low, high)
		}
		expected := (v - low) / (high - low)
		worst = max(worst, math.Abs(expected-float64(i)/n), math.Abs(float64(i+1)/n-expected))
	}
	if limit := 1.95 / math.Sqrt(n); worst > limit {
		t.Errorf("not uniform in [%v, %v]: off by %v, at most %v", low, high, worst, limit)
	}
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

func deviation(values []float64) float64 {
	m, sum := mean(values), 0.0
	for _, v := range values {
		sum += (v - m) * (v - m)
	}
	return math.Sqrt(sum / float64(len(values)))
}
