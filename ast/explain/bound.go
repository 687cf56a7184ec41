package explain

import (
	"cmp"
	"math"
	"time"
)

// bound is the longest time that something takes. Where it has no end, why says so.
type bound struct {
	time time.Duration // the greatest: more than a Duration can be
	last time.Duration // in addition, once, by a catch that ends what is around
	near bool          // which ends a loop or a function only
	why  string

	put    time.Duration // the longest for which a retryafter in it puts an attempt off
	putWhy string        // names a retryafter whose time is not known
	giveup int32         // the line of the first giveup in it
}

func (b bound) isEndless() bool { return b.why != "" || b.total() == math.MaxInt64 }

// total is the whole time.
func (b bound) total() time.Duration { return sum(b.time, b.last) }

// describe says it in words.
func (b bound) describe() string {
	if b.isEndless() {
		return "no limit: " + cmp.Or(b.why, "it may take more than 292 years")
	}
	return atMost(b.total())
}

// sum adds two numbers that are not negative; a result that does not fit is the greatest number.
func sum[T ~int64](a, b T) T {
	if b > math.MaxInt64-a {
		return math.MaxInt64
	}
	return a + b
}

// product multiplies in the same way.
func product[T ~int64](a, n T) T {
	if n > 0 && a > math.MaxInt64/n {
		return math.MaxInt64
	}
	return a * n
}

// with combines two bounds, whose time together is given.
func (b bound) with(other bound, time time.Duration) bound {
	return bound{time, max(b.last, other.last), b.near || other.near, cmp.Or(b.why, other.why),
		max(b.put, other.put), cmp.Or(b.putWhy, other.putWhy), cmp.Or(b.giveup, other.giveup)}
}

// then returns the bound of one thing after another.
func (b bound) then(next bound) bound { return b.with(next, sum(b.time, next.time)) }

// or returns the bound of one of two things, or of both at the same time.
func (b bound) or(other bound) bound { return b.with(other, max(b.time, other.time)) }

// times returns the bound of something that is done n times.
func (b bound) times(n int64) bound {
	if n <= 0 {
		return bound{}
	}
	b.time = product(b.time, time.Duration(n))
	return b
}

// eachTime counts the last part each time, since what is around goes on after it.
func (b bound) eachTime() bound {
	b.time, b.last, b.near = b.total(), 0, false
	return b
}

// within returns the bound under a limit that cuts it off; 0: there is no limit.
func (b bound) within(limit time.Duration) bound {
	if limit > 0 && (b.isEndless() || b.total() > limit) {
		b.time, b.last, b.near, b.why = limit, 0, false, ""
	}
	return b
}
