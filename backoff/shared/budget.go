package shared

import (
	"math"
	"time"
)

// Window counts two things over the last so long, in slices of a twentieth of
// that: what has just become too old may still be counted for one slice more.
type Window struct {
	Slice int64 // the number of the current slice
	A, B  [slices]float64
}

const slices = 20

// add moves the window to that time and adds to both counts.
func (w *Window) add(now, length time.Duration, a, b float64) {
	current := int64(now / max(length/slices, 1))
	for w.Slice < current {
		w.Slice = max(w.Slice+1, current-slices)
		w.A[w.Slice%slices], w.B[w.Slice%slices] = 0, 0
	}
	w.A[w.Slice%slices] += a
	w.B[w.Slice%slices] += b
}

// sums returns both counts over the window.
func (w *Window) sums(now, length time.Duration) (a, b float64) {
	w.add(now, length, 0, 0)
	for i := range w.A {
		a += w.A[i]
		b += w.B[i]
	}
	return a, b
}

// Budget lets retries be at most a share of all attempts.
type Budget struct {
	Share   float64       // of all attempts, retries among them; 0.1 makes the load grow by at most a ninth
	Floor   float64       // retries per window that are always allowed
	Reserve float64       // retries per window allowed on top of the share
	Window  time.Duration // more than 0
	Counts  Window        // state: attempts, and retries among them
}

// Attempt notes an attempt; retry tells whether it was one.
func (b *Budget) Attempt(now time.Duration, retry bool) {
	retries := 0.0
	if retry {
		retries = 1
	}
	b.Counts.add(now, b.Window, 1, retries)
}

// Withdraw takes back an attempt that was noted and then not made.
func (b *Budget) Withdraw(now time.Duration, retry bool) {
	retries := 0.0
	if retry {
		retries = -1
	}
	b.Counts.add(now, b.Window, -1, retries)
}

// Next is when [Budget.Allows] may answer otherwise though nothing is noted: a slice
// of the window becomes too old then.
func (b *Budget) Next(now time.Duration) time.Duration {
	slice := max(b.Window/slices, 1)
	return (now/slice + 1) * slice
}

// Left is how many retries could be made now; +Inf where the share is all.
func (b *Budget) Left(now time.Duration) float64 {
	attempts, retries := b.Counts.sums(now, b.Window)
	shared := math.Inf(1)
	if b.Share < 1 {
		shared = (b.Share*attempts + b.Reserve - retries) / (1 - b.Share)
	}
	return max(0, math.Floor(max(b.Floor-retries, shared)))
}

// Sums is how many attempts the budget counts now, and how many retries among them.
func (b *Budget) Sums(now time.Duration) (attempts, retries float64) {
	return b.Counts.sums(now, b.Window)
}

// Allows tells whether a retry may be made now. It changes nothing: whoever
// makes the retry calls [Budget.Attempt].
func (b *Budget) Allows(now time.Duration) bool {
	attempts, retries := b.Counts.sums(now, b.Window)
	return retries+1 <= max(b.Floor, b.Share*(attempts+1)+b.Reserve)
}

// Bucket is the token bucket of gRPC: each failure takes a token, each success
// gives a part of one back, and there are no retries while it is half empty.
type Bucket struct {
	Size  float64 // tokens of a full bucket, say 10
	Ratio float64 // tokens given by a success, say 0.1
	Gone  float64 // state: tokens taken
}

// Note notes how an attempt ended.
func (b *Bucket) Note(ok bool) {
	if ok {
		b.Gone = max(0, b.Gone-b.Ratio)
	} else {
		b.Gone = min(b.Size, b.Gone+1)
	}
}

// Allows tells whether a retry may be made.
func (b *Bucket) Allows() bool { return b.Size-b.Gone > b.Size/2 }
