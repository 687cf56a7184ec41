package measure

import (
	"math"
	"time"
)

// Stay is the time that things must go well again before an outage counts as overcome; the first
// moment at which they do is looked for over a Window.
const (
	Stay   = 30 * time.Second
	Window = 5 * time.Second
)

// Recovery returns how many seconds after an outage a server's work done per second is back
// at nine tenths of what it was before, for [Stay]; NaN if that never happens, or if
// there was none before. The time before an outage counts without its first half.
func (t *Tally) Recovery(server int, from, to time.Duration) float64 {
	return t.firstWell(from, to, func(at, length time.Duration, share float64) bool {
		done := &t.PerServer[server].Answered
		return done.Between(at, at+length) >= 0.9*share*done.Between(from/2, from)
	})
}

// Settled returns how many seconds after an outage all servers together get at most a tenth
// more requests than before, and the work done is back at nine tenths, for [Stay]; NaN
// if that never happens.
func (t *Tally) Settled(from, to time.Duration) float64 {
	return t.firstWell(from, to, func(at, length time.Duration, share float64) bool {
		return t.Finished.Between(at, at+length) >= 0.9*share*t.Finished.Between(from/2, from) &&
			t.Sent.Between(at, at+length) <= 1.1*share*t.Sent.Between(from/2, from)
	})
}

// firstWell looks for the first moment after an outage at which all is well, for a Window and
// over all of Stay. well is told a moment, a length, and that as a share of the time
// before the outage.
func (t *Tally) firstWell(from, to time.Duration, well func(at, length time.Duration, share float64) bool) float64 {
	before := float64(from - from/2)
	if t.Sent.Between(from/2, from) == 0 {
		return math.NaN()
	}
	for at := to; at+Stay <= t.Until; at += t.Sent.Every {
		if well(at, Window, float64(Window)/before) && well(at, Stay, float64(Stay)/before) {
			return (at - to).Seconds()
		}
	}
	return math.NaN()
}
