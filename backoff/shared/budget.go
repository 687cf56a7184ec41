package shared

import (
	"math"
	"time"
)

// budget counts attempts, and the retries among them.
type budget struct {
	Attempts, Retries Window // over the window of the rules
	LastMinute        Window // retries
}

// What holds where the rules say nothing else.
const (
	budgetWindow = 10 * time.Minute
	perMinute    = 60 // a herd in which everybody tries once has few attempts to take a share of
)

// budgetWindow returns the time over which the budget counts.
func (r *Rules) budgetWindow() time.Duration {
	if r.Window > 0 {
		return r.Window
	}
	return budgetWindow
}

// perMinute returns the retries a minute that are allowed whatever the share is.
func (r *Rules) perMinute() float64 {
	if r.PerMinute == 0 {
		return perMinute
	}
	return max(r.PerMinute, 0)
}

// countAttempts notes n attempts, -1 for one that was not made after all.
func (b *budget) countAttempts(now time.Duration, r *Rules, retry bool, n int32) {
	b.Attempts.Add(now, r.budgetWindow(), n)
	if retry {
		b.Retries.Add(now, r.budgetWindow(), n)
		b.LastMinute.Add(now, time.Minute, n)
	}
}

// affordsRetry reports whether a retry may be made now.
func (b *budget) affordsRetry(now time.Duration, r *Rules) bool {
	attempts, retries := b.Attempts.Sum(now, r.budgetWindow()), b.Retries.Sum(now, r.budgetWindow())
	const rounding = 1e-9 // must not take a retry
	return retries+1 <= r.Percent/100*(attempts+1)+rounding || b.LastMinute.Sum(now, time.Minute)+1 <= r.perMinute()
}

// nextChange is when [budget.affordsRetry] may answer otherwise though nothing is noted: a
// slice of a window becomes too old then.
func (b *budget) nextChange(now time.Duration, r *Rules) time.Duration {
	slice := sliceOf(r.budgetWindow())
	if r.perMinute() > 0 {
		slice = min(slice, sliceOf(time.Minute))
	}
	return (now/slice + 1) * slice
}

// retriesLeft counts the retries that could be made now; +Inf where the share is all.
func (b *budget) retriesLeft(now time.Duration, r *Rules) float64 {
	attempts, retries := b.Attempts.Sum(now, r.budgetWindow()), b.Retries.Sum(now, r.budgetWindow())
	byShare := math.Inf(1)
	if share := r.Percent / 100; share < 1 {
		byShare = (share*attempts - retries) / (1 - share)
	}
	return max(0, math.Floor(max(r.perMinute()-b.LastMinute.Sum(now, time.Minute), byShare)))
}
