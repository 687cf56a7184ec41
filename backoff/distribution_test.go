package backoff

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// below is the probability that a wait is less than x, straight from the table of
// the language: T, F, M and J are the numbers of the clause, n the waits made
// before, p the one before. All in seconds.
func below(policy Policy, x, T, F, M, J float64, n int, p float64) float64 {
	grown := T * math.Pow(F, float64(n))
	even := func(low, high float64) float64 { return math.Max(0, math.Min(1, (x-low)/(high-low))) }
	if x > M && policy != Normal && policy != Fixed {
		return 1
	}
	switch policy {
	case Ethernet: // R·min(T·Fⁿ, M/2), R uniform in [1,2]
		w := math.Min(grown, M/2)
		return even(w, 2*w)
	case Thain: // min(R·T·Fⁿ, M)
		return even(grown, 2*grown)
	case Full: // uniform in [0, min(M, T·Fⁿ)]
		return even(0, math.Min(M, grown))
	case Equal: // half of min(M, T·Fⁿ), plus uniform in the other half
		w := math.Min(M, grown)
		return even(w/2, w)
	case Decorrelated: // min(M, uniform in [T, 3·previous])
		return even(T, 3*p)
	case Additive: // min(T·Fⁿ + uniform in [0, 1 s], M)
		return even(grown, grown+1)
	case Normal: // d + N(0, J·d), d = min(F·previous, M)
		d := math.Min(F*p, M)
		return math.Erfc(-(x-d)/(J*d)/math.Sqrt2) / 2
	}
	panic("its waits are no matter of chance")
}

// TestAgainstTheTable draws waits at random parameters, and puts each through the
// probability that the table gives to a shorter one: what comes out must be
// uniform. A wait at the cap or at nothing stands for all that would be beyond.
func TestAgainstTheTable(t *testing.T) {
	const size = 4000
	r := seeded(17)
	for policy := Ethernet; policy <= Normal; policy++ {
		for range 12 {
			T, F, J := 0.01+10*r.Float64(), 1+2*r.Float64(), 0.01+0.3*r.Float64()
			M, n := T*math.Pow(F, 6*r.Float64())+r.Float64(), 1+r.IntN(8)
			previous := T + (M-T)*r.Float64()
			b := Backoff{Policy: policy, Initial: seconds(T), Max: seconds(M), Factor: F, Jitter: J}
			shares := make([]float64, size)
			for i := range shares {
				w := waits{made: uint64(n), previous: seconds(previous)}
				shares[i] = share(func(x float64) float64 { return below(policy, x, T, F, M, J, n, previous) }, w.next(b, r), M, r)
			}
			uniform(t, shares, 0, 1)
			chiSquare(t, shares)
			if t.Failed() {
				t.Fatalf("%v from %v to %v by %v jitter %v, wait %d after %v", policy, T, M, F, J, n, previous)
			}
		}
	}
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// share returns where a wait stands among all there could be: for a wait that many
// have, a random place among them.
func share(below func(float64) float64, wait time.Duration, M float64, r *rand.Rand) float64 {
	const tick = 2e-9 // what rounding to nanoseconds may change
	x := wait.Seconds()
	low, high := below(x), below(x)
	switch {
	case x >= M-tick && below(M-tick) < 1-1e-6 && below(M+tick) == 1:
		low, high = below(M-tick), 1
	case wait == 0:
		low = 0
	}
	return math.Min(1, low+(high-low)*r.Float64())
}

// chiSquare counts shares in classes of equal probability; the limit is that of
// one in a thousand.
func chiSquare(t *testing.T, shares []float64) {
	t.Helper()
	const classes, limit = 20, 43.8
	var counts [classes]float64
	for _, s := range shares {
		counts[min(int(s*classes), classes-1)]++
	}
	expected, sum := float64(len(shares))/classes, 0.0
	for _, n := range counts {
		sum += (n - expected) * (n - expected) / expected
	}
	if sum > limit {
		t.Errorf("chi-square is %v, at most %v: %v", sum, limit, counts)
	}
}

// TestMeans: how long the waits of a try are on average, growing and at the cap, at
// T = 1 s, F = 2, M = 64 s. The page `policies` of the manual counts with those.
func TestMeans(t *testing.T) {
	for policy, want := range map[Policy][2]float64{ // the fourth wait, and at the cap
		Ethernet: {12, 48}, Thain: {12, 64}, Full: {4, 32}, Equal: {6, 48}, Additive: {8.5, 64}, Exact: {8,
			64}, Fixed: {1, 1},
	} {
		b := Backoff{Policy: policy, Max: 64 * time.Second}
		dice := seeded(uint64(policy) + 23)
		for i, made := range []uint64{3, 40} {
			var sum time.Duration
			const size = 20000
			for range size {
				w := waits{made: made}
				sum += w.next(b, dice)
			}
			near(t, policy.String(), sum.Seconds()/size, want[i], want[i]/100)
		}
	}
}

// TestCapsAreMonotone: with the same dice, a higher cap never makes a wait shorter.
func TestCapsAreMonotone(t *testing.T) {
	r := seeded(29)
	for range 20000 {
		b := Backoff{Policy: Policy(r.IntN(9)), Initial: time.Duration(r.Int64N(int64(time.Minute))), Factor: 1 +
			3*r.Float64(), Jitter: r.Float64()}
		made, previous, seed := r.Uint64N(20), time.Duration(r.Int64N(int64(time.Hour))), r.Uint64()
		before := time.Duration(-1)
		for limit := time.Duration(1); limit < 100*time.Hour; limit *= 7 {
			b.Max = limit
			w := waits{made: made, previous: previous}
			wait := w.next(b, seeded(seed))
			if wait < before {
				t.Fatalf("%+v, %d waits before, the last %v: a wait of %v, and of %v with a lower cap", b, made, previous, wait,
					before)
			}
			before = wait
		}
	}
}
