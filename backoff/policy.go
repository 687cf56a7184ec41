package backoff

import (
	"math"
	"slices"
	"strconv"
	"time"
)

// Policy is a rule by which the waits between attempts grow and scatter. In
// the formulas T is the initial wait, F the factor, M the cap, n the number of
// waits already made, and random numbers are drawn afresh each time.
type Policy uint8

// The policies, and where each comes from; the package comment names the
// sources.
const (
	Ethernet     Policy = iota // R·min(T·Fⁿ, M/2), R uniform in [1,2]; Thain 2009, still spread out at the cap
	Thain                      // min(R·T·Fⁿ, M), R uniform in [1,2]; Thain 2009 to the letter: all waits are M at the cap
	Full                       // uniform in [0, min(M, T·Fⁿ)]; AWS 2015
	Equal                      // half of min(M, T·Fⁿ), plus uniform in the other half; AWS 2015
	Decorrelated               // min(M, uniform in [T, 3·previous]), previous being the last wait, T at first; AWS 2015
	Additive                   // min(T·Fⁿ + uniform in [0, 1 s], M); Google Cloud
	Normal                     // T at first; then d + N(0, J·d), d = min(F·previous, M), at least T/2; smira 2013
	Exact                      // min(M, T·Fⁿ)
	Fixed                      // T
)

// policies are their names in a script.
var policies = [...]string{"ethernet", "thain", "full", "equal", "decorrelated", "additive", "normal", "exact", "fixed"}

// String is the policy's name in a script: "ethernet", "thain" and so on.
func (p Policy) String() string {
	if int(p) < len(policies) {
		return policies[p]
	}
	return "policy " + strconv.Itoa(int(p))
}

// Policies are the names of all policies.
func Policies() []string { return slices.Clone(policies[:]) }

// ParsePolicy returns the policy of that name; false if there is none. Names
// are in lower case.
func ParsePolicy(name string) (Policy, bool) {
	i := slices.Index(policies[:], name)
	return Policy(max(i, 0)), i >= 0
}

// Backoff is a policy and its parameters: `backoff POLICY [from T] [to M] [by
// F] [jitter J]`. The zero Backoff is the default of the language. In each
// number zero means the default, and anything negative means none, that is a
// true zero. Under a time limit the default of Max is a share of that; see [Plan].
type Backoff struct {
	Policy  Policy        // default Ethernet
	Initial time.Duration // T; default 1 s
	Max     time.Duration // M, the cap; default 1 h
	Factor  float64       // F; default 2
	Jitter  float64       // J, for Normal: the standard deviation as a share of the wait; default 0.1
}

// Shortest is the least that a script may set T, M and the time of every to: with less,
// a try whose command fails at once would do nothing but try.
const Shortest = time.Millisecond

// The waits where nobody says otherwise.
const (
	usualInitial = time.Second
	usualMax     = time.Hour
)

// limitShare times the time limit of a try gives the cap where nobody sets one.
// With a cap of an hour half of all tries sleep through the end of an outage; see the
// manual's page policies for what was measured.
const limitShare = 4

// withDefaults puts the true values in: defaults for zero, zero for negative. It
// must not be applied twice.
func (b Backoff) withDefaults() Backoff {
	b.Initial = givenOr(b.Initial, usualInitial)
	b.Max = givenOr(b.Max, usualMax)
	b.Factor = givenOr(b.Factor, 2)
	b.Jitter = givenOr(b.Jitter, 0.1)
	return b
}

// givenOr resolves one number of a Backoff. NaN counts as not given.
func givenOr[N time.Duration | float64](given, standard N) N {
	switch {
	case given > 0:
		return given
	case given < 0:
		return 0
	}
	return standard
}

// waits draws the waits of one try, one after the other. The zero waits is
// ready to use; it is not safe for concurrent use.
type waits struct {
	made     uint64        // n: the waits drawn so far
	previous time.Duration // the last of them, as drawn
}

// next draws the wait before the next attempt. It is never negative and, but
// for Normal and Fixed, never above b.Max; it does not overflow however many
// waits were made. It does not allocate. Callers who raise a wait (to a floor)
// or shorten it need not tell: what is remembered is the wait drawn.
func (w *waits) next(b Backoff, dice Dice) time.Duration {
	w.previous = w.drawWait(b.withDefaults(), dice)
	w.made++
	return w.previous
}

// drawWait is the table of the formulas. All are computed in nanoseconds as
// float64; Inf and NaN are dealt with by [Backoff.grownWait] and [fromNanoseconds].
func (w *waits) drawWait(b Backoff, dice Dice) time.Duration {
	switch b.Policy {
	case Thain:
		return b.cappedWait(b.grownWait(w.made, 1) * (1 + dice.Float64()))
	case Full:
		return b.cappedWait(b.grownWait(w.made, 1) * dice.Float64())
	case Equal:
		return b.cappedWait(b.grownWait(w.made, 1) / 2 * (1 + dice.Float64()))
	case Decorrelated:
		return b.cappedWait(w.decorrelated(b, dice.Float64()))
	case Additive:
		return b.cappedWait(b.grownWait(w.made, 1) + dice.Float64()*float64(time.Second))
	case Normal:
		return w.drawNormal(b, dice)
	case Exact:
		return b.cappedWait(b.grownWait(w.made, 1))
	case Fixed:
		return b.Initial
	}
	return b.cappedWait(b.grownWait(w.made, 0.5) * (1 + dice.Float64())) // Ethernet
}

// grownWait is min(T·Fⁿ, share·M).
func (b Backoff) grownWait(n uint64, share float64) float64 {
	if b.Initial == 0 {
		return 0 // and not 0·Inf, which is NaN
	}
	return math.Min(float64(b.Initial)*math.Pow(b.Factor, float64(n)), share*float64(b.Max))
}

// cappedWait is the wait of that many nanoseconds, or M if that is less.
func (b Backoff) cappedWait(wait float64) time.Duration {
	return min(fromNanoseconds(wait), b.Max)
}

// decorrelated lies in [T, 3·previous], as far from T as u says.
func (w *waits) decorrelated(b Backoff, u float64) float64 {
	low, previous := float64(b.Initial), float64(w.previous)
	if w.made == 0 {
		previous = low
	}
	return low + u*(3*previous-low)
}

// drawNormal lets the deviation lead above the cap, as its source does.
func (w *waits) drawNormal(b Backoff, dice Dice) time.Duration {
	if w.made == 0 {
		return b.Initial
	}
	mean := math.Min(b.Factor*float64(w.previous), float64(b.Max))
	return max(fromNanoseconds(mean+dice.NormFloat64()*b.Jitter*mean), b.Initial/2)
}

// fromNanoseconds is that many nanoseconds: zero for negative numbers and NaN, the
// longest time for what is too long.
func fromNanoseconds(nanoseconds float64) time.Duration {
	switch {
	case nanoseconds >= math.MaxInt64:
		return math.MaxInt64
	case nanoseconds > 0:
		return time.Duration(nanoseconds)
	}
	return 0
}
